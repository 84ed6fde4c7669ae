"""What one process revokes, the others hear."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyoauth import SQLRefreshTokenStates
from lazyoauth.news_sql import listen
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import error_of, tokens_of

CODE = "1.0.cccccccccccccccccccccc"

LISTENERS = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND query ~ '^(LISTEN|SELECT 1$)' AND state = 'idle' AND pid <> pg_backend_pid()
"""


async def listeners(engine: AsyncEngine, count: int) -> set[int]:
    """The server's processes that listen, as soon as there are so many."""
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        while True:
            found = set((await connection.execute(sa.text(LISTENERS))).scalars())
            if len(found) == count:
                return found


class News:
    """What a store tells, to be waited for."""

    def __init__(self, states: SQLRefreshTokenStates) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()
        states.on_revoked(self.heard.put_nowait)

    async def next(self) -> str:
        return await asyncio.wait_for(self.heard.get(), 10)


@pytest.fixture
async def pair(postgres_url: str) -> AsyncIterator[tuple[SQLRefreshTokenStates, SQLRefreshTokenStates, AsyncEngine]]:
    """Two stores on one PostgreSQL, as two processes have them, both listening, and the engine of the second."""
    engines = [create_async_engine(postgres_url) for _ in range(2)]
    async with SQLRefreshTokenStates(engines[0]) as one, SQLRefreshTokenStates(engines[1]) as other:
        await listeners(engines[1], 2)
        yield one, other, engines[1]
    for engine in engines:
        await engine.dispose()


async def test_what_one_process_revokes_another_does_not_let_in_any_more(start: Start, pair):
    """Design, section 5: seen alive by the second server a moment before. How soon is measured by benchmarks/bearer.py."""
    here, there = (start(refresh_token_states=states, now=time.time) for states in pair[:2])
    families_there = there.server._issuers[0].families
    news = News(pair[1])
    for _ in range(3):
        family_id = str(uuid.uuid4())
        await pair[0].create(family_id, CODE, time.time() + 60)
        assert await families_there.is_active(family_id)
        assert await here.server.revoke(family_id)
        assert await news.next() == family_id
        assert not await families_there.is_active(family_id)


async def test_a_login_that_a_replay_ends_is_dead_in_every_process(start: Start, pair):
    """RFC 9700, section 4.14.2, through HTTP; a revocation that changes nothing is no news."""
    here, there = (start(refresh_token_states=states, now=time.time) for states in pair[:2])
    news = News(pair[1])
    login = await here.login()
    second = tokens_of(await here.refresh(login.refresh_token))
    assert (await there.call(second.access_token)).status_code == 200
    assert error_of(await here.refresh(login.refresh_token)) == (400, "invalid_grant")
    ended = await news.next()
    assert (await there.call(second.access_token)).status_code == 401
    assert not await pair[0].revoke(ended)
    last = str(uuid.uuid4())
    await pair[0].create(last, CODE, time.time() + 60)
    assert await pair[0].revoke(last)
    assert await news.next() == last


async def test_who_lost_the_connection_listens_again(pair, caplog, monkeypatch):
    """A restart of the database costs news, and only for as long as it takes."""
    monkeypatch.setattr("lazyauth.news_sql._RETRY_S", 0.01)
    one, other, engine = pair
    before = await listeners(engine, 2)
    async with engine.begin() as connection:
        for pid in before:
            await connection.execute(sa.select(sa.func.pg_terminate_backend(pid)))
    while (await listeners(engine, 2)) & before:
        pass
    assert "the connection was closed" in caplog.text
    news = News(other)
    family_id = str(uuid.uuid4())
    await one.create(family_id, CODE, time.time() + 60)
    assert await one.revoke(family_id)
    assert await news.next() == family_id


async def test_a_listener_asks_whether_its_connection_is_alive(postgres_url, monkeypatch):
    """A connection that a firewall forgot says nothing; it takes no place in the pool, and is gone when the store is closed."""
    monkeypatch.setattr("lazyauth.news_sql._ASK_AFTER_S", 0.01)
    engine, watcher = create_async_engine(postgres_url, pool_size=1, max_overflow=0), create_async_engine(postgres_url)
    async with SQLRefreshTokenStates(engine) as states:
        news = News(states)
        async with watcher.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            asked = sa.text(LISTENERS.replace("LISTEN|", ""))
            while not (await connection.execute(asked)).first():
                pass
        family_id = str(uuid.uuid4())
        await states.create(family_id, CODE, time.time() + 60)
        assert await states.revoke(family_id)
        assert await news.next() == family_id
    assert [task.get_name() for task in asyncio.all_tasks() if "lazyoauth" in task.get_name()] == []
    await engine.dispose()
    await listeners(watcher, 0)
    await watcher.dispose()


async def test_a_database_that_is_away_is_tried_again_and_closing_does_not_wait(caplog, monkeypatch):
    """Each time after a longer pause; the log names the reason and no password."""
    monkeypatch.setattr("lazyauth.news_sql._RETRY_S", 0.001)
    engine = create_async_engine("postgresql+asyncpg://user:hush@127.0.0.1:1/none")
    listening = asyncio.create_task(listen(engine, print))
    while caplog.text.count("arrive late") < 3:
        await asyncio.sleep(0.001)
    listening.cancel()
    await asyncio.wait([listening])
    assert listening.cancelled()
    assert "ConnectionRefusedError" in caplog.text or "OSError" in caplog.text
    assert "hush" not in caplog.text
    await engine.dispose()
