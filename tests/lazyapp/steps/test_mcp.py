"""The step "mcp": one scope for the application's modules, and one server of the processes that share a database."""

import asyncio
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import create_async_engine

import lazymcp
from lazyapp.config import AppContext
from lazyapp.settings import Settings
from lazyapp.startup import started
from lazymcp import tool
from lazymcp.sql import PostgresBus
from lazymcp.task_sql import SQLTasks
from lazymcp.task_store import MemoryTasks
from tests.lazyapp.planned import plan, register


class NewsMCP(lazymcp.Base):
    """Tells what changed."""

    def __init__(self, scope: lazymcp.Scope) -> None:
        self.scope = scope

    @tool
    async def sell(self) -> str:
        """Sell one."""
        await self.scope.notify_resource_updated("stock://tea")
        return "sold"


async def test_modules_and_hooks_find_the_scope_that_is_served_by_its_type(tmp_path: Path) -> None:
    """docs/subscriptions.md: whoever changes something tells it by the scope that clients listen to."""
    built: list[NewsMCP] = []

    def mcp(ctx: AppContext, scope: lazymcp.Scope) -> None:
        assert ctx.get(lazymcp.Scope) is scope
        built.append(ctx.services.build(NewsMCP))
        scope.register(*built)

    started_plan = plan(mcp=mcp)
    async with started(started_plan, Settings(env="test", root=tmp_path)) as running:
        assert built[0].scope is running.mcp
        assert started_plan.services.get(lazymcp.Scope) is running.mcp


async def test_on_postgresql_the_processes_of_an_application_hear_each_other(tmp_path: Path, postgres_url: str) -> None:
    """Design 3, "Scales by adding processes": NOTIFY for news."""
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(postgres_url))
    heard: asyncio.Queue[Any] = asyncio.Queue()
    async with started(plan(mcp=register), settings) as one, started(plan(mcp=register), settings) as two:
        assert one.mcp is not None
        assert two.mcp is not None
        bus = two.mcp.options.bus
        assert isinstance(bus, PostgresBus)
        bus.listen("news", heard.put_nowait)
        await one.mcp.notify_tools_changed()
        assert await asyncio.wait_for(heard.get(), 10) == {"kind": "tools"}
    assert not bus.is_open


async def test_a_local_process_is_on_the_bus_too(tmp_path: Path, postgres_url: str) -> None:
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(postgres_url))
    async with started(plan(mcp=register), settings, web=False) as running:
        assert running.mcp is not None
        assert isinstance(running.mcp.options.bus, PostgresBus)
        assert running.mcp.options.bus.is_open


async def listening(url: str) -> int:
    """How many connections of the database do nothing but listen."""
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'"
        found = int(await connection.scalar(sa.text(asked)) or 0)
    await engine.dispose()
    return found


async def test_without_mcp_modules_no_bus_is_opened(tmp_path: Path, postgres_url: str) -> None:
    """PostgreSQL, "pg_stat_activity": a connection tells what it was asked last. Each that is kept counts (max_connections)."""
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(postgres_url))
    async with started(plan(), settings) as running:
        assert running.mcp is None
        assert await listening(postgres_url) == 0
    async with started(plan(mcp=register), settings):
        assert await listening(postgres_url) == 1


async def test_on_sqlite_an_application_is_one_process_for_news_and_its_tasks_are_kept(tmp_path: Path) -> None:
    async with started(plan(mcp=register), Settings(env="test", root=tmp_path)) as running:
        assert running.mcp is not None
        assert running.mcp.options.bus is None
        assert isinstance(running.mcp.options.tasks, SQLTasks)


async def test_an_application_may_bring_a_bus_and_a_store_of_tasks(tmp_path: Path, postgres_url: str) -> None:
    bus, tasks = lazymcp.MemoryBus(), MemoryTasks()
    given = lazymcp.Options(bus=bus, tasks=tasks)
    settings = Settings(env="test", root=tmp_path, database_url=SecretStr(postgres_url))
    async with started(plan(mcp=register, mcp_options=given), settings) as running:
        assert running.mcp is not None
        assert running.mcp.options.bus is bus
        assert running.mcp.options.tasks is tasks
