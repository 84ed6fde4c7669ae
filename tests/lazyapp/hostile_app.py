"""An application with everything that strangers can send something to: files, a form, an upload, JSON, a session."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import unquote

from fastapi import Form, Response, UploadFile
from pydantic import BaseModel

import lazyapp
from lazyapp import Controller
from lazyapp.settings import Settings
from tests.lazyapp.public_site import public_folder

ANSWER_WITHIN_S = 20.0


class Note(BaseModel):
    text: str
    tags: list[str] = []
    stars: int = 0


class NotesController(Controller):
    async def index(self) -> dict[str, Any]:
        self.session["visits"] = int(self.session.get("visits", 0)) + 1
        return {}

    async def create(self, form: Annotated[Note, Form()]) -> Response:
        self.flash(form.text[:100])
        return self.redirect_to("notes")

    async def upload(self, file: UploadFile, text: Annotated[str, Form()]) -> dict[str, Any]:
        await file.read()
        return {}

    async def note(self, note: Note) -> Note:
        return note


def draw(routes: lazyapp.Routes) -> None:
    routes.resources("notes", NotesController)
    routes.post("/upload", NotesController.upload)
    routes.post("/note", NotesController.note)


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


def hostile_app(folder: Path, env: str) -> lazyapp.App:
    """The application, for an environment, on a folder that has secrets in and around `public`."""
    views = folder / "views" / "notes"
    views.mkdir(parents=True)
    (views / "index.html.j2").write_text("{{ flash()|length }} {{ form_errors|length }} {{ form_values.text }}")
    (views / "upload.html.j2").write_text("ok")
    (folder / "views" / "layouts").mkdir()
    (folder / "views" / "layouts" / "app.html.j2").write_text("{{ content }}")
    settings = Settings(env=env, root=folder, given_public_url="http://localhost", secret_key="s" * 40)
    config = lazyapp.Config(name="hostile", drawer=draw, public=public_folder(folder), views=folder / "views")
    return lazyapp.App(config, settings=settings)


@asynccontextmanager
async def running(app: lazyapp.App) -> AsyncIterator[lazyapp.App]:
    """The application between its start and its end."""
    async with app.router.lifespan_context(app):
        yield app


def scope_of(method: str, path: str, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    """A request in ASGI's words."""
    raw, _, query = path.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(raw),
        "raw_path": raw.encode("utf-8", "surrogateescape"),
        "root_path": "",
        "query_string": query.encode("utf-8", "surrogateescape"),
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


async def ask(
    app: lazyapp.App,
    method: str,
    path: str,
    headers: Iterable[tuple[bytes, bytes]] = (),
    body: bytes = b"",
    host: bytes = b"localhost",
) -> Answer:
    """One request as uvicorn hands it over, its path percent-decoded; an answer within ANSWER_WITHIN_S, or a failed test."""
    chunks = [body[at : at + 65536] for at in range(0, len(body), 65536)] or [b""]
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages[-1]["more_body"] = False
    sent: list[Any] = []
    is_over = asyncio.Event()

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        await is_over.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async with asyncio.timeout(ANSWER_WITHIN_S):
        await app(scope_of(method, path, [(b"host", host), *headers]), receive, send)
    is_over.set()
    return Answer(sent[0]["status"], dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:]))
