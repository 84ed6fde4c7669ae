"""The connections that rotate: how many, what becomes of a broken one, and that the pool has no part in it."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from lazyoauth import Rotation, SQLRefreshTokenStates, jti
from lazyoauth.lanes_sql import LANES, Lanes
from lazyoauth.sql import families
from lazyoauth.sql_engine import Instant

NAMED, SLEEP = sa.text("SELECT pg_backend_pid(), :name ::text").bindparams(name=""), sa.text("SELECT pg_sleep(5)")
OTHERS = sa.text(
    "SELECT pid FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
LOCK = sa.text("SELECT pg_advisory_xact_lock(1)")
WAITING = sa.text(
    "SELECT count(*) FROM pg_locks JOIN pg_database ON oid = database "
    "WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()"
)
TERMINATE = sa.text("SELECT pg_terminate_backend(:pid, 5000)")


@pytest.fixture
async def engine(postgres_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(postgres_url)
    yield engine
    await engine.dispose()


@pytest.fixture
async def lanes(engine: AsyncEngine) -> AsyncIterator[Lanes]:
    lanes = Lanes(engine)
    yield lanes
    await lanes.close()


async def others(engine: AsyncEngine) -> list[int]:
    """The connections to this database, without the one that asks."""
    async with engine.connect() as connection:
        return list(await connection.scalars(OTHERS))


async def test_times_go_there_and_back_to_the_microsecond(lanes):
    """The end of a family is compared with the database's clock."""
    statement = sa.select(sa.bindparam("end", type_=Instant), sa.bindparam("name", type_=sa.Text))
    row = await lanes.first(statement, {"name": "x", "end": 1_800_000_000.25})
    assert (row[0].timestamp(), row[1]) == (1_800_000_000.25, "x")


async def test_no_row_is_none(lanes):
    """How a rotation learns that another was first."""
    assert await lanes.first(sa.select(sa.true()).where(sa.false()), {}) is None


async def test_many_at_once_share_a_few_connections(engine, lanes):
    """A process of thousands of logins holds few connections of a database that has a hundred."""
    pids = await asyncio.gather(*(lanes.first(NAMED, {"name": str(number)}) for number in range(50)))
    assert [row[1] for row in pids] == [str(number) for number in range(50)]
    assert len({row[0] for row in pids}) <= LANES
    assert {row[0] for row in pids} == set(await others(engine))


async def test_a_full_pool_does_not_hold_them_up(postgres_url):
    """An application whose actions wait for each other's connections still answers refreshes."""
    # While the listener connects it has the one place, on a busy machine for longer than a moment.
    engine = create_async_engine(postgres_url, pool_size=1, max_overflow=0, pool_timeout=10)
    async with SQLRefreshTokenStates(engine) as states:
        family_id, code = str(uuid.uuid4()), "2.0.cccccccccccccccccccccc"
        await states.create(family_id, code, time.time() + 60)
        first = await states.rotate(family_id, code, jti.successor(code, jti.random_part()))
        async with engine.connect():
            following = jti.successor(first.current_jti, jti.random_part())
            assert (await states.rotate(family_id, first.current_jti, following)).rotation is Rotation.ROTATED
    await engine.dispose()


async def test_a_connection_that_the_server_ended_is_replaced(engine, lanes):
    """PostgreSQL was restarted while nobody refreshed."""
    (pid, _) = await lanes.first(NAMED, {"name": ""})
    async with engine.connect() as connection:
        await connection.execute(TERMINATE, {"pid": pid})
    assert (await lanes.first(NAMED, {"name": ""}))[0] != pid


async def test_a_cancelled_statement_gives_its_connection_up(lanes):
    """A client that hangs up never gets the answer to another's statement."""
    before = {(await lanes.first(NAMED, {"name": ""}))[0]}
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await lanes.first(SLEEP, {})
    pid, name = await lanes.first(NAMED, {"name": "next"})
    assert name == "next"
    assert pid not in before


async def test_a_failed_statement_leaves_the_others_alone(lanes):
    """An error of the database is told, and the next statement runs."""
    with pytest.raises(Exception, match="division by zero"):
        await lanes.first(sa.text("SELECT 1/0"), {})
    assert (await lanes.first(NAMED, {"name": "next"}))[1] == "next"


async def test_closing_ends_them_all_those_at_work_too(engine):
    """A shutdown waits for the answers that are under way, and leaves no connection to the collector."""
    lanes = Lanes(engine)
    await asyncio.gather(*(lanes.first(NAMED, {"name": ""}) for _ in range(LANES)))
    working = asyncio.create_task(lanes.first(sa.text("SELECT pg_sleep(0.3), 'done'"), {}))
    await asyncio.sleep(0.05)
    await lanes.close()
    assert (await working)[1] == "done"
    async with asyncio.timeout(10):
        while await others(engine):
            await asyncio.sleep(0.05)


async def waiting(connection: AsyncConnection) -> int:
    """How many connections to this database wait for a lock."""
    return int(await connection.scalar(WAITING) or 0)


async def test_a_statement_that_is_given_up_does_not_wait_on_in_the_database(engine, lanes):
    """PostgreSQL notices a lost client when it next writes to it; until then, statements that wait for a lock pile up.

    https://www.postgresql.org/docs/current/runtime-config-connection.html, client_connection_check_interval: off by default.
    """
    watching = create_async_engine(engine.url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    async with watching.connect() as watcher, engine.begin() as holder:
        await holder.execute(LOCK)
        for _ in range(2):
            refresh = asyncio.create_task(lanes.first(LOCK, {}))
            async with asyncio.timeout(10):
                while not await waiting(watcher):
                    await asyncio.sleep(0.01)
            # Twice, as a task group does that is cancelled.
            refresh.cancel()
            await asyncio.sleep(0)
            refresh.cancel()
            with pytest.raises(asyncio.CancelledError):
                await refresh
            async with asyncio.timeout(10):
                while await waiting(watcher):
                    await asyncio.sleep(0.01)


async def test_what_a_listener_of_the_application_began_is_committed(postgres_url):
    """`connect` and `checkout` are where applications set a time zone or a role, and not all of them commit it."""
    engine = create_async_engine(postgres_url, poolclass=NullPool)
    event.listen(engine.sync_engine, "checkout", _set_time_zone)
    async with SQLRefreshTokenStates(engine) as states:
        family_id, code = str(uuid.uuid4()), "2.0.cccccccccccccccccccccc"
        await states.create(family_id, code, time.time() + 60)
        rotated = await states.rotate(family_id, code, jti.successor(code, jti.random_part()))
        async with engine.connect() as connection:
            assert await connection.scalar(sa.select(families.c.current_jti)) == rotated.current_jti


def _set_time_zone(connection: Any, *_: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("SET TIME ZONE 'Europe/Berlin'")
    cursor.close()
