"""What only the SQL store has: its table, several processes, and databases that say "again". The contract is in test_store.py."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyoauth import Rotation, SQLRefreshTokenStates, jti
from lazyoauth.sql import _PURGE_LOCK, families
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import error_of, tokens_of

CODE = "1.0.cccccccccccccccccccccc"


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(database_url)
    yield engine
    await engine.dispose()


async def test_the_table_has_four_columns_and_nothing_secret(engine):
    """Promised: "the database stores only its family ID, current jti, expiry, and revocation flag"."""
    async with SQLRefreshTokenStates(engine) as states:
        await states.create(str(uuid.uuid4()), CODE, time.time() + 60)
    async with engine.connect() as connection:
        columns = await connection.run_sync(lambda sync: sa.inspect(sync).get_columns("lazyoauth_refresh_families"))
        row = (await connection.execute(sa.select(families))).one()
    assert [column["name"] for column in columns] == ["family_id", "current_jti", "expires_at", "revoked"]
    assert row.current_jti == CODE
    assert row.revoked is False
    assert abs(row.expires_at - time.time() - 60) < 5


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


async def test_a_page_of_postgresql_has_room_for_rotations(postgres_url):
    """A rotation changes no indexed column, so with room in its page it costs no index entry (PostgreSQL, "Heap-Only Tuples")."""
    engine = create_async_engine(postgres_url)
    async with SQLRefreshTokenStates(engine), engine.connect() as connection:
        query = "SELECT reloptions FROM pg_class WHERE relname = 'lazyoauth_refresh_families'"
        assert (await connection.execute(sa.text(query))).scalar_one() == ["fillfactor=70"]
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


async def test_while_one_process_purges_another_does_not(postgres_url):
    """One of them is enough, and two would wait for each other's rows (PostgreSQL, "Advisory Locks")."""
    engine = create_async_engine(postgres_url)
    async with SQLRefreshTokenStates(engine) as states:
        await states.create(str(uuid.uuid4()), CODE, time.time() - 60)
        async with engine.begin() as other:
            await other.execute(sa.select(sa.func.pg_advisory_xact_lock(_PURGE_LOCK)))
            assert await states.purge(time.time()) == 0
        assert await states.purge(time.time()) == 1
    await engine.dispose()


async def test_a_family_that_is_being_used_does_not_hold_up_a_purge(postgres_url):
    """SKIP LOCKED: what somebody holds is forgotten the next time."""
    engine = create_async_engine(postgres_url)
    async with SQLRefreshTokenStates(engine) as states:
        held, free = str(uuid.uuid4()), str(uuid.uuid4())
        for family_id in (held, free):
            await states.create(family_id, CODE, time.time() - 60)
        async with engine.begin() as other:
            await other.execute(sa.select(families).where(families.c.family_id == held).with_for_update())
            assert await states.purge(time.time()) == 1
        assert await states.purge(time.time()) == 1
    await engine.dispose()


async def test_more_than_a_batch_is_purged_in_one_call(engine, monkeypatch):
    """Each batch is a transaction of its own, so none holds its locks for long."""
    monkeypatch.setattr("lazyoauth.sql._PURGE_BATCH", 3)
    async with SQLRefreshTokenStates(engine) as states:
        for _ in range(7):
            await states.create(str(uuid.uuid4()), CODE, time.time() - 60)
        assert await states.purge(time.time()) == 7


END_ALL_OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


async def test_connections_that_break_under_load_end_no_login(start: Start, postgres_url, caplog):
    """Contract, 6: each refresh succeeds or is answered 503 with Retry-After, and with a window every login goes on."""
    caplog.set_level("CRITICAL")
    engine, killer = create_async_engine(postgres_url), create_async_engine(postgres_url)
    async with SQLRefreshTokenStates(engine) as states:
        journey = start(refresh_token_states=states, now=time.time, refresh_retry_window_s=300)
        held = [(await journey.login()).refresh_token for _ in range(4)]
        answered, over = [], asyncio.Event()

        async def keep_refreshing(number: int) -> None:
            while not over.is_set():
                answer = await journey.refresh(held[number])
                answered.append(answer.status_code)
                if answer.status_code == 200:
                    held[number] = tokens_of(answer).refresh_token
                else:
                    assert error_of(answer) == (503, "temporarily_unavailable")
                    assert answer.headers["retry-after"] == "5"

        async def break_connections() -> None:
            async with killer.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                while answered.count(503) < 3:
                    await connection.execute(sa.text(END_ALL_OTHERS))
                    await asyncio.sleep(0.02)
            over.set()

        await asyncio.gather(break_connections(), *(keep_refreshing(number) for number in range(4)))
        await engine.dispose()
        assert set(answered) <= {200, 503}
        for token in held:
            assert tokens_of(await journey.refresh(token))
    await engine.dispose()
    await killer.dispose()
