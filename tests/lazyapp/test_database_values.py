"""Values that no database can hold."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from starlette.testclient import TestClient

import lazyapp
from lazyapp.config import Config
from lazyapp.database import AsyncEngine, AsyncSession, create_tables
from lazyapp.database_values import cannot_be_held
from lazyapp.services import Services
from lazyapp.settings import Settings


class Base(DeclarativeBase):
    pass


class Note(Base):
    __tablename__ = "notes"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]
    count: Mapped[int]


class NotesController(lazyapp.Controller):
    async def show(self, db: AsyncSession, id: int) -> list[Any]:
        return [(await db.get_one(Note, id)).text]

    async def create(self, db: AsyncSession, text: str, count: int = 0) -> list[Any]:
        db.add(Note(text=text, count=count))
        await db.flush()
        found = await db.scalars(sa.select(Note.text))
        return list(found)

    async def wrong(self, db: AsyncSession) -> list[Any]:
        return [await db.scalar(sa.text("SELECT nothing FROM nowhere"))]


async def open_tables(engine: AsyncEngine) -> object:
    await create_tables(engine, Base.metadata)
    return object()


def dependencies(services: Services) -> None:
    services.add(object, open_tables)


def draw(routes: lazyapp.Routes) -> None:
    routes.get("/notes/wrong", NotesController.wrong)
    routes.resources("notes", NotesController, only=["show", "create"])


@pytest.fixture
def client(tmp_path: Path, database_url: str) -> Iterator[TestClient]:
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(database_url))
    app = lazyapp.App(Config(name="notes", drawer=draw, dependencies=dependencies), settings=settings)
    headers = {"accept": "application/json", "sec-fetch-site": "same-origin"}
    with TestClient(app, base_url="http://localhost:3000", headers=headers, raise_server_exceptions=False) as client:
        yield client


def test_a_number_that_no_row_can_have_names_no_page(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever writes twenty digits into an address has found no fault of ours. Parameters of a statement are in no log."""
    assert client.get(f"/notes/{10**20}").status_code == 404
    told = [record.getMessage().partition(": ")[2] for record in caplog.records if record.name == "lazyapp"]
    assert [text for text in told if "cannot hold" in text and str(10**20) not in text]


def test_what_cannot_be_kept_is_told_and_nothing_is_kept(client: TestClient) -> None:
    """PostgreSQL keeps no NUL in a text (its documentation, 8.3); no database keeps every number that JSON can say."""
    answer = client.post("/notes", params={"text": "x", "count": 10**20})
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "A value is larger than can be kept, or has a character that cannot be.",
    )
    assert client.post("/notes", params={"text": "a\0b"}).status_code in (200, 422)  # SQLite keeps it
    assert "x" not in client.post("/notes", params={"text": "y"}).json()


def test_any_other_error_of_a_database_is_a_failure(client: TestClient) -> None:
    assert client.get("/notes/wrong").status_code == 500


def test_an_overflow_of_our_own_is_none_of_these() -> None:
    assert not cannot_be_held(OverflowError("math range error"))
    assert not cannot_be_held(ValueError("value out of int32 range"))
