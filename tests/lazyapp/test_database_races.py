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
    """As an application writes it that thinks of nobody else: read, do something, write."""
    counter = await db.get_one(Counter, 1)
    for _ in range(AT_ONCE):  # everybody else has his turn
        await asyncio.sleep(0.005)
    counter.value += 1
    await db.flush()
    return counter.value


class CounterController(lazyapp.Controller):
    async def show(self, db: AsyncSession) -> Response:
        return Response(str((await db.get_one(Counter, 1)).value))

    async def more(self, db: AsyncSession) -> Response:
        async with db.begin_nested():
            return Response(str(await one_more(db)))


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


def draw(routes: lazyapp.Routes) -> None:
    routes.get("/counter", CounterController.show)
    routes.post("/counter", CounterController.more)


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


async def test_requests_that_read_and_write_at_once_lose_nothing_and_fail_nowhere(shop: Client) -> None:
    """SQLite, "Transactions", 2.2, and docs/database.md: with a savepoint inside, too. None is refused as "database is locked"."""
    pages = await asyncio.gather(*(shop.browser().post("/counter") for _ in range(AT_ONCE)))
    assert sorted((page.status, page.text) for page in pages) == [(200, str(number)) for number in range(1, AT_ONCE + 1)]
    assert await value(shop) == AT_ONCE


async def test_calls_of_tools_lose_nothing_either(shop: Client) -> None:
    """docs/database.md: one call of a tool is one transaction."""
    ai = shop.mcp()
    results = await asyncio.gather(*(ai.call("counter.more") for _ in range(AT_ONCE)))
    assert sorted(result.structured["result"] for result in results) == list(range(1, AT_ONCE + 1))
    assert await value(shop) == AT_ONCE


async def test_who_only_reads_waits_for_nobody(shop: Client) -> None:
    """SQLite, "Write-Ahead Logging": readers go on while one writes. A GET takes no lock, so another's does not hold it up."""
    async with shop.app.services.get(AsyncEngine).connect() as writer:
        await writer.exec_driver_sql("BEGIN IMMEDIATE")
        async with asyncio.timeout(10):
            assert (await shop.get("/counter")).text == "0"
        await writer.rollback()
