"""`lazyapp.generators.mcp_register`."""

from pathlib import Path

from lazyapp.generators.application import Application
from lazyapp.generators.mcp_module import plan_mcp

MCP, CONFIG = Path("init/mcp.py"), Path("init/app.py")
BY_HAND = "import lazymcp\n\n\ndef register_mcp(ctx: object, scope: lazymcp.Scope) -> None:\n    scope.register(ShopMCP())\n"


def test_a_module_is_registered_where_they_are_registered_by_hand(application: Application) -> None:
    (application.root / MCP).write_text(BY_HAND)
    text = plan_mcp(application, "bag", "hello", []).read(MCP)
    assert text == f"import lazymcp\nfrom app.mcps.bag_mcp import BagMCP\n{BY_HAND[15:]}    scope.register(BagMCP())\n"


def test_where_that_is_not_certain_the_lines_are_told(application: Application) -> None:
    (application.root / MCP).write_text("register_mcp = (\n")
    plan = plan_mcp(application, "bag", "hello", [])
    lines = "from app.mcps.bag_mcp import BagMCP\nscope.register(BagMCP())"
    assert (plan.by_hand, plan.changed) == ([(MCP, "it has a syntax error in line 1", lines)], {})


def test_an_application_without_ai_clients_is_given_them(application: Application) -> None:
    """docs/new.md: `--without-mcp` leaves init/mcp.py and its hook out."""
    (application.root / MCP).unlink()
    text = (application.root / CONFIG).read_text()
    (application.root / CONFIG).write_text(
        text.replace("        mcp=register_mcp,\n", "").replace("from init.mcp import register_mcp\n", "")
    )
    plan = plan_mcp(application, "bag", "hello", [])
    assert '    scope.discover("app.mcps")\n' in plan.created[MCP]
    assert plan.read(CONFIG).splitlines() == text.splitlines()


def test_a_configuration_of_its_own_layout_is_left_alone(application: Application) -> None:
    (application.root / MCP).unlink()
    (application.root / CONFIG).write_text("app = make(Config)\n")
    [(path, reason, lines)] = plan_mcp(application, "bag", "hello", []).by_hand
    assert (path, reason) == (CONFIG, "it makes no Config")
    assert lines.endswith("lazyapp.Config(…, mcp=register_mcp)")
