"""An application with pages for people, users and AI clients, and a browser on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient

import lazyapp
import lazyauth
import lazymcp
import lazyoauth
from lazyapp import Controller, require_login
from lazyapp.settings import Settings
from lazymcp import tool
from tests.lazyoauth.journey import PASSWORD, PlainUsers, make_users

ORIGIN = "http://testserver"
BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
FILES = {
    "views/layouts/app.html.j2": (
        "<title>{{ title is defined and title or 'site' }}</title>{% for note in flash() %}[{{ note.message }}]{% endfor %}"
        "<nav>{{ current_user().id if current_user() else 'stranger' }}</nav>{{ content }}"
    ),
    "views/layouts/bare.html.j2": "{{ content }}",
    "views/notes/index.html.j2": "{{ who }}",
}


class NotesController(Controller):
    """Pages for everybody and pages for people."""

    async def index(self) -> Any:
        user = lazyauth.current_user()
        assert self.current_user == user
        return self.render("index", layout="bare", who=user.id if user else "nobody")

    async def new(self) -> Any:
        return self.render("index", layout="bare", who=lazyauth.require_user().id)

    @require_login
    async def show(self, id: int, tab: str = "") -> Any:
        return self.render("index", layout="bare", who=f"note {id} of {lazyauth.require_user().id}")

    @require_login
    async def create(self, count: int) -> dict[str, Any]:
        return {"who": str(count)}

    async def keep(self, word: str) -> dict[str, Any]:
        self.session["word"] = word
        return {}

    async def kept(self) -> Response:
        return JSONResponse([self.session.get("word", "")])


@require_login
class SecretsController(Controller):
    """For people, all of it."""

    async def index(self) -> list[str]:
        return ["secret"]


class WhoMCP(lazymcp.Base):
    """Who calls."""

    @tool
    def me(self) -> str:
        """Tell who calls."""
        user = lazyauth.current_user()
        return user.id if user else "nobody"


def draw(routes: lazyapp.Routes) -> None:
    routes.root(NotesController.index)
    routes.resources("notes", NotesController)
    routes.get("/kept", NotesController.kept)
    routes.get("/keep", NotesController.keep)
    routes.resources("secrets", SecretsController)
    api = APIRouter()

    @api.get("/me")
    async def me() -> str:
        return lazyauth.require_user().id

    routes.include(api, prefix="/api")


def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
    return lazyoauth.Config(issuer=ctx.settings.public_url, refresh_token_states=lazyoauth.MemoryRefreshTokenStates())


class Site:
    """The application, not started yet."""

    def __init__(self, folder: Path, users: Any = None, *, origin: str = ORIGIN, **config: Any) -> None:
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        self.users: PlainUsers = users or make_users()
        self.origin = origin
        given = {"drawer": draw, "views": folder / "views", "auth": self.users, "oauth": oauth, "mcp": register} | config
        settings = Settings(env="test", root=folder, given_public_url=origin)
        self.app = lazyapp.App(lazyapp.Config(name="example.com", **given), settings=settings)

    @contextmanager
    def open(self) -> Iterator[TestClient]:
        """Started, with a browser that asks for pages and follows nothing by itself."""
        with TestClient(self.app, base_url=self.origin, headers=BROWSER, follow_redirects=False) as browser:
            yield browser

    def another(self) -> TestClient:
        """Another person's browser, or a program."""
        return TestClient(self.app, base_url=self.origin, headers=BROWSER, follow_redirects=False)


def register(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    scope.register(WhoMCP())


def sign_in(browser: TestClient, user: str = "ada", password: str = PASSWORD, after: str = "", **headers: str) -> Any:
    return browser.post("/login", data={"username": user, "password": password, "next": after}, headers=headers)


def cookie_of(browser: TestClient) -> str:
    """The session as the browser keeps it."""
    return next((cookie.value or "" for cookie in browser.cookies.jar if cookie.name.endswith("lazyapp")), "")


class Seen(HTMLParser):
    """The forms of a page: where each goes and what is filled in, and all links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.action = ""
        self.values: dict[str, str] = {}
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = found["action"]
        elif tag == "input":
            self.values[found["name"]] = found.get("value", "")
        elif tag == "a":
            self.links.append(found["href"])
