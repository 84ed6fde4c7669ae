"""`lazyapp.generators.mcp_app`."""

from pathlib import Path

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.fields import parse
from lazyapp.generators.mcp_app import plan_app


def test_a_page_has_a_view_a_policy_and_a_tool_that_shows_it(application: Application) -> None:
    """MCP Apps, 2026-01-26; docs/apps.md."""
    plan = plan_app(application, "shop.board", parse(["day:date"]))
    text = plan.read(Path("app/mcps/shop_mcp/__init__.py"))
    assert '    @tool(title="Show board", ui="ui://shop/board", read_only=True)\n' in text
    assert "            csp=AppCSP(connect_domains=[], resource_domains=[]),\n" in text
    assert '            permissions=AppPermissions(tools=["shop.show_board"]),\n' in text
    view = plan.created[Path("app/views/mcp/shop/board.html.j2")]
    assert 'lazy.call("shop.show_board", asked)' in view
    assert "innerHTML" not in view  # what a tool answers is text
    assert Path("tests/test_shop_board_app.py") in plan.created


def test_a_page_whose_tool_is_there_is_refused(application: Application) -> None:
    path = application.root / "app" / "mcps" / "shop_mcp" / "__init__.py"
    path.write_text(path.read_text() + "\n    def show_board(self) -> None: ...\n")
    with pytest.raises(ConfigurationError, match=r"has ShopMCP\.show_board already"):
        plan_app(application, "shop.board", [])
