"""A small application to be asked about: pages, a router, a file, a table with a secret in it, and an MCP module."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

import lazyapp
import lazyauth
import lazymcp
import lazyoauth
from lazyapp import Controller, Settings
from lazyapp.developing.about import about
from lazyapp.developing.memory import Memory
from lazyapp.testing.opening import started
from lazymcp import tool

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SECRET_KEY = "0123456789abcdef" * 4

metadata = sa.MetaData()
readers = sa.Table(
    "readers",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False, unique=True),
    sa.Column("password_hash", sa.String(80), nullable=False),
)
books = sa.Table(
    "books",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("title", sa.Text, nullable=False, index=True),
    sa.Column("reader_id", sa.ForeignKey("readers.id", ondelete="CASCADE")),
)
HASH = "argon2-of-ada"

router = APIRouter()


@router.get("/books/{number}")
async def book(number: int) -> dict[str, int]:
    return {"number": number}


class HomeController(Controller):
    async def index(self) -> dict[str, Any]:
        user = lazyauth.current_user()
        return {"reader": user.id if user else "nobody"}

    async def broken(self) -> dict[str, Any]:
        raise RuntimeError("the shelf fell down")


class ReadersController(Controller):
    async def index(self) -> dict[str, Any]:
        return {}

    async def show(self, id: str) -> dict[str, Any]:
        return {"id": id}


class ShelfMCP(lazymcp.Base):
    @tool(read_only=True)
    async def count(self, at_least: int = 0) -> int:
        """Count the books."""
        return 3 + at_least

    @tool
    async def whoami(self) -> str:
        """Tell who asks."""
        return lazyauth.require_user().id

    @tool
    async def fall(self) -> str:
        """Fall down."""
        raise RuntimeError("the shelf fell down")


async def fill(engine: AsyncEngine) -> None:
    """The tables with a few rows."""
    async with engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
        await connection.execute(sa.insert(readers), [{"id": 1, "name": "ada", "password_hash": HASH}])
        await connection.execute(sa.insert(books), [{"id": n, "title": f"Volume {n}", "reader_id": 1} for n in range(1, 4)])


@asynccontextmanager
async def filled(url: str) -> AsyncIterator[AsyncEngine]:
    """An engine on a database that has the tables."""
    engine = create_async_engine(url)
    try:
        await fill(engine)
        yield engine
    finally:
        await engine.dispose()


def _draw(routes: lazyapp.Routes) -> None:
    routes.root(HomeController.index)
    routes.get("/broken", HomeController.broken)
    routes.resources("readers", ReadersController)
    routes.include(router, prefix="/api")


def _register(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    scope.register(ShelfMCP())


def library(folder: Path, **more: Any) -> lazyapp.App:
    """The application, in development, on a SQLite file of its own."""
    views = {
        "layouts/app.html.j2": "<title>library</title>{{ content }}",
        "home/index.html.j2": "<p>Hello {{ reader }}</p>",
        "readers/show.html.j2": "<p>{{ id }}</p>",
    }
    for name, text in views.items():
        (folder / "views" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "views" / name).write_text(text)
    (folder / "public").mkdir(exist_ok=True)
    (folder / "public" / "shelf.css").write_text("p { color: green }")
    settings = Settings(env="development", root=folder, default_pass="correct horse", secret_key=SECRET_KEY)
    config = {
        "name": "library",
        "drawer": _draw,
        "views": folder / "views",
        "public": folder / "public",
        "dependencies": lambda services: services.add(lazyoauth.RefreshTokenStateStore, lazyoauth.SQLRefreshTokenStates),
        "oauth": lambda ctx: lazyoauth.Config(
            issuer=ctx.settings.public_url, refresh_token_states=ctx.get(lazyoauth.RefreshTokenStateStore)
        ),
        "mcp": _register,
    }
    return lazyapp.App(lazyapp.Config(**(config | more)), settings=settings)


class Agent:
    """A coding agent's client, within this process."""

    def __init__(self, app: lazyapp.App, memory: Memory | None = None) -> None:
        self.app, self.scope = app, about(app, memory)
        self._connection = self.scope.connection()

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": MODERN}}
        answer = await self._connection.handle(message, None)
        assert "result" in answer, answer
        return dict(answer["result"])

    async def call(self, name: str, /, **arguments: Any) -> Any:
        """What a tool answers as data; a failure raises with its sentence."""
        result = await self.ask("tools/call", name=name, arguments=arguments)
        text = "\n".join(block.get("text", "") for block in result["content"])
        if result.get("isError"):
            raise AssertionError(text)
        structured = result.get("structuredContent", text)
        return structured["result"] if isinstance(structured, dict) and set(structured) == {"result"} else structured

    async def refused(self, name: str, /, **arguments: Any) -> str:
        """The sentence with which a tool refuses."""
        result = await self.ask("tools/call", name=name, arguments=arguments)
        assert result.get("isError"), result
        return str(result["content"][0]["text"])


@asynccontextmanager
async def asked_about(folder: Path, memory: Memory | None = None, **more: Any) -> AsyncIterator[Agent]:
    """The application, started and filled, and an agent that asks about it."""
    app = library(folder, **more)
    async with started(app):
        await fill(app.services.get(AsyncEngine))
        yield Agent(app, memory)
