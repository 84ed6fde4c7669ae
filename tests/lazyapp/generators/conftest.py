"""A small application for generators: what they read of one, without the rest."""

from pathlib import Path

import pytest

from lazyapp.generators import Application, find_application

APP = """
import lazyapp
from init.mcp import register_mcp
from init.routes import draw

app = lazyapp.App(
    lazyapp.Config(
        name="tiny",
        drawer=draw,
        mcp=register_mcp,
    )
)
"""
ROUTES = '''"""Which path leads to which action."""

import lazyapp
from app.controllers.home_controller import HomeController


def draw(routes: lazyapp.Routes) -> None:
    """Draw the routes."""
    routes.root(HomeController.index)
'''
MCP = '''"""What AI clients may use."""

import lazyapp
import lazymcp


def register_mcp(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    scope.discover("app.mcps")
'''
SHOP = '''"""Tools of the shop."""

import lazymcp
from lazymcp import tool


class ShopMCP(lazymcp.Base):
    """What the shop tells."""

    @tool(read_only=True)
    async def hello(self) -> str:
        """Say hello."""
        return "hello"
'''
FILES = {
    "pyproject.toml": '[tool.ruff]\nline-length = 132\nlint.isort.known-first-party = ["lazyapp", "lazymcp", "lazyauth"]\n',
    "app/__init__.py": "",
    "app/mcps/__init__.py": "",
    "app/mcps/shop_mcp/__init__.py": SHOP,
    "init/__init__.py": "",
    "tests/__init__.py": "",
    "init/app.py": APP,
    "init/mcp.py": MCP,
    "init/routes.py": ROUTES,
}


@pytest.fixture
def application(tmp_path: Path) -> Application:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return find_application(tmp_path)
