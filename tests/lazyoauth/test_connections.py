"""The list of connections: one contract for every store, and a list that never stands in the way of a login."""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import Connection, Connections, MemoryConnections, SQLConnections
from lazyoauth.connections import TOUCH_EVERY_S
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, Journey


def connection(user_id: str = "ada", last_used_at: float = 100.0, created_at: float = 50.0) -> Connection:
    return Connection(
        family_id=str(uuid.uuid4()),
        user_id=user_id,
        client_id="dyn1_x",
        client_name="Notes 'helper\" \u202e",
        redirect_host="client.example",
        scope="mcp",
        resource="https://app.example/mcp",
        created_at=created_at,
        last_used_at=last_used_at,
    )


@pytest.fixture(params=["memory", "sql"])
async def store(request: pytest.FixtureRequest, database_url: str) -> AsyncIterator[Connections]:
    if request.param == "memory":
        yield MemoryConnections()
        return
    engine = create_async_engine(database_url)
    yield SQLConnections(engine)
    await engine.dispose()


async def test_a_connection_is_kept_for_its_user(store):
    """The newest use first; another person's is not among them."""
    old, new, other = connection(last_used_at=100), connection(last_used_at=200), connection("bob", 300)
    for one in (old, new, other):
        await store.add(one)
    assert list(await store.of_user("ada")) == [new, old]
    assert list(await store.of_user("nobody")) == []
    assert list(await store.all()) == [other, new, old]


async def test_a_connection_is_written_once(store):
    """The second time nothing changes."""
    first = connection()
    await store.add(first)
    await store.add(replace(first, client_name="another"))
    assert list(await store.all()) == [first]


async def test_use_moves_forward_only(store):
    """Two processes, in any order."""
    one = connection()
    await store.add(one)
    await store.touch(one.family_id, 300.0)
    await store.touch(one.family_id, 200.0)
    await store.touch(str(uuid.uuid4()), 900.0)
    assert [found.last_used_at for found in await store.all()] == [300.0]


async def test_what_is_removed_or_old_is_gone(store):
    """Both do nothing where nothing is."""
    one, old = connection(), connection(created_at=10)
    for each in (one, old):
        await store.add(each)
    assert await store.purge(50) == 1
    assert await store.purge(50) == 0
    await store.remove(one.family_id)
    await store.remove(one.family_id)
    assert list(await store.all()) == []


async def test_a_list_of_another_process_is_the_same_list(database_url):
    """Two stores on one database, and the table made by both at once."""
    engines = [create_async_engine(database_url) for _ in range(2)]
    one, other = (SQLConnections(engine) for engine in engines)
    added = [connection() for _ in range(6)]
    await asyncio.gather(*(store.add(each) for store, each in zip([one, other] * 3, added, strict=True)))
    assert {each.family_id for each in await other.of_user("ada")} == {each.family_id for each in added}
    for engine in engines:
        await engine.dispose()


async def test_a_login_is_listed_with_its_first_token(journey: Journey, clock):
    """Not before: a code that nobody exchanged is no login."""
    code = await journey.code()
    assert await journey.server.connections_of("ada") == []
    await journey.exchange(code)
    (found,) = await journey.server.connections_of("ada")
    assert (found.client_id, found.client_name, found.redirect_host) == (journey.client_id, "Test client", "client.example")
    assert (found.scope, found.created_at, found.last_used_at) == ("mcp", clock.now, clock.now)
    assert await journey.server.connections_of("bob") == []


async def test_a_refresh_is_noted_once_a_minute(start: Start, clock):
    """A client that refreshes all the time costs one write a minute."""

    class Counting(MemoryConnections):
        touches = 0

        async def touch(self, family_id: str, when: float) -> None:
            self.touches += 1
            await super().touch(family_id, when)

    store = Counting()
    journey = start(connections=store)
    tokens = await journey.login()
    for after_s, touches in ((0, 0), (TOUCH_EVERY_S - 1, 0), (1, 1), (1, 1), (TOUCH_EVERY_S, 2)):
        clock.now += after_s
        answer = await journey.refresh(tokens.refresh_token)
        tokens = replace(tokens, refresh_token=answer.json()["refresh_token"])
        assert store.touches == touches
    assert (await journey.server.connections_of("ada"))[0].last_used_at == clock.now


async def test_a_store_that_fails_stops_no_login(start: Start, clock, caplog):
    """It raises at every turn; the log says what kind of error it was and nothing of anybody."""

    class Broken(MemoryConnections):
        async def add(self, connection: Connection) -> None:
            raise OSError(connection.user_id)

        async def touch(self, family_id: str, when: float) -> None:
            raise OSError(family_id)

        async def of_user(self, user_id: str) -> list[Connection]:
            raise OSError(user_id)

        async def purge(self, before: float) -> int:
            raise OSError

        async def remove(self, family_id: str) -> None:
            raise OSError(family_id)

    journey = start(connections=Broken())
    with caplog.at_level(logging.WARNING, "lazyoauth"):
        tokens = await journey.login()
        clock.now += TOUCH_EVERY_S
        assert (await journey.refresh(tokens.refresh_token)).status_code == 200
        await journey.server.purge()
    noted = [record.getMessage() for record in caplog.records if "could not be noted" in record.getMessage()]
    assert noted == ["a connection could not be noted: OSError"] * 3


async def test_a_store_that_hangs_stops_no_login(start: Start, monkeypatch):
    """It is left behind; the client has its tokens."""
    monkeypatch.setattr("lazyoauth.connections.WRITE_TIMEOUT_S", 0.01)

    class Silent(MemoryConnections):
        async def add(self, connection: Connection) -> None:
            await asyncio.Event().wait()

    assert (await start(connections=Silent()).login()).refresh_token


async def test_a_long_list_is_purged_however_long_it_takes(start: Start, monkeypatch):
    """No client waits for it, and a purge that is given up each time would let the list grow for ever."""
    monkeypatch.setattr("lazyoauth.connections.WRITE_TIMEOUT_S", 0.0)
    purged = []

    class Long(MemoryConnections):
        async def purge(self, before: float) -> int:
            await asyncio.sleep(0.01)
            purged.append(before)
            return 1

    await start(connections=Long()).server.purge()
    assert len(purged) == 1


async def test_what_has_ended_is_not_listed(journey: Journey, clock):
    """However it ended: by the client, by a replay, by the operator, by itself."""
    revoked, replayed, ended, kept = [await journey.login() for _ in range(4)]
    await journey.http.post("/oauth/revoke", data={"client_id": journey.client_id, "token": revoked.refresh_token})
    await journey.refresh(replayed.refresh_token)
    await journey.refresh(replayed.refresh_token)
    families = {one.family_id for one in await journey.server.connections_of("ada")}
    assert len(families) == 2
    family_of = journey.server._issuers[0].tokens.verify_refresh
    assert await journey.server.revoke(family_of(ended.refresh_token).family_id)
    assert [one.family_id for one in await journey.server.connections_of("ada")] == [family_of(kept.refresh_token).family_id]
    clock.now += journey.server.config.lifetimes.refresh_absolute_s
    assert await journey.server.connections_of("ada") == []


async def test_old_lines_are_purged_with_the_logins(start: Start, clock):
    """Nobody looked at them."""
    store = MemoryConnections()
    journey = start(connections=store)
    await journey.register(CALLBACK)
    await journey.login()
    clock.now += journey.server.config.lifetimes.refresh_absolute_s
    await journey.server.purge()
    assert len(await store.all()) == 1
    clock.now += 86_401
    await journey.server.purge()
    assert len(await store.all()) == 0
