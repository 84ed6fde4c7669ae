"""Requests that read and then write, at the same moment, on the database of the machine one develops on."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import Response
from pydantic import SecretStr
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

import lazyapp
import lazymcp
from lazyapp.config import Config
from lazyapp.database import AsyncEngine, AsyncSession, create_tables
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyapp.testing import Client, client
from lazymcp import tool

AT_ONCE = 6


class Base(DeclarativeBase):
    pass


class Counter(Base):
    __tablename__ = "counters"
    id: Mapped[int] = mapped_column(primary_key=True)
    value: Mapped[int]


async def one_more(db: AsyncSession) -> int:
    """As docs/database.md says: what is read to be changed is locked. Then something is done, and it is written."""
    counter = await db.get_one(Counter, 1, with_for_update=True)
    for _ in range(AT_ONCE):  # everybody else has his turn
        await asyncio.sleep(0.005)
    counter.value += 1
    await db.flush()
    return counter.value


class Counters:
    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine

    async def reset(self, number: int) -> None:
        async with self.engine.begin() as connection:
            await connection.execute(sa.update(Counter).values(value=number))


class CounterController(lazyapp.Controller):
    async def show(self, db: AsyncSession) -> Response:
        return Response(str((await db.get_one(Counter, 1)).value))

    async def more(self, db: AsyncSession) -> Response:
        return Response(str(await one_more(db)))

    async def careless(self, db: AsyncSession) -> Response:
        """Reads, does something, and writes, in a savepoint: its transaction begins with a read."""
        async with db.begin_nested():
            counter = await db.get_one(Counter, 1)
            for _ in range(AT_ONCE):
                await asyncio.sleep(0.005)
            counter.value = counter.value + 1
        return Response("counted")

    async def both(self, db: AsyncSession, counters: Counters) -> Response:
        """Reads in the request's transaction, and lets a service write in one of its own."""
        before = (await db.get_one(Counter, 1)).value
        await counters.reset(before + 10)
        return Response("reset")


class CounterMCP(lazymcp.Base):
    @tool
    async def more(self, db: AsyncSession) -> int:
        """Count one more."""
        return await one_more(db)


async def open_tables(engine: AsyncEngine) -> object:
    await create_tables(engine, Base.metadata)
    async with engine.begin() as connection:
        await connection.execute(sa.insert(Counter).values(id=1, value=0))
    return object()


def dependencies(services: Services) -> None:
    services.add(object, open_tables)
    services.add(Counters, Counters)


def draw(routes: lazyapp.Routes) -> None:
    routes.get("/counter", CounterController.show)
    routes.post("/counter", CounterController.more)
    routes.post("/careless", CounterController.careless)
    routes.post("/both", CounterController.both)


@pytest.fixture
async def shop(tmp_path: Path, sqlite_url: str) -> AsyncIterator[Client]:
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(sqlite_url))
    hooks: dict[str, Any] = {"drawer": draw, "dependencies": dependencies}
    app = lazyapp.App(Config(name="shop", mcp=lambda ctx, scope: scope.register(CounterMCP()), **hooks), settings=settings)
    async with client(app, raise_errors=False) as opened:
        yield opened


async def value(shop: Client) -> int:
    async with shop.app.services.get(AsyncEngine).connect() as connection:
        return int(await connection.scalar(sa.select(Counter.value)))


async def test_requests_that_lock_what_they_change_lose_nothing_and_fail_nowhere(shop: Client) -> None:
    """SQLite, "Transactions", 2.2, and docs/database.md. None is refused as "database is locked"."""
    pages = await asyncio.gather(*(shop.browser().post("/counter") for _ in range(AT_ONCE)))
    assert sorted((page.status, page.text) for page in pages) == [(200, str(number)) for number in range(1, AT_ONCE + 1)]
    assert await value(shop) == AT_ONCE


async def test_calls_of_tools_lose_nothing_either(shop: Client) -> None:
    """docs/database.md: one call of a tool is one transaction."""
    ai = shop.mcp()
    results = await asyncio.gather(*(ai.call("counter.more") for _ in range(AT_ONCE)))
    assert sorted(result.structured["result"] for result in results) == list(range(1, AT_ONCE + 1))
    assert await value(shop) == AT_ONCE


async def test_requests_that_read_first_and_write_then_are_never_refused(shop: Client) -> None:
    """docs/database.md: a savepoint begins a transaction, which would read, and be refused its write for what others wrote."""
    pages = await asyncio.gather(*(shop.browser().post("/careless") for _ in range(AT_ONCE)))
    assert [page.status for page in pages] == [200] * AT_ONCE


async def test_who_has_only_read_holds_up_nobody(shop: Client) -> None:
    """docs/database.md: a service over the engine has transactions of its own; a session beside it must not block them."""
    async with asyncio.timeout(10):
        assert (await shop.post("/both")).status == 200
    assert await value(shop) == 10


async def test_who_only_reads_waits_for_nobody(shop: Client) -> None:
    """SQLite, "Write-Ahead Logging": readers go on while one writes."""
    async with shop.app.services.get(AsyncEngine).connect() as writer:
        await writer.exec_driver_sql("BEGIN IMMEDIATE")
        async with asyncio.timeout(10):
            assert (await shop.get("/counter")).text == "0"
        await writer.rollback()


async def test_a_connection_without_transactions_is_left_without(shop: Client) -> None:
    """SQLAlchemy, "Setting Transaction Isolation Levels": AUTOCOMMIT. A lock there would never be given back."""
    engine = shop.app.services.get(AsyncEngine).execution_options(isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(sa.select(Counter.value).with_for_update())
        raw = await connection.get_raw_connection()
        assert raw.driver_connection is not None
        assert not raw.driver_connection.in_transaction
