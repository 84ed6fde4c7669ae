"""Limits and their counter."""

import pytest

from lazyoauth import ConfigError, Limits
from lazyoauth.errors import TooManyRequests
from lazyoauth.limits import Throttle, network_of


def test_limits_are_read_from_one_line():
    """LAZYOAUTH_LIMITS: what is not named keeps its default."""
    limits = Limits.parse("registrations=off, tokens=500/minute,")
    assert (limits.registrations, limits.tokens) == ("off", "500/minute")
    assert limits.logins == Limits().logins
    assert Limits(logins="1/day").override("tokens=off") == Limits(logins="1/day", tokens="off")
    assert Limits.parse("") == Limits()


@pytest.mark.parametrize("text", ["tokens", "tokens=", "tokens=many", "token=off", "tokens=5/fortnight"])
def test_a_limit_that_cannot_be_read_is_named(text):
    """A typing error must not switch a limit off in silence."""
    with pytest.raises(ConfigError):
        Limits.parse(text)


async def test_what_is_over_the_limit_is_told_when_to_come_back():
    """RFC 6585, section 4."""
    throttle = Throttle(Limits(tokens="2/minute"))
    for _ in range(2):
        await throttle.hit("tokens", "net", "client")
    with pytest.raises(TooManyRequests) as refused:
        await throttle.hit("tokens", "net", "client")
    assert 1 <= refused.value.retry_after_s <= 61
    await throttle.hit("tokens", "net", "another client")
    await throttle.forget("tokens", "net", "client")
    await throttle.hit("tokens", "net", "client")


async def test_what_came_to_nothing_is_taken_back_from_its_own_window_only():
    """Otherwise a try that began before the count was cleared would make room for a guess after it."""
    throttle = Throttle(Limits(login_failures="2/minute"))
    window = await throttle.hit("login_failures", "ada")
    await throttle.forget("login_failures", "ada")
    assert await throttle.hit("login_failures", "ada") != window
    await throttle.take_back(window, "login_failures", "ada")
    second = await throttle.hit("login_failures", "ada")
    with pytest.raises(TooManyRequests):
        await throttle.hit("login_failures", "ada")
    await throttle.take_back(second, "login_failures", "ada")
    await throttle.hit("login_failures", "ada")
    with pytest.raises(TooManyRequests):
        await throttle.hit("login_failures", "ada")


async def test_a_window_that_is_over_gives_nothing_back(monkeypatch):
    """And leaves no empty count in memory."""
    throttle = Throttle(Limits(login_failures="2/minute"))
    window = await throttle.hit("login_failures", "ada")
    monkeypatch.setattr("time.time", lambda: window + 1)
    await throttle.take_back(window, "login_failures", "ada")
    assert list(throttle._counts.storage.values()) == [1]


async def test_a_limit_can_be_off():
    """For load tests."""
    throttle = Throttle(Limits(tokens="off"))
    for _ in range(5000):
        window = await throttle.hit("tokens", "net")
    await throttle.take_back(window, "tokens", "net")
    await throttle.forget("tokens", "net")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.77", "192.0.2.0/24"),
        ("::ffff:192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_addresses_count_by_network(address, network):
    """One subscriber moves about in a /64 at will."""
    assert network_of(address) == network
