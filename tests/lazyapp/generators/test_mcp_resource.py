"""`lazyapp.generators.mcp_resource`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import parse
from lazyapp.generators.mcp_resource import plan_resource


def test_its_fields_are_the_variables_of_its_uri(application: Application) -> None:
    """RFC 6570; docs/resources.md, "Templates"."""
    plan = plan_resource(application, "shop.order", parse(["number:int"]))
    text = plan.read(Path("app/mcps/shop_mcp/__init__.py"))
    assert '    @resource("app://shop/order/{number}", title="Order", mime_type="application/json")\n' in text
    assert "    async def order(self, number: int) -> Order:\n" in text
    assert '.read("app://shop/order/3")' in plan.created[Path("tests/test_shop_order_resource.py")]


@pytest.mark.parametrize(
    ("fields", "uri", "reason"),
    [
        (["number:int?"], "", "'number' stands in a URI"),
        (["tags:list[str]"], "", "'tags' stands in a URI"),
        ([], "no uri", "is none that a client reads"),
        ([], 'x://"', "is none that a client reads"),
        ([], "x://{+path}", "is none that a client reads"),
        (["number:int"], "x://orders/{id}", "have different variables"),
    ],
)
def test_a_uri_that_does_not_go_with_the_fields_is_refused(
    application: Application, fields: list[str], uri: str, reason: str
) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        plan_resource(application, "shop.order", parse(fields), uri)


def test_a_uri_that_the_module_has_is_refused(application: Application) -> None:
    path = application.root / "app" / "mcps" / "shop_mcp" / "__init__.py"
    path.write_text(path.read_text() + '\n    @resource("app://shop/stock")\n    def all(self) -> int: ...\n')
    with pytest.raises(ConfigurationError, match="has app://shop/stock already"):
        plan_resource(application, "shop.stock", [])
