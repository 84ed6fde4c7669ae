"""Families: what this process knows about logins."""

import asyncio
import logging

import pytest

from lazyoauth import MemoryRefreshTokenStates, jti, refresh
from lazyoauth.errors import InvalidGrant, TemporarilyUnavailable
from lazyoauth.refresh import ALIVE_FOR_S, Families
from tests.lazyoauth.journey import Clock

CODE = "1.0.cccccccccccccccccccccc"


class Counting(MemoryRefreshTokenStates):
    """A store that counts how often it is asked, and can be away."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.asked = 0
        self.away = False

    async def is_active(self, family_id: str) -> bool:
        self.asked += 1
        if self.away:
            raise ConnectionError("postgresql://user:secret@db is away")
        return await super().is_active(family_id)


@pytest.fixture
def store(clock: Clock) -> Counting:
    return Counting(clock)


@pytest.fixture
async def families(store: Counting, clock: Clock) -> Families:
    families = Families(store, clock)
    await families.begin("family", CODE, clock.now + 1000)
    return families


async def test_a_login_seen_alive_is_not_asked_for_again_within_five_seconds(families, store, clock):
    """Design: revocation elsewhere takes effect after five seconds at most, here at once."""
    assert ALIVE_FOR_S <= 5
    for _ in range(10):
        assert await families.is_active("family")
    assert store.asked == 1
    await store.revoke("family")
    clock.now += ALIVE_FOR_S
    assert not await families.is_active("family")


async def test_a_store_that_does_not_answer_is_away(families, store, monkeypatch):
    """A client that hears nothing gives up; a 503 tells it to come again."""

    async def silence(family_id: str) -> bool:
        await asyncio.Event().wait()
        return True

    monkeypatch.setattr(store, "is_active", silence)
    monkeypatch.setattr(refresh, "STORE_TIMEOUT_S", 0.01)
    with pytest.raises(TemporarilyUnavailable):
        await families.is_active("family")


async def test_a_login_that_ends_here_is_dead_at_once(families):
    """RFC 7009, section 2."""
    assert await families.is_active("family")
    assert await families.end("family")
    assert not await families.is_active("family")
    assert not await families.end("family")


async def test_a_replay_ends_the_login_at_once(families):
    """RFC 9700, section 4.14.2."""
    await families.rotate("family", CODE, jti.successor(CODE, jti.random_part()))
    assert await families.is_active("family")
    with pytest.raises(InvalidGrant):
        await families.rotate("family", CODE, jti.successor(CODE, jti.random_part()))
    assert not await families.is_active("family")


async def test_a_refresh_that_meets_the_end_of_a_login_brings_the_news(families, store):
    """Design, section 5: it ended in another process, this one saw it alive a moment ago."""
    assert await families.is_active("family")
    await store.revoke("family")
    assert await families.is_active("family"), "the news has not arrived"
    with pytest.raises(InvalidGrant):
        await families.rotate("family", CODE, jti.successor(CODE, jti.random_part()))
    assert not await families.is_active("family")
    assert store.asked == 1, "it has ended for good, so nobody asks again"


async def test_a_login_that_expired_is_over_at_once(store, clock):
    """The store's clock decides, and it may be ahead of ours."""
    families = Families(store, Clock(clock.now))
    await families.begin("family", CODE, clock.now + 1)
    assert await families.is_active("family")
    clock.now += 1
    assert families.is_known_active("family")
    with pytest.raises(InvalidGrant):
        await families.rotate("family", CODE, jti.successor(CODE, jti.random_part()))
    assert not await families.is_active("family")


async def test_a_login_that_the_store_does_not_know_is_asked_for_again(families, store, clock):
    """Not for good: a row that is missing may come back with a backup."""
    assert await families.is_active("family")
    row = store._families.pop("family")
    with pytest.raises(InvalidGrant):
        await families.rotate("family", CODE, jti.successor(CODE, jti.random_part()))
    assert not await families.is_active("family")
    store._families["family"] = row
    assert await families.is_active("family")


async def test_an_answer_that_was_on_its_way_does_not_revive_a_login(clock):
    """The store says "active", then the login ends, then the answer arrives."""

    class Slow(MemoryRefreshTokenStates):
        async def is_active(self, family_id: str) -> bool:
            active = await super().is_active(family_id)
            await families.end(family_id)
            return active

    families = Families(Slow(clock), clock)
    await families.begin("family", CODE, clock.now + 1000)
    assert not await families.is_active("family")
    assert not families.is_known_active("family")


async def test_a_store_that_is_away_is_no_answer(families, store, clock, caplog):
    """Contract of the store, 6; what is known is used for five seconds, then the door is closed."""
    assert await families.is_active("family")
    store.away = True
    assert await families.is_active("family")
    clock.now += ALIVE_FOR_S
    with pytest.raises(TemporarilyUnavailable) as error:
        await families.is_active("family")
    assert "secret" not in error.value.message
    store.away = False
    assert await families.is_active("family")


async def test_a_store_that_went_back_in_time_is_reported_and_nobody_is_thrown_out(families, caplog):
    """A restored backup."""
    newer = "1.9.nnnnnnnnnnnnnnnnnnnnnn"
    with caplog.at_level(logging.CRITICAL, "lazyoauth"), pytest.raises(InvalidGrant):
        await families.rotate("family", newer, jti.successor(newer, jti.random_part()))
    assert "back in time" in caplog.text
    assert await families.is_active("family")


async def test_memory_is_bounded(families, monkeypatch, clock, store):
    """A million logins must not fill it."""
    monkeypatch.setattr("lazyoauth.refresh.REMEMBERED", 3)
    for number in range(10):
        await families.begin(f"f{number}", CODE, clock.now + 1000)
        await families.is_active(f"f{number}")
    assert [families.is_known_active(f"f{number}") for number in (0, 6, 7, 9)] == [False, False, True, True]
