"""The engine: from DATABASE_URL, or a file where none is set; closed with its run."""

import asyncio
import logging
from pathlib import Path

import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyapp import database
from lazyapp.database import opened_engine, shown_url
from lazyapp.errors import ConfigurationError
from lazyapp.secret_words import MASK
from lazyapp.settings import Settings


async def ask(engine: AsyncEngine, statement: str) -> object:
    async with engine.connect() as connection:
        return (await connection.execute(sa.text(statement))).scalar()


async def test_making_the_engine_opens_nothing_and_development_keeps_its_file(tmp_path: Path) -> None:
    async with opened_engine(Settings(env="development", root=tmp_path)) as engine:
        assert not (tmp_path / ".lazyapp" / "app.db").exists()
        assert await ask(engine, "SELECT 7") == 7
    assert (tmp_path / ".lazyapp" / "app.db").exists()


async def test_a_cancellation_while_the_engine_is_closed_does_not_cut_that_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that is told to end while it closes what a failed start had open: the pool would log a traceback."""

    async def run() -> None:
        async with opened_engine(Settings(env="development", root=tmp_path)) as engine:
            sa.event.listen(engine.sync_engine, "close", lambda *_: running.cancel())
            await ask(engine, "SELECT 7")

    running = asyncio.create_task(run())
    with pytest.raises(asyncio.CancelledError):
        await running
    assert "closing connection" not in caplog.text


async def test_under_test_the_database_is_gone_afterwards(tmp_path: Path) -> None:
    async with opened_engine(Settings(env="test", root=tmp_path)) as engine:
        assert await ask(engine, "SELECT 7") == 7
        file = Path(str(engine.url.database))
        assert file.exists()
    assert not file.exists()
    assert list(tmp_path.iterdir()) == []


async def test_what_a_statement_carries_is_in_no_error_and_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """SQLAlchemy, "Engine Configuration", hide_parameters: even where its own loggers are set to DEBUG."""
    caplog.set_level(logging.DEBUG, "sqlalchemy.engine")
    async with opened_engine(Settings(env="test", root=tmp_path)) as engine, engine.connect() as connection:
        with pytest.raises(sa.exc.OperationalError) as caught:
            await connection.execute(sa.text("INSERT INTO nowhere VALUES (:hash)"), {"hash": "the-hash-of-a-password"})
    assert "INSERT INTO nowhere" in caplog.text
    assert "the-hash-of-a-password" not in caplog.text + str(caught.value)


async def test_sqlite_lets_readers_go_on_and_writers_wait(tmp_path: Path) -> None:
    """SQLite, "Write-Ahead Logging" and "PRAGMA busy_timeout"."""
    async with opened_engine(Settings(env="development", root=tmp_path)) as engine:
        assert await ask(engine, "PRAGMA journal_mode") == "wal"
        assert await ask(engine, "PRAGMA synchronous") == 2
        assert await ask(engine, "PRAGMA foreign_keys") == 1
        async with engine.begin() as connection:
            await connection.execute(sa.text("CREATE TABLE t (n INTEGER)"))

        async def add(number: int) -> None:
            async with engine.begin() as connection:
                await connection.execute(sa.text("INSERT INTO t VALUES (:n)"), {"n": number})

        await asyncio.gather(*(add(number) for number in range(40)))
        assert await ask(engine, "SELECT count(*) FROM t") == 40


async def test_postgresql_is_reached_through_asyncpg(postgres_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url=SecretStr(postgres_url), root=tmp_path)
    async with opened_engine(settings) as engine:
        assert engine.url.drivername == "postgresql+asyncpg"
        assert str(await ask(engine, "SHOW server_version")).startswith("1")


async def test_a_silent_postgresql_becomes_an_error(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement that nobody waits for any more is ended by the server, not carried out later."""
    options = database._OPTIONS["postgresql"] | {
        "connect_args": {"command_timeout": 0.5, "server_settings": {"statement_timeout": "200"}}
    }
    monkeypatch.setattr(database, "_OPTIONS", {"postgresql": options})
    async with opened_engine(Settings(database_url=SecretStr(postgres_url), root=tmp_path)) as engine:
        with pytest.raises(sa.exc.DBAPIError, match="statement timeout"):
            await ask(engine, "SELECT pg_sleep(30)")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("not a url hunter2", "DATABASE_URL cannot be read"),
        ("postgresql://u:hunter2@h:notaport/x", "DATABASE_URL cannot be read"),
        ("mysql://a:hunter2@h/d", "names the driver mysql, which lazyapp does not use"),
    ],
)
async def test_an_address_that_cannot_be_used_is_refused_without_its_password(tmp_path: Path, url: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence) as refused:
        async with opened_engine(Settings(database_url=SecretStr(url), root=tmp_path)):
            pass
    assert "hunter2" not in str(refused.value)


async def test_the_pool_has_the_size_that_was_said(tmp_path: Path) -> None:
    """docs/database.md, "Connections". SQLite has none, and takes no notice."""
    sizes = {"database_pool_size": 2, "database_max_overflow": 1, "root": tmp_path}
    async with opened_engine(Settings.model_validate({**sizes, "database_url": "postgresql://u@127.0.0.1:1/none"})) as engine:
        pool = engine.sync_engine.pool
        assert isinstance(pool, sa.QueuePool)
        assert (pool.size(), pool._max_overflow) == (2, 1)
    async with opened_engine(Settings.model_validate({**sizes, "env": "test"})) as engine:
        assert await ask(engine, "SELECT 7") == 7


def test_an_address_is_shown_without_its_password_whether_it_can_be_used_or_not() -> None:
    """RFC 3986, section 3.2.1: a password in clear text should not be shown."""
    assert (
        shown_url("postgresql+asyncpg://shop:one two@db/shop?ssl=require")
        == f"postgresql+asyncpg://shop:{MASK}@db/shop?ssl=require"
    )
    assert shown_url("postgresql://shop:one@db:port/shop") == f"postgresql://shop:{MASK}@db:port/shop"
    assert shown_url("shop") == "shop"
