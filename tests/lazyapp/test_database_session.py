"""The session that actions and tools ask for: one transaction a request, and the answer is true to it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import HTTPException, Response
from pydantic import SecretStr
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from starlette.testclient import TestClient

import lazyapp
import lazymcp
from lazyapp.config import Config
from lazyapp.database import AsyncEngine, AsyncSession, create_tables
from lazyapp.services import Services
from lazyapp.settings import Settings


class Base(DeclarativeBase):
    pass


class Note(Base):
    __tablename__ = "notes"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]
    #: Checked at the commit, and not before, which is when a promise can still break.
    follows: Mapped[int | None] = mapped_column(sa.ForeignKey("notes.id", deferrable=True, initially="DEFERRED"))


class Ledger:
    """A service that exists once a request and works in the request's transaction."""

    def __init__(self, db: AsyncSession) -> None:
        self.db = db


class NotesController(lazyapp.Controller):
    async def index(self, db: AsyncSession) -> list[dict[str, Any]]:
        found = await db.scalars(sa.select(Note).order_by(Note.id))
        return [{"id": note.id, "text": note.text} for note in found]

    async def create(self, db: AsyncSession, ledger: Ledger, text: str, then: str = "") -> list[Any]:
        assert ledger.db is db
        note = Note(text=text, follows=999 if then == "break" else None)
        db.add(note)
        await db.flush()
        if then == "refuse":
            raise HTTPException(409, "no")
        if then == "fail":
            raise RuntimeError("no")
        return [note.id, note.text]

    async def late(self, db: AsyncSession) -> Response:
        async def add() -> None:
            db.add(Note(text="late"))
            await db.flush()

        self.background(add)
        return Response("done")


class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    async def add(self, db: AsyncSession, text: str, then: str = "") -> str:
        """Add a note."""
        db.add(Note(text=text, follows=999 if then == "break" else None))
        await db.flush()
        if then == "fail":
            raise lazymcp.ToolError("no")
        return "added"


async def open_tables(engine: AsyncEngine) -> object:
    await create_tables(engine, Base.metadata)
    return object()


def dependencies(services: Services) -> None:
    services.add(object, open_tables)
    services.add(Ledger, Ledger, per_request=True)


def draw(routes: lazyapp.Routes) -> None:
    routes.post("/notes/late", NotesController.late)
    routes.resources("notes", NotesController, only=["index", "create"])


def register(ctx: lazyapp.AppContext, scope: lazymcp.Scope) -> None:
    scope.register(NotesMCP())


@pytest.fixture
def client(tmp_path: Path, database_url: str) -> Iterator[TestClient]:
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(database_url))
    app = lazyapp.App(Config(name="notes", drawer=draw, dependencies=dependencies, mcp=register), settings=settings)
    headers = {"accept": "application/json", "sec-fetch-site": "same-origin"}
    with TestClient(app, base_url="http://localhost:3000", headers=headers, raise_server_exceptions=False) as client:
        yield client


def texts(client: TestClient) -> list[str]:
    return [note["text"] for note in client.get("/notes").json()]


@pytest.mark.parametrize(("then", "status", "kept"), [("", 200, ["x"]), ("refuse", 409, []), ("fail", 500, []), ("break", 500, [])])
def test_what_a_request_wrote_is_kept_if_it_was_answered_well(client: TestClient, then: str, status: int, kept: list[str]) -> None:
    """docs/database.md: one request is one transaction. A commit that fails is answered as a failure."""
    assert client.post("/notes", params={"text": "x", "then": then}).status_code == status
    assert texts(client) == kept


@pytest.mark.parametrize(("then", "is_error", "kept"), [("", False, ["x"]), ("fail", True, []), ("break", True, [])])
def test_a_tool_call_is_one_transaction_too(client: TestClient, then: str, is_error: bool, kept: list[str]) -> None:
    """docs/database.md: one call of a tool is one transaction, with the services of the call in it."""
    params = {"name": "notes.add", "arguments": {"text": "x", "then": then}}
    version = {"mcp-protocol-version": "2025-11-25", "accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    result = client.post("/mcp", json=message, headers=version).json()["result"]
    assert bool(result.get("isError")) is is_error
    assert texts(client) == kept


def test_nothing_is_opened_for_who_does_not_ask(client: TestClient) -> None:
    """A connection of the pool is worth more than to be lent to a page that needs none."""
    opened: list[object] = []
    app: Any = client.app
    engine = app.services.get(AsyncEngine)
    sa.event.listen(engine.sync_engine, "checkout", lambda *each: opened.append(each))
    assert client.get("/nowhere").status_code == 404
    assert opened == []
    assert texts(client) == []
    assert len(opened) == 1


def test_a_session_that_is_used_after_its_request_says_so(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    """SQLAlchemy, "Session API", close_resets_only: a closed session begins anew, on a connection that nobody would give back."""
    assert client.post("/notes/late").text == "done"
    assert "NotesController.late" in caplog.text
    assert "permanently closed" in caplog.text
    app: Any = client.app
    assert app.services.get(AsyncEngine).pool.checkedout() == 0
    assert texts(client) == []
