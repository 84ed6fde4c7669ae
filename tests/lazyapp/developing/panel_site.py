"""A small application in development, with something of everything that the panel shows, and a browser on it."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2
from fastapi import APIRouter

import lazyapp
import lazymcp
import lazyoauth
from lazyapp.settings import Settings

URL = "http://localhost:3000"
SECRET = "0123456789abcdef" * 4
HTML = {"accept": "text/html"}
#: What a stranger, or a careless colleague, puts into a text: markup, a terminal's escape, and a turn of the direction.
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
VERSION = "2026-07-28"
_FOLDER = tempfile.TemporaryDirectory()
MIGRATED = Path(_FOLDER.name) / "migrated.sqlite3"
router = APIRouter()


@router.get("/version")
async def version() -> str:
    return "1"


class Mailer:
    """Sends."""


class Shop:
    """Sells."""

    def __init__(self, mailer: Mailer) -> None:
        self.mailer = mailer


class Basket:
    """One a request."""


async def away(_: Mailer) -> None:
    raise ConnectionError("postgresql://ada:hunter2@db/shop is away")


class BooksController(lazyapp.Controller):
    async def index(self) -> dict[str, Any]:
        raise RuntimeError(f"the shelf fell: {HOSTILE}")

    @lazyapp.require_login
    async def show(self, id: int) -> dict[str, Any]:
        return {}

    async def create(self) -> Any:
        self.background(sink)
        return self.redirect_to("/books")


def sink() -> None:
    raise ValueError("after the answer")


class NotesMCP(lazymcp.Base):
    """Notes."""

    @lazymcp.tool(read_only=True, title=f"Count {HOSTILE}", meta={"note": HOSTILE})
    async def count(self, tag: str, password: str = "", mood: Literal["up", "down"] | None = None) -> int:
        """Count notes of a tag.

        Args:
            tag: the <tag>.
        """
        raise KeyError(tag)

    @lazymcp.resource("notes://all")
    def everything(self) -> str:
        """All notes."""
        raise OSError("the disk is gone")

    @lazymcp.prompt
    def sum_up(self, week: str = "this") -> str:
        """Sum up a week."""
        raise LookupError(week)


def draw(routes: lazyapp.Routes) -> None:
    routes.resources("books", BooksController, param="id:int")
    routes.include(router, prefix="/api")


def declare(services: lazyapp.Services) -> None:
    services.add(Mailer, Mailer, ping=away)
    services.add(Shop, Shop)
    services.add(Basket, Basket, per_request=True)


def application(folder: Path, env: Literal["development", "production", "test"] = "development", **config: Any) -> lazyapp.App:
    """The application, not started."""
    given = {
        "name": f"shop {HOSTILE}",
        "drawer": draw,
        "dependencies": declare,
        "mcp": lambda ctx, scope: scope.register(NotesMCP()),
        "oauth": lambda ctx: lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=Durable()),
    }
    settings = Settings(
        env=env,
        root=folder,
        given_public_url="https://shop.example" if env == "production" else URL,
        secret_key=SECRET,
        database_url=f"sqlite:///{folder}/shop.sqlite3",
        migrate="auto",
        allowed_hosts="localhost,shop.example",
    )
    return lazyapp.App(lazyapp.Config(**{**given, **config}), settings=settings)


class Durable(lazyoauth.MemoryRefreshTokenStates):
    is_shared = is_durable = True


@dataclass(frozen=True, slots=True)
class Site:
    """A started application, and a browser of whoever sits at this machine."""

    app: lazyapp.App
    http: httpx2.AsyncClient

    async def page(self, path: str, **headers: str) -> str:
        """The text of one page that is there."""
        answer = await self.http.get(path, headers={**HTML, **headers})
        assert answer.status_code == 200, answer.text
        return answer.text

    async def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """What `/mcp` answers to one message."""
        name = params.get("name") or params.get("uri")
        meta = {"protocolVersion": VERSION, "clientInfo": {"name": "desk", "version": "1"}, "clientCapabilities": {}}
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {**params, "_meta": {f"io.modelcontextprotocol/{key}": value for key, value in meta.items()}},
        }
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": VERSION,
            "mcp-method": method,
            **({"mcp-name": name} if name else {}),
        }
        answer: dict[str, Any] = (await self.http.post("/mcp", json=body, headers=headers)).json()
        return answer


@asynccontextmanager
async def opened(folder: Path, peer: str = "127.0.0.1", **config: Any) -> AsyncIterator[Site]:
    """The site, for the time of the block; without OAuth unless it is given, so that tools can be called."""
    database = folder / "shop.sqlite3"
    if MIGRATED.exists():  # each migration takes longer than what is tested
        shutil.copy(MIGRATED, database)
    app = application(folder, **{"oauth": None, **config})
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=app, client=(peer, 50000))
        async with httpx2.AsyncClient(transport=transport, base_url=URL) as http:
            yield Site(app, http)
    if not MIGRATED.exists():
        shutil.copy(database, MIGRATED)
