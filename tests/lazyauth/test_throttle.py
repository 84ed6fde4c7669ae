"""Wrong passwords make the next try wait, and lock nobody out."""

import asyncio

import pytest

from lazyauth import Credential, InvalidCredentials, LoginThrottle, Overloaded, TooManyTries, User, network_of

RIGHT, WRONG = Credential("ada", "right"), Credential("ada", "wrong")
HOME, ABROAD = "192.0.2.7", "198.51.100.7"


class Clock:
    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


class PlainUsers:
    """Ada alone, without the time that a real hash takes; counts what was checked."""

    def __init__(self):
        self.checked = 0
        self.error = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def authenticate(self, credential):
        await self.gate.wait()
        self.checked += 1
        if self.error:
            raise self.error
        if credential != RIGHT:
            raise InvalidCredentials
        return User("ada")

    async def find_user(self, user_id):
        return User(user_id)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def users():
    return PlainUsers()


async def outcome(throttle, users, credential=WRONG, address=HOME):
    """What a try came to: a user's id, "wrong", or the seconds to wait."""
    try:
        return (await throttle.authenticate(users, credential, address)).id
    except InvalidCredentials:
        return "wrong"
    except TooManyTries as error:
        return error.retry_after_s


async def test_each_wrong_password_beyond_the_free_ones_doubles_the_wait(users, clock):
    """OWASP Authentication Cheat Sheet, "Login Throttling": exponential delay."""
    throttle = LoginThrottle(free=3, longest_s=20, now=clock)
    assert [await outcome(throttle, users) for _ in range(3)] == ["wrong"] * 3
    waits = []
    for _ in range(7):
        waits.append(await outcome(throttle, users))
        clock.now += waits[-1] - 0.5
        assert await outcome(throttle, users) == 1, "not yet"
        clock.now += 0.5
        assert await outcome(throttle, users) == "wrong"
    assert waits == [1, 2, 4, 8, 16, 20, 20]


async def test_a_thousand_tries_check_few_passwords_and_the_owner_gets_in_from_elsewhere(users, clock):
    """A31: per user and network and per user, no hard lock."""
    throttle = LoginThrottle(now=clock)
    for _ in range(1_000):
        await outcome(throttle, users)
        clock.now += 1
    assert users.checked < 25
    assert await outcome(throttle, users, RIGHT, ABROAD) == "ada"


async def test_a_thousand_networks_check_few_passwords_and_keep_nobody_out(users, clock):
    """A31, distributed: the owner's own network is not held up, and from a new one they wait for seconds."""
    throttle = LoginThrottle(now=clock)
    assert await outcome(throttle, users, RIGHT, HOME) == "ada"
    for number in range(1_000):
        await outcome(throttle, users, WRONG, f"10.{number // 250}.{number % 250}.1")
    assert users.checked == 51
    assert await outcome(throttle, users, RIGHT, HOME) == "ada"
    wait_s = await outcome(throttle, users, RIGHT, ABROAD)
    assert 1 <= wait_s <= 30
    clock.now += wait_s
    assert await outcome(throttle, users, RIGHT, ABROAD) == "ada"


async def test_a_network_that_proved_good_still_has_its_own_limit(users, clock):
    """Whoever shares the owner's network gets no more tries than anybody."""
    throttle = LoginThrottle(free=3, now=clock)
    assert await outcome(throttle, users, RIGHT) == "ada"
    assert [await outcome(throttle, users) for _ in range(4)] == ["wrong", "wrong", "wrong", 1]


async def test_unknown_names_count_like_known_ones(users, clock):
    """OWASP Authentication Cheat Sheet, "Authentication Responses": the count must not tell them apart."""
    throttle = LoginThrottle(free=2, now=clock)
    for name in ("ada", "eve", "\ud800", ""):
        assert [await outcome(throttle, users, Credential(name, "wrong")) for _ in range(3)] == ["wrong", "wrong", 1]


async def test_a_name_counts_however_it_is_typed(users, clock):
    throttle = LoginThrottle(free=3, now=clock)
    for name in ("ada", " ADA", "Ada\t"):
        await outcome(throttle, users, Credential(name, "wrong"), "192.0.2.99")
    assert await outcome(throttle, users) == 1


async def test_a_right_password_clears_what_went_wrong_before(users, clock):
    throttle = LoginThrottle(free=3, now=clock)
    for _ in range(4):
        assert [await outcome(throttle, users) for _ in range(2)] == ["wrong", "wrong"]
        assert await outcome(throttle, users, RIGHT) == "ada"


async def test_parallel_guesses_count_before_they_are_answered(users, clock):
    throttle = LoginThrottle(free=3, now=clock)
    users.gate.clear()
    tries = [asyncio.create_task(outcome(throttle, users)) for _ in range(10)]
    await asyncio.sleep(0)
    users.gate.set()
    assert sorted(await asyncio.gather(*tries), key=str) == [1] * 7 + ["wrong"] * 3
    clock.now += 1
    assert (await asyncio.gather(*(outcome(throttle, users) for _ in range(10)))).count("wrong") == 1


@pytest.mark.parametrize("error", [Overloaded(), OSError("away")])
async def test_what_was_not_checked_counts_for_nothing(users, clock, error):
    throttle = LoginThrottle(free=1, now=clock)
    users.error = error
    for _ in range(5):
        with pytest.raises(type(error)):
            await throttle.authenticate(users, RIGHT, HOME)
    users.error = None
    assert await outcome(throttle, users, RIGHT) == "ada"


async def test_an_hour_without_a_wrong_password_is_a_new_beginning(users, clock):
    throttle = LoginThrottle(free=3, now=clock)
    for _ in range(3):
        await outcome(throttle, users)
    clock.now += 3_600
    assert [await outcome(throttle, users) for _ in range(4)] == ["wrong", "wrong", "wrong", 1]


async def test_a_clock_that_went_back_makes_nobody_wait_longer(users, clock):
    throttle = LoginThrottle(free=1, now=clock)
    await outcome(throttle, users)
    clock.now -= 3_000
    assert await outcome(throttle, users) == 1


async def test_another_rule_keeps_what_was_counted(users, clock):
    throttle = LoginThrottle(free=100, now=clock)
    for _ in range(3):
        await outcome(throttle, users)
    assert await outcome(throttle.with_rule(3, 60), users) == 1


async def test_memory_is_bounded_and_holds_no_name(users, clock, monkeypatch):
    monkeypatch.setattr("lazyauth.throttle.REMEMBERED", 10)
    throttle = LoginThrottle(now=clock)
    for number in range(50):
        await outcome(throttle, users, Credential(f"guess-{number}", "wrong"))
        await outcome(throttle, users, RIGHT, f"10.0.{number}.1")
    assert (len(throttle._own._tallies), len(throttle._proved), len(throttle._checking)) == (10, 10, 0)
    assert "guess" not in repr(vars(throttle)) + repr(throttle._own._tallies)


class Shared:
    """Another process's tallies, which can be away."""

    def __init__(self):
        self.calls = []
        self.tallies = {}
        self.away = False

    async def read(self, keys):
        self.calls.append("read")
        if self.away:
            raise OSError("away")
        return {key: self.tallies[key] for key in keys if key in self.tallies}

    async def add(self, keys, now, since):
        self.calls.append("add")
        if self.away:
            raise OSError("away")
        from lazyauth.throttle import Tally

        for key in keys:
            self.tallies[key] = Tally(self.tallies.get(key, Tally(0, 0)).failures + 1, now)

    async def clear(self, key):
        self.calls.append("clear")
        self.tallies.pop(key, None)


async def test_processes_that_share_tallies_count_together(users, clock):
    shared = Shared()
    one, two = (LoginThrottle(shared, free=4, now=clock) for _ in range(2))
    assert [await outcome(throttle, users) for throttle in (one, two, one, two, one, two)] == ["wrong"] * 4 + [1, 1]


async def test_a_right_password_is_no_write_unless_wrong_ones_came_before(users, clock):
    """Facts of a flood: one upsert for each wrong password, none for a right one."""
    shared = Shared()
    throttle = LoginThrottle(shared, now=clock)
    await outcome(throttle, users, RIGHT)
    assert shared.calls == ["read"]
    await outcome(throttle, users, WRONG)
    await outcome(throttle, users, RIGHT)
    assert shared.calls == ["read", "read", "add", "read", "clear"]


async def test_tallies_that_are_away_stop_no_login_and_the_process_counts_alone(users, clock, caplog):
    shared = Shared()
    shared.away = True
    throttle = LoginThrottle(shared, free=2, now=clock)
    assert await outcome(throttle, users, RIGHT) == "ada"
    assert [await outcome(throttle, users) for _ in range(3)] == ["wrong", "wrong", 1]
    assert "counted in this process only" in caplog.text


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.0/24"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_an_address_counts_as_its_network(address, network):
    """One subscriber can move about in a /64 (RFC 6177, section 2)."""
    assert network_of(address) == network
