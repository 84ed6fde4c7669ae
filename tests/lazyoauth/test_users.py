"""A user who is disabled, removed or given another password: every login of theirs is over, and nobody else's."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazyauth import Credential, MemoryUsers, SQLUsers, User
from lazyoauth.errors import TemporarilyUnavailable
from lazyoauth.users import KNOWN_FOR_S, Users
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import PASSWORD, Clock, Journey, PlainUsers, error_of


@pytest.fixture
async def kept(sqlite_url: str, clock: Clock) -> AsyncIterator[SQLUsers]:
    engine = create_async_engine(sqlite_url)
    async with SQLUsers(engine, clock) as users:
        await users.add("ada", PASSWORD, {"mcps": ["admin"]})
        await users.add("bob", PASSWORD)
        yield users
    await engine.dispose()


@pytest.fixture
def at_sql(start: Start, kept: SQLUsers) -> Journey:
    return start(authenticator=kept)


async def status_of_call(journey: Journey, access_token: str) -> int:
    return (await journey.call(access_token)).status_code


@pytest.mark.parametrize("how", ["disable", "remove", "set_password", "sign_out"])
async def test_a_login_ends_at_once_with_its_user(at_sql: Journey, kept: SQLUsers, clock: Clock, how: str):
    """RFC 9700, section 4.14.2: a password change or a logout at the server ends the refresh token; A46 asks for /mcp too."""
    tokens = await at_sql.login()
    assert await status_of_call(at_sql, tokens.access_token) == 200
    clock.now += 1  # less than the guard remembers
    assert await (kept.set_password("ada", "battery staple") if how == "set_password" else getattr(kept, how)("ada"))
    refused = await at_sql.call(tokens.access_token)
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused.headers["www-authenticate"]
    assert error_of(await at_sql.refresh(tokens.refresh_token)) == (400, "invalid_grant")


@pytest.mark.parametrize("how", ["disable", "set_password"])
async def test_the_refresh_alone_ends_it_too(at_sql: Journey, kept: SQLUsers, clock: Clock, how: str):
    """The refresh that comes first revokes the family, so enabling the user again does not bring the old login back."""
    tokens = await at_sql.login()
    clock.now += 1
    await (kept.set_password("ada", PASSWORD) if how == "set_password" else kept.disable("ada"))
    assert error_of(await at_sql.refresh(tokens.refresh_token)) == (400, "invalid_grant")
    await kept.enable("ada")
    assert error_of(await at_sql.refresh(tokens.refresh_token)) == (400, "invalid_grant")
    assert await status_of_call(at_sql, tokens.access_token) == 401


async def test_a_login_of_the_same_second_that_came_before_is_over_and_the_one_after_goes_on(
    at_sql: Journey, kept: SQLUsers, clock: Clock
):
    """Whoever holds the old password may sign in every second; times are compared with their fractions."""
    clock.now += 0.125
    before = await at_sql.login()
    clock.now += 0.25
    await kept.sign_out("ada")
    clock.now += 0.25
    after = await at_sql.login()
    assert await status_of_call(at_sql, before.access_token) == 401
    assert await status_of_call(at_sql, after.access_token) == 200
    assert (await at_sql.refresh(after.refresh_token)).status_code == 200


async def test_a_code_is_worth_nothing_once_the_password_was_changed(at_sql: Journey, kept: SQLUsers, clock: Clock):
    code = await at_sql.code()
    clock.now += 1
    await kept.set_password("ada", "battery staple")
    assert error_of(await at_sql.exchange(code)) == (400, "invalid_grant")


async def test_other_data_are_in_force_at_the_next_refresh_and_end_nothing(at_sql: Journey, kept: SQLUsers):
    """issue 4: changed `mcps` are effective."""
    tokens = await at_sql.login()
    await kept.set_data("ada", {"mcps": ["reports"]})
    assert (await at_sql.call(tokens.access_token)).text == "ada admin"
    renewed = (await at_sql.refresh(tokens.refresh_token)).json()
    assert (await at_sql.call(renewed["access_token"])).text == "ada reports"


async def test_an_authenticator_that_announces_nothing_is_asked_every_few_seconds(journey: Journey, clock: Clock):
    tokens = await journey.login()
    assert await status_of_call(journey, tokens.access_token) == 200
    journey.users.remove("ada")
    assert await status_of_call(journey, tokens.access_token) == 200, "remembered"
    clock.now += KNOWN_FOR_S
    assert await status_of_call(journey, tokens.access_token) == 401


async def test_users_that_are_away_end_no_login(start: Start, clock: Clock):
    """Facts that are not known are no reason: 503, and the login goes on afterwards."""

    class Away(PlainUsers):
        is_away = False

        async def find_user(self, user_id: str) -> User | None:
            if self.is_away:
                raise OSError("connection refused to 10.0.0.7")
            return await super().find_user(user_id)

    users = Away()
    users.add("ada", PASSWORD, ["admin"])
    journey = start(authenticator=users)
    tokens = await journey.login()
    assert await status_of_call(journey, tokens.access_token) == 200
    users.is_away = True
    assert await status_of_call(journey, tokens.access_token) == 200, "remembered"
    clock.now += KNOWN_FOR_S
    refused = await journey.call(tokens.access_token)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert "10.0.0.7" not in refused.text
    assert error_of(await journey.refresh(tokens.refresh_token)) == (503, "temporarily_unavailable")
    users.is_away = False
    assert await status_of_call(journey, tokens.access_token) == 200
    assert (await journey.refresh(tokens.refresh_token)).status_code == 200


async def test_an_authenticator_that_does_not_answer_is_not_waited_for(clock: Clock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lazyoauth.users.TIMEOUT_S", 0.01)

    class Silent(PlainUsers):
        async def find_user(self, user_id: str) -> User | None:
            await asyncio.Event().wait()
            return None

    with pytest.raises(TemporarilyUnavailable):
        await Users(Silent(), clock).may_go_on("ada", 0)


async def test_news_that_come_while_the_answer_is_on_its_way_are_not_lost(clock: Clock):
    """Otherwise the answer of before would be remembered for five seconds."""
    users = MemoryUsers(clock)
    await users.add("ada", PASSWORD)
    asked, answer = asyncio.Event(), asyncio.Event()

    class Slow(MemoryUsers):
        async def find_user(self, user_id: str) -> User | None:
            found = await users.find_user(user_id)
            asked.set()
            await answer.wait()
            return found

    slow = Slow(clock)
    known = Users(slow, clock)
    going_on = asyncio.create_task(known.may_go_on("ada", clock.now))
    await asked.wait()
    users.remove("ada")
    known.mark_changed("ada")
    answer.set()
    assert await going_on
    assert not known.is_known_good("ada", clock.now)
    assert not await known.may_go_on("ada", clock.now)


async def test_each_user_is_asked_for_once_in_a_while_whatever_they_call(clock: Clock):
    asked: list[str] = []

    class Counting(PlainUsers):
        async def find_user(self, user_id: str) -> User | None:
            asked.append(user_id)
            return User(user_id)

    users = Users(Counting(), clock)
    for _ in range(3):
        assert await users.may_go_on("ada", 1.0)
        assert await users.may_go_on("bob", 1.0)
    assert asked == ["ada", "bob"]


async def test_memory_stays_bounded(clock: Clock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lazyoauth.users.REMEMBERED", 2)

    class Everybody(PlainUsers):
        async def find_user(self, user_id: str) -> User | None:
            return User(user_id)

    users = Users(Everybody(), clock)
    for name in ("ada", "bob", "eve"):
        await users.may_go_on(name, 0)
    assert [users.is_known_good(name, 0) for name in ("ada", "bob", "eve")] == [False, True, True]


async def test_replacing_a_user_in_memory_ends_their_logins_too(start: Start, clock: Clock):
    users = MemoryUsers(clock)
    await users.add("ada", PASSWORD, {"mcps": ["*"]})
    journey = start(authenticator=users)
    tokens = await journey.login()
    assert await status_of_call(journey, tokens.access_token) == 200
    clock.now += 1
    await users.add("ada", "battery staple")
    assert await status_of_call(journey, tokens.access_token) == 401
    assert (await users.authenticate(Credential("ada", "battery staple"))).signed_out_at == clock.now


async def test_on_postgresql_another_process_knows_within_a_moment(start: Start, postgres_url: str, clock: Clock):
    """A46 with two processes: the second one hears of it by NOTIFY, long before it would ask."""
    engines = [create_async_engine(postgres_url) for _ in range(2)]
    async with SQLUsers(engines[0], clock) as here, SQLUsers(engines[1], clock) as there:
        await here.add("ada", PASSWORD)
        await here.add("bob", PASSWORD)
        journey = start(authenticator=there)
        told = asyncio.Event()
        there.on_changed(lambda _: told.set())
        async with asyncio.timeout(20):
            while not told.is_set():  # until the other one listens
                await here.sign_out("bob")
                await asyncio.sleep(0.02)
        tokens = await journey.login()
        assert await status_of_call(journey, tokens.access_token) == 200
        told.clear()
        await here.disable("ada")
        async with asyncio.timeout(20):
            await told.wait()
        assert await status_of_call(journey, tokens.access_token) == 401
    for engine in engines:
        await engine.dispose()


async def test_a_password_that_is_changed_while_the_login_goes_on_ends_it(start: Start, kept: SQLUsers, clock: Clock):
    """The old password was right when it was checked; tallies and consent are looked up after that, and the change comes then."""

    class Overtaken:
        find_user = staticmethod(kept.find_user)

        async def authenticate(self, credential: Credential) -> User:
            user = await kept.authenticate(credential)
            clock.now += 0.125
            await kept.set_password("ada", "battery staple")
            clock.now += 0.125
            return user

    journey = start(authenticator=Overtaken())
    code = await journey.code()
    assert error_of(await journey.exchange(code)) == (400, "invalid_grant")
