"""`lazyapp.generators.mcp_module`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import parse
from lazyapp.generators.mcp_module import plan_mcp


def test_a_module_has_a_first_tool_and_its_test(application: Application) -> None:
    """docs/generators.md."""
    plan = plan_mcp(application, "order_items", "hello", parse(["name:str=world"]))
    assert list(plan.created) == [Path("app/mcps/order_items_mcp/__init__.py"), Path("tests/test_order_items_hello_tool.py")]
    text = plan.created[Path("app/mcps/order_items_mcp/__init__.py")]
    assert "class OrderItemsMCP(lazymcp.Base):\n" in text
    assert '    async def hello(self, name: str = "world") -> HelloAnswer:\n' in text
    assert plan.changed == {}


@pytest.mark.parametrize("name", ["shop", "Shop", "../x", "a.b"])
def test_a_name_that_is_taken_or_none_is_refused(application: Application, name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"publishes 'shop' already|cannot be the name of an MCP module"):
        plan_mcp(application, name, "hello", [])


def test_a_file_of_that_name_is_no_folder(application: Application) -> None:
    (application.root / "app" / "mcps" / "bag_mcp.py").touch()
    with pytest.raises(ConfigurationError, match=r"app/mcps/bag_mcp\.py exists"):
        plan_mcp(application, "bag", "hello", [])
