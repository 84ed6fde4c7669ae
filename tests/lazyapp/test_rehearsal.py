"""A start for a look: `lazyapp check` is a command that reads."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import create_async_engine

import lazyapp
from lazyapp.config import Config
from lazyapp.database import AsyncEngine, sqlite_file
from lazyapp.migrations import FRAMEWORK
from lazyapp.services import Services
from lazyapp.settings import Settings
from tests.lazyapp.test_migrations import write

ONE = "op.create_table('notes', sa.Column('id', sa.Integer, primary_key=True))"
PENDING = [*(f"framework {each.revision}" for each in FRAMEWORK.read()), "application a"]


async def open_notes(engine: AsyncEngine) -> AsyncIterator[object]:
    async with engine.begin() as connection:
        await connection.execute(sa.text("INSERT INTO notes (id) VALUES (7)"))
    yield object()


def depend(services: Services) -> None:
    services.add(object, open_notes)


def make(folder: Path, env: str, url: str | None = None, **settings: Any) -> lazyapp.App:
    write(folder / "migrations", "a", does=ONE)
    values = {"env": env, "root": folder, "database_url": SecretStr(url) if url else None} | settings
    config = Config(name="shop", migrations=folder / "migrations", dependencies=depend)
    return lazyapp.App(config, settings=Settings(**values))


def in_file(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name FROM sqlite_master").fetchall()


async def test_development_is_looked_at_in_a_copy(tmp_path: Path) -> None:
    """docs/services.md: what is pending is told and tried, what services write is written there, and nothing is left behind."""
    app = make(tmp_path, "development")
    async with app.rehearsed() as rehearsal:
        assert (list(rehearsal.pending), rehearsal.can_start) == (PENDING, True)
        async with app.router.lifespan_context(app):
            assert await app.services.check() == {"migrations": None}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["migrations"]


async def test_a_database_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    """What it holds is in the copy, for a migration must be tried on what there is."""
    path = tmp_path / "own.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (id INTEGER)")
    app = make(tmp_path, "development", f"sqlite+aiosqlite:///{path}")
    async with app.rehearsed() as rehearsal:
        assert list(rehearsal.pending) == PENDING
        with pytest.raises(lazyapp.StartupError, match="table notes already exists"):
            async with app.router.lifespan_context(app):
                pass
    assert in_file(path) == [("notes",)]
    assert app.settings.database_url == SecretStr(f"sqlite+aiosqlite:///{path}")


async def test_elsewhere_what_is_pending_ends_the_look(tmp_path: Path, database_url: str) -> None:
    """LAZYAPP_MIGRATE=auto lets a start migrate, and no look. Here as production, on PostgreSQL and on SQLite."""
    app = make(tmp_path, "production", database_url, secret_key=SecretStr("k" * 40), migrate="auto")
    async with app.rehearsed() as rehearsal:
        assert (list(rehearsal.pending), rehearsal.can_start) == (PENDING, False)
        with pytest.raises(lazyapp.ConfigurationError, match="The database lacks "):
            async with app.router.lifespan_context(app):
                pass
    engine = create_async_engine(database_url)
    async with engine.connect() as connection:
        assert await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names()) == []
    await engine.dispose()


async def test_a_test_has_a_database_of_its_own(tmp_path: Path) -> None:
    """docs/testing.md: it is gone afterwards, so everything may be done in it."""
    app = make(tmp_path, "test")
    async with app.rehearsed() as rehearsal:
        assert (list(rehearsal.pending), rehearsal.can_start) == ([], True)
        async with app.router.lifespan_context(app):
            pass


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:////tmp/a.db", Path("/tmp/a.db")),
        ("sqlite://", None),
        ("sqlite:///:memory:", None),
        ("sqlite:///file:a.db?mode=ro&uri=true", None),
        ("postgresql://a:b@c/d", None),
    ],
)
def test_which_databases_are_files(tmp_path: Path, url: str, file: Path | None) -> None:
    """SQLAlchemy, "SQLite: Connect Strings"."""
    assert sqlite_file(Settings(env="development", root=tmp_path, database_url=SecretStr(url))) == file
