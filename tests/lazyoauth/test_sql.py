"""What only the SQL store has: its table, several processes, and databases that say "again". The contract is in test_store.py."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyoauth import Rotation, SQLRefreshTokenStates, create_tables, jti, prepare_sqlite
from lazyoauth.sql import _listen, families, metadata
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import error_of, tokens_of

CODE = "1.0.cccccccccccccccccccccc"


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(database_url)
    yield engine
    await engine.dispose()


async def test_the_table_has_four_columns_and_nothing_secret(engine):
    """The seed: "the database stores only its family ID, current jti, expiry, and revocation flag"."""
    async with SQLRefreshTokenStates(engine) as states:
        await states.create(str(uuid.uuid4()), CODE, time.time() + 60)
    async with engine.connect() as connection:
        columns = await connection.run_sync(lambda sync: sa.inspect(sync).get_columns("lazyoauth_refresh_families"))
        row = (await connection.execute(sa.select(families))).one()
    assert [column["name"] for column in columns] == ["family_id", "current_jti", "expires_at", "revoked"]
    assert row.current_jti == CODE
    assert row.revoked is False
    assert abs(row.expires_at - time.time() - 60) < 5


async def test_processes_that_start_at_once_all_find_the_table(database_url):
    """Creation is under an advisory lock; without it, CREATE TABLE IF NOT EXISTS fails for some."""
    engines = [create_async_engine(database_url) for _ in range(6)]
    await asyncio.gather(*(create_tables(engine, metadata) for engine in engines))
    await asyncio.gather(*(create_tables(engine, metadata) for engine in engines))
    for engine in engines:
        await engine.dispose()


async def test_a_database_knows_whether_it_is_shared(engine):
    """What refuses several workers on a store that is not shared asks for this."""
    states = SQLRefreshTokenStates(engine)
    assert states.is_durable
    assert states.is_shared is (engine.dialect.name == "postgresql")


async def test_two_stores_on_one_database_never_both_win(database_url):
    """RFC 9700, section 4.14.2: five logins, 16 uses of one token each, from two connection pools."""
    engines = [create_async_engine(database_url) for _ in range(2)]
    async with SQLRefreshTokenStates(engines[0]) as one, SQLRefreshTokenStates(engines[1]) as other:
        for _ in range(5):
            family_id = str(uuid.uuid4())
            await one.create(family_id, CODE, time.time() + 60)
            uses = (store.rotate(family_id, CODE, jti.successor(CODE, jti.random_part())) for store in [one, other] * 8)
            outcomes = await asyncio.gather(*uses)
            assert [outcome.rotation for outcome in outcomes].count(Rotation.ROTATED) == 1
            assert not await other.is_active(family_id)
    for engine in engines:
        await engine.dispose()


async def test_forty_refreshes_with_one_token_have_one_winner(start: Start, engine):
    """RFC 9700, section 4.14.2, through HTTP: exactly one 200, and the login is dead afterwards."""
    async with SQLRefreshTokenStates(engine) as states:
        journey = start(refresh_token_states=states, now=time.time)
        first = await journey.login()
        answers = await asyncio.gather(*(journey.refresh(first.refresh_token) for _ in range(40)))
        winners = [answer for answer in answers if answer.status_code == 200]
        assert len(winners) == 1
        assert {error_of(answer) for answer in answers if answer.status_code != 200} == {(400, "invalid_grant")}
        winner = tokens_of(winners[0])
        assert error_of(await journey.refresh(winner.refresh_token)) == (400, "invalid_grant")
        assert (await journey.call(winner.access_token)).status_code == 401


async def test_fifty_exchanges_of_one_code_have_one_winner(start: Start, engine):
    """RFC 6749, section 4.1.2; https://github.com/1mcp-app/agent/issues/512."""
    async with SQLRefreshTokenStates(engine) as states:
        journey = start(refresh_token_states=states, now=time.time)
        code = await journey.code()
        answers = await asyncio.gather(*(journey.exchange(code) for _ in range(50)))
        assert [answer.status_code for answer in answers].count(200) == 1
        winner = tokens_of(next(answer for answer in answers if answer.status_code == 200))
        assert (await journey.call(winner.access_token)).status_code == 401


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


async def test_a_page_of_postgresql_has_room_for_rotations(postgres_url):
    """A rotation changes no indexed column, so with room in its page it costs no index entry (PostgreSQL, "Heap-Only Tuples")."""
    engine = create_async_engine(postgres_url)
    async with SQLRefreshTokenStates(engine), engine.connect() as connection:
        query = "SELECT reloptions FROM pg_class WHERE relname = 'lazyoauth_refresh_families'"
        assert (await connection.execute(sa.text(query))).scalar_one() == ["fillfactor=70"]
    await engine.dispose()


async def test_postgresql_needs_no_preparing(postgres_url):
    """An application need not ask which database it has."""
    engine = create_async_engine(postgres_url)
    prepare_sqlite(engine)
    async with engine.connect() as connection:
        assert (await connection.execute(sa.text("SELECT 1"))).scalar() == 1
    await engine.dispose()


async def test_what_the_database_asks_to_be_done_again_is_done_again(postgres_url):
    """PostgreSQL, "Serialization Failure Handling": at SERIALIZABLE whoever waited for a changed row gets error 40001."""
    settings = {"server_settings": {"default_transaction_isolation": "serializable"}}
    engine = create_async_engine(postgres_url, connect_args=settings)
    async with SQLRefreshTokenStates(engine) as states:
        family_id = str(uuid.uuid4())
        await states.create(family_id, CODE, time.time() + 60)
        async with engine.begin() as other:
            await other.execute(sa.update(families).values(revoked=False))
            rotation = asyncio.create_task(states.rotate(family_id, CODE, jti.successor(CODE, jti.random_part())))
            async with engine.connect() as watcher:
                while not (await watcher.execute(sa.text("SELECT 1 FROM pg_locks WHERE NOT granted"))).first():
                    await watcher.rollback()
        assert (await rotation).rotation is Rotation.ROTATED
    await engine.dispose()


async def test_an_error_of_the_database_is_not_swallowed(engine):
    """Contract, 6: nothing is known, so it is an exception and neither success nor theft."""
    states = SQLRefreshTokenStates(engine)
    for attempt in (
        states.create(str(uuid.uuid4()), CODE, 1.0),
        states.rotate(str(uuid.uuid4()), CODE, "1.1.x"),
        states.is_active(str(uuid.uuid4())),
    ):
        with pytest.raises(DBAPIError):
            await attempt


LISTENERS = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND query ~ '^(LISTEN|SELECT 1$)' AND pid <> pg_backend_pid()
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


async def test_what_one_process_revokes_another_knows_within_a_second(start: Start, pair):
    """Design, section 5: 100 logins, each seen alive by the second server a moment before; the 99th slowest counts."""
    here, there = (start(refresh_token_states=states, now=time.time) for states in pair[:2])
    families_there = there.server._issuers[0].families
    news = News(pair[1])
    took_s = []
    for _ in range(100):
        family_id = str(uuid.uuid4())
        await pair[0].create(family_id, CODE, time.time() + 60)
        assert await families_there.is_active(family_id)
        began = time.perf_counter()
        assert await here.server.revoke(family_id)
        assert await news.next() == family_id
        took_s.append(time.perf_counter() - began)
        assert not await families_there.is_active(family_id)
    assert sorted(took_s)[98] < 1


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
    monkeypatch.setattr("lazyoauth.sql._RETRY_S", 0.01)
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
    monkeypatch.setattr("lazyoauth.sql._ASK_AFTER_S", 0.01)
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
    monkeypatch.setattr("lazyoauth.sql._RETRY_S", 0.001)
    engine = create_async_engine("postgresql+asyncpg://user:hush@127.0.0.1:1/none")
    listening = asyncio.create_task(_listen(engine, print))
    while caplog.text.count("arrive late") < 3:
        await asyncio.sleep(0.001)
    listening.cancel()
    await asyncio.wait([listening])
    assert listening.cancelled()
    assert "ConnectionRefusedError" in caplog.text or "OSError" in caplog.text
    assert "hush" not in caplog.text
    await engine.dispose()
