"""What every table of this framework has in common."""

import asyncio

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyoauth import SQLRefreshTokenStates, create_tables, prepare_sqlite
from lazyoauth.sql import metadata


async def test_processes_that_start_at_once_all_find_the_table(database_url):
    """Creation is under an advisory lock; without it, CREATE TABLE IF NOT EXISTS fails for some."""
    engines = [create_async_engine(database_url) for _ in range(6)]
    await asyncio.gather(*(create_tables(engine, metadata) for engine in engines))
    await asyncio.gather(*(create_tables(engine, metadata) for engine in engines))
    for engine in engines:
        await engine.dispose()


async def pragmas(engine: AsyncEngine) -> dict[str, object]:
    names = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
    async with engine.connect() as connection:
        return {name: (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar() for name in names}


SAFE = {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 15_000, "foreign_keys": 1}


async def test_sqlite_keeps_what_it_answered(sqlite_url):
    """A power cut must not turn a client's newest token into a replay."""
    engine = create_async_engine(sqlite_url)
    async with SQLRefreshTokenStates(engine):
        assert await pragmas(engine) == SAFE
    await engine.dispose()


async def test_an_application_prepares_its_own_engine_the_same_way(sqlite_url):
    """It and the store may each ask for it; every new connection is prepared, and once."""
    engine = create_async_engine(sqlite_url)
    prepare_sqlite(engine)
    listeners = len(engine.sync_engine.pool.dispatch.connect)
    prepare_sqlite(engine)
    SQLRefreshTokenStates(engine)
    assert len(engine.sync_engine.pool.dispatch.connect) == listeners
    async with engine.connect() as first:
        await first.exec_driver_sql("SELECT 1")
        assert await pragmas(engine) == SAFE, "on a second connection"
    await engine.dispose()


async def test_postgresql_needs_no_preparing(postgres_url):
    """An application need not ask which database it has."""
    engine = create_async_engine(postgres_url)
    prepare_sqlite(engine)
    async with engine.connect() as connection:
        assert (await connection.execute(sa.text("SELECT 1"))).scalar() == 1
    await engine.dispose()
