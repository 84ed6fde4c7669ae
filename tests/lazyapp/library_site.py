"""A library whose tools, resources and prompts depend on everything that they may depend on, and what happened to that."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import pytest
from fastapi import Depends, Header, HTTPException, Request, Security
from fastapi.security import SecurityScopes

import lazyapp
import lazymcp
from lazyapp.settings import Settings
from lazymcp import ToolError, tool
from tests.lazymcp.asgi_peer import Peer

events: list[str] = []


class Shelf:
    """A service of the application."""


class Unit:
    """A service of one request."""


async def open_unit(shelf: Shelf) -> AsyncIterator[Unit]:
    events.append("unit opened")
    try:
        yield Unit()
    except BaseException as problem:
        events.append(f"unit heard {type(problem).__name__}")
        raise
    events.append("unit closed")


def dependencies(services: lazyapp.Services) -> None:
    services.add(Shelf, Shelf)
    services.add(Unit, open_unit, per_request=True)


def base() -> Iterator[str]:
    events.append("base opened")
    try:
        yield "base"
    finally:
        events.append("base closed")


async def above(base: Annotated[str, Depends(base)], shelf: Shelf) -> AsyncIterator[str]:
    events.append("above opened")
    try:
        yield f"above {base} and {type(shelf).__name__}"
    except ToolError as problem:
        events.append(f"above heard {problem}")
        raise
    finally:
        events.append("above closed")


class Fresh:
    """A class as a dependency: each is another object."""

    made = 0

    def __init__(self) -> None:
        Fresh.made += 1


async def tenant(x_tenant: Annotated[str, Header()]) -> str:
    return x_tenant


def address(request: Request) -> str:
    events.append(",".join(sorted(request.headers)))
    return str(request.url.path)


def paging(limit: int = 10) -> int:
    return limit


def scopes(found: SecurityScopes) -> list[str]:
    return found.scopes


def refuse(status: int) -> Any:
    def refused() -> None:
        raise HTTPException(status, "not today" if status != 409 else {"taken": "yes"})

    return Depends(refused)


async def swallows() -> AsyncIterator[None]:
    try:
        yield
    except ToolError:
        events.append("swallowed")


async def turns() -> AsyncIterator[None]:
    try:
        yield
    except ValueError as problem:
        raise HTTPException(422, "that is no number") from problem


class Library(lazymcp.Base):
    name = ""

    @tool
    async def read(self, title: str, found: Annotated[str, Depends(above)], again: Annotated[str, Depends(base)]) -> str:
        """Read a book."""
        events.append("called")
        return f"{title}: {found}, {again}"

    @tool
    def read_slowly(self, title: str, found: str = Depends(above)) -> str:
        """Read a book, in a thread, the dependency in the older spelling."""
        return f"{title}: {found}"

    @tool
    async def lose(self, found: Annotated[str, Depends(above)], unit: Unit) -> str:
        """Lose a book."""
        raise ToolError("it is gone")

    @tool
    async def fresh(
        self, a: Annotated[Fresh, Depends()], b: Annotated[Fresh, Depends()], c: Annotated[Fresh, Depends(use_cache=False)]
    ) -> list[bool]:
        """Compare."""
        return [a is b, a is c]

    @tool
    async def served(self, shelf: Shelf, unit: Unit, settings: Settings, also: Annotated[Unit, Depends()]) -> list[Any]:
        """Tell the services."""
        return [type(shelf).__name__, type(unit).__name__, settings.env, unit is also]

    @tool
    async def where(self, path: Annotated[str, Depends(address)], limit: Annotated[int, Depends(paging)]) -> str:
        """Tell where this was asked."""
        return f"{path} {limit}"

    @tool
    async def own_request(self, request: Request) -> str:
        """Tell the method."""
        with pytest.raises(RuntimeError, match="arguments of the tool"):
            await request.body()
        return request.method

    @tool
    async def whose(self, tenant: Annotated[str, Depends(tenant)]) -> str:
        """Tell the tenant."""
        return tenant

    @tool
    async def allowed(self, found: Annotated[list[str], Security(scopes, scopes=["books"])]) -> list[str]:
        """Tell the scopes."""
        return found

    @tool
    async def unauthorized(self, refused: Annotated[None, refuse(401)]) -> None:
        """Refuse."""

    @tool
    async def taken(self, refused: Annotated[None, refuse(409)]) -> None:
        """Refuse with data."""

    @tool
    async def broken(self, refused: Annotated[None, refuse(503)]) -> None:
        """Break."""

    @tool
    async def own_error(self, base: Annotated[str, Depends(base)]) -> None:
        """Raise what only pages know."""
        raise HTTPException(404, "no page")

    @tool
    async def swallowed(self, kept: Annotated[None, Depends(swallows)]) -> str:
        """Raise what is kept."""
        raise ToolError("all the same")

    @tool
    async def turned(self, kept: Annotated[None, Depends(turns)]) -> str:
        """Raise what is turned."""
        raise ValueError("x")

    @lazymcp.resource("app://books/{title}")
    async def book(self, title: str, unit: Unit, found: Annotated[str, Depends(base)]) -> str:
        """One book."""
        return f"{title} {found} {type(unit).__name__}"

    @lazymcp.prompt
    async def ask(self, found: Annotated[str, Depends(above)]) -> str:
        """Ask for a book."""
        return found

    @tool(task="required")
    async def slowly(self, unit: Unit, found: Annotated[str, Depends(address)]) -> str:
        """Take time."""
        await asyncio.sleep(0)
        events.append("worked")
        return found


def make(tmp_path: Any, *modules: lazymcp.Base) -> lazyapp.App:
    config = lazyapp.Config(
        name="library", dependencies=dependencies, mcp=lambda ctx, scope: scope.register(*(modules or (Library(),)))
    )
    return lazyapp.App(config, settings=Settings(env="test", root=tmp_path, given_public_url="http://localhost:3000"))


@asynccontextmanager
async def opened(app: lazyapp.App) -> AsyncIterator[Peer]:
    async with app.router.lifespan_context(app):

        async def door(scope: Any, receive: Any, send: Any) -> None:
            await app({"query_string": b"", "scheme": "http", "server": ("localhost", 3000), **scope}, receive, send)

        yield Peer(door)


async def called(peer: Peer, name: str, headers: dict[str, str] | None = None, **arguments: Any) -> Any:
    return (await peer.ask("tools/call", {"name": name, "arguments": arguments}, headers=headers or {})).result


def text(result: Any) -> str:
    return str(result["content"][0]["text"])
