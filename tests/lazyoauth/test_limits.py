"""Limits and their counter."""

import asyncio
from dataclasses import fields

import pytest
from limits import parse

from lazyauth import Credential, InvalidCredentials, MemoryUsers, TooManyTries
from lazyoauth import ConfigError, Limits
from lazyoauth.errors import TooManyRequests
from lazyoauth.limits import LOGIN_FAILURES_RULE, Throttle, login_throttle, network_of
from tests.lazyoauth.journey import Clock


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


def test_the_defaults_are_rates_of_the_library():
    """They are not parsed at each start, so they are here: of each the library makes a rate, and of one this rule."""
    for field in fields(Limits):
        rate = parse(str(field.default))
        assert field.name != "login_failures" or (rate.amount, float(rate.get_expiry())) == LOGIN_FAILURES_RULE


async def test_what_comes_while_the_counter_is_loaded_is_counted_too():
    """CWE-362: the library is loaded by the first request, and the requests beside it must not each begin a count."""
    throttle = Throttle(Limits(tokens="2/minute"))
    answers = await asyncio.gather(*(throttle.hit("tokens", "net") for _ in range(5)), return_exceptions=True)
    assert sorted(type(answer).__name__ for answer in answers) == ["NoneType"] * 2 + ["TooManyRequests"] * 3


async def test_what_is_over_the_limit_is_told_when_to_come_back():
    """RFC 6585, section 4."""
    throttle = Throttle(Limits(tokens="2/minute"))
    for _ in range(2):
        await throttle.hit("tokens", "net", "client")
    with pytest.raises(TooManyRequests) as refused:
        await throttle.hit("tokens", "net", "client")
    assert 1 <= refused.value.retry_after_s <= 61
    await throttle.hit("tokens", "net", "another client")


async def test_a_limit_can_be_off():
    """For load tests."""
    throttle = Throttle(Limits(tokens="off"))
    for _ in range(5000):
        await throttle.hit("tokens", "net")


async def test_the_rule_of_wrong_passwords_is_read_as_a_number_and_the_longest_wait():
    """The same words as the other limits; what counts them is lazyauth's."""
    now = Clock()
    throttle = login_throttle(Limits(login_failures="2 per 5 minutes"), None, now)
    users = MemoryUsers()
    waits = []
    for _ in range(14):
        with pytest.raises((InvalidCredentials, TooManyTries)) as refused:
            await throttle.authenticate(users, Credential("ada", "x" * 2_000), "192.0.2.7")
        if refused.type is TooManyTries:
            waits.append(refused.value.retry_after_s)
            now.now += waits[-1]
    assert waits == [1, 2, 4, 8, 16, 32]
    assert login_throttle(Limits(login_failures="off"), throttle, now) is None
    assert login_throttle(Limits(login_failures="0/minute"), throttle, now) is not None


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
