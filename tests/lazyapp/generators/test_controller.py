"""`lazyapp.generators.controller`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.controller import plan_controller
from lazyapp.generators.fields import parse
from lazyapp.generators.model import plan_model
from lazyapp.generators.plan import carry_out


def test_a_controller_has_views_routes_and_a_test(application: Application) -> None:
    """docs/generators.md."""
    plan = plan_controller(application, "orders", ["index", "create", "today"])
    assert [path.as_posix() for path in plan.created] == [
        "app/controllers/__init__.py",
        "app/controllers/orders_controller.py",
        *(f"app/views/orders/{view}.html.j2" for view in ("index", "new", "today")),
        "tests/test_orders_pages.py",
    ]
    assert list(plan.changed) == [Path("init/routes.py")]


def test_on_a_model_it_has_all_actions(application: Application) -> None:
    carry_out(plan_model(application, "Order", parse(["title"])))
    text = plan_controller(application, "orders", []).created[Path("app/controllers/orders_controller.py")]
    for action in ("index", "new", "create", "show", "edit", "update", "delete"):
        assert f"    async def {action}(" in text


@pytest.mark.parametrize(
    ("name", "actions", "reason"),
    [
        ("order", ["index"], "names one, and the actions of a resource are about many: lazyapp generate controller orders"),
        ("../orders", [], "cannot be the name of a controller"),
        ("admin/orders", [], "cannot be the name of a controller"),
        ("class", [], "is a word of Python's own"),
        ("orders_controller", [], "says controller twice; write 'orders'"),
        ("orders", ["edit"], "edit, update needs a table; first run: lazyapp generate model Order name:str"),
        ("orders", ["render"], "one of Controller's methods"),
        ("orders", ["session"], "one of Controller's methods"),
        ("orders", ["import"], "is Python's own"),
        ("orders", ["_secret"], "cannot be the name of an action"),
    ],
)
def test_what_could_be_no_action_is_refused(application: Application, name: str, actions: list[str], reason: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        plan_controller(application, name, actions)
    assert reason in str(refused.value)


def test_pages_of_ones_own_need_no_plural(application: Application) -> None:
    plan = plan_controller(application, "company", ["about"])
    assert "    async def about(self) -> None:\n" in plan.created[Path("app/controllers/company_controller.py")]
