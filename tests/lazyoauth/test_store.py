"""The contract of a store, point by point, on every store there is."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import MemoryRefreshTokenStates, RefreshTokenStateStore, Rotation, SQLRefreshTokenStates, jti
from lazyoauth.store import FamilyState, classify

CODE = "1.0.cccccccccccccccccccccc"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "memory" else str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
async def states(url: str) -> AsyncIterator[RefreshTokenStateStore]:
    if not url:
        yield MemoryRefreshTokenStates()
        return
    engine = create_async_engine(url)
    async with SQLRefreshTokenStates(engine) as store:
        yield store
    await engine.dispose()


async def begin(states: RefreshTokenStateStore, lives_s: float = 60) -> str:
    family_id = str(uuid.uuid4())
    await states.create(family_id, CODE, time.time() + lives_s)
    return family_id


def following(presented: str) -> str:
    return jti.successor(presented, jti.random_part())


async def test_a_rotation_makes_the_next_jti_current(states):
    """Contract, 1: and the store's clock is part of what it keeps."""
    family_id = await begin(states)
    proposed = following(CODE)
    first = await states.rotate(family_id, CODE, proposed, time.time() + 1000)
    assert first.rotation is Rotation.ROTATED
    assert first.current_jti.startswith(f"{proposed}.")
    assert abs((jti.issued(first.current_jti) or 0) - time.time()) < 5
    assert abs(first.expires_at - (time.time() + 1000)) < 5
    second = await states.rotate(family_id, first.current_jti, following(first.current_jti))
    assert second.rotation is Rotation.ROTATED
    assert second.expires_at == first.expires_at, "a rotation without a new end keeps the old one"
    assert jti.generation(second.current_jti) == 2


async def test_of_many_rotations_of_one_jti_one_succeeds(states):
    """Contract, 1 and 2; RFC 9700, section 4.14.2."""
    family_id = await begin(states)
    outcomes = await asyncio.gather(*(states.rotate(family_id, CODE, following(CODE)) for _ in range(40)))
    assert [outcome.rotation for outcome in outcomes].count(Rotation.ROTATED) == 1
    assert {outcome.rotation for outcome in outcomes} == {Rotation.ROTATED, Rotation.REPLAYED, Rotation.REVOKED}
    assert not await states.is_active(family_id)
    winner = next(outcome for outcome in outcomes if outcome.rotation is Rotation.ROTATED)
    again = await states.rotate(family_id, winner.current_jti, following(winner.current_jti))
    assert again.rotation is Rotation.REVOKED


async def test_a_replay_is_revoked_when_it_is_answered(states):
    """Contract, 2."""
    family_id = await begin(states)
    await states.rotate(family_id, CODE, following(CODE))
    assert await states.is_active(family_id)
    assert (await states.rotate(family_id, CODE, following(CODE))).rotation is Rotation.REPLAYED
    assert not await states.is_active(family_id)
    assert not await states.revoke(family_id)


async def test_nothing_rotates_after_a_revocation(states):
    """Contract, 3; https://github.com/keycloak/keycloak/issues/51312."""
    for _ in range(5):
        family_id = await begin(states)
        current = (await states.rotate(family_id, CODE, following(CODE))).current_jti
        rotation, revoked = await asyncio.gather(states.rotate(family_id, current, following(current)), states.revoke(family_id))
        assert revoked
        assert rotation.rotation in (Rotation.ROTATED, Rotation.REVOKED)
        assert not await states.is_active(family_id)
        last = rotation.current_jti or current
        assert (await states.rotate(family_id, last, following(last))).rotation is Rotation.REVOKED


async def test_families_are_unknown_expired_or_ended_once(states):
    """A family that was never there, one whose code was never used, and one that is revoked twice."""
    nobody = str(uuid.uuid4())
    assert (await states.rotate(nobody, CODE, following(CODE))).rotation is Rotation.UNKNOWN
    assert not await states.is_active(nobody)
    assert not await states.revoke(nobody)
    expired = await begin(states, lives_s=-1)
    assert (await states.rotate(expired, CODE, following(CODE))).rotation is Rotation.EXPIRED
    assert not await states.is_active(expired)
    ended = await begin(states)
    assert [await states.revoke(ended), await states.revoke(ended)] == [True, False]


async def series(states: RefreshTokenStateStore, family_id: str, length: int) -> list[str]:
    """The jtis of a login that was refreshed so many times, its code first."""
    found = [CODE]
    for _ in range(length):
        found.append((await states.rotate(family_id, found[-1], following(found[-1]))).current_jti)
    return found


async def test_within_the_window_a_predecessor_gets_the_successor_that_was_chosen(states):
    """RFC 9700, section 4.14.2, and https://github.com/openai/codex/issues/45944: one line, however often it is asked."""
    family_id = await begin(states)
    login = await series(states, family_id, 5)
    for earlier in (*login[2:5], *login[2:5]):
        outcome = await states.rotate(family_id, earlier, following(earlier), window_s=60)
        assert (outcome.rotation, outcome.current_jti) == (Rotation.REPEATED, login[-1])
        assert abs(outcome.expires_at - time.time() - 60) < 5
    assert (await states.rotate(family_id, login[-1], following(login[-1]), window_s=60)).rotation is Rotation.ROTATED


@pytest.mark.parametrize(("position", "window_s"), [(1, 60.0), (0, 60.0), (4, 0.0), (4, 0.001)])
async def test_outside_the_window_a_predecessor_is_a_replay(states, position, window_s):
    """The fourth generation back, a code, no window, one that is over by the store's clock. RFC 9700, section 4.14.2."""
    family_id = await begin(states)
    login = await series(states, family_id, 5)
    await asyncio.sleep(0.05)
    presented = login[position]
    assert (await states.rotate(family_id, presented, following(presented), window_s=window_s)).rotation is Rotation.REPLAYED
    assert not await states.is_active(family_id)
    for known in login[2:]:
        assert (await states.rotate(family_id, known, following(known), window_s=60)).rotation is Rotation.REVOKED


async def test_of_a_burst_within_the_window_all_get_one_successor(states):
    """https://github.com/different-ai/openwork/pull/4441: four concurrent refreshes gave 400, 400, 200, 400."""
    family_id = await begin(states)
    current = (await series(states, family_id, 1))[-1]
    outcomes = await asyncio.gather(*(states.rotate(family_id, current, following(current), window_s=60) for _ in range(30)))
    assert [outcome.rotation for outcome in outcomes].count(Rotation.ROTATED) == 1
    assert {outcome.rotation for outcome in outcomes} == {Rotation.ROTATED, Rotation.REPEATED}
    assert len({outcome.current_jti for outcome in outcomes}) == 1
    assert await states.is_active(family_id)


async def test_the_newest_token_that_comes_back_at_once_is_its_own_successor(states):
    """A burst merged: bursts of several generations cannot arise. https://github.com/openai/codex/issues/17265"""
    family_id = await begin(states)
    first = await states.rotate(family_id, CODE, following(CODE), merge_s=5)
    assert first.rotation is Rotation.ROTATED, "a code is used up, however soon it comes"
    again = await states.rotate(family_id, first.current_jti, following(first.current_jti), merge_s=5)
    assert (again.rotation, again.current_jti) == (Rotation.REPEATED, first.current_jti)
    await asyncio.sleep(0.05)
    later = await states.rotate(family_id, first.current_jti, following(first.current_jti), merge_s=0.01)
    assert later.rotation is Rotation.ROTATED
    revoked = await begin(states)
    current = (await series(states, revoked, 1))[-1]
    await states.revoke(revoked)
    assert (await states.rotate(revoked, current, following(current), merge_s=5)).rotation is Rotation.REVOKED


async def test_a_login_may_go_on_from_a_token_that_is_newer_than_the_store(states):
    """A restored backup, and `heal_after_restore`: one line again, and what went before is a replay."""
    family_id = await begin(states)
    login = await series(states, family_id, 2)
    newer = f"2.7.{'n' * 22}..1800000000000"
    healed = await states.rotate(family_id, newer, following(newer), heal=True)
    assert healed.rotation is Rotation.HEALED
    assert jti.generation(healed.current_jti) == 8
    assert (await states.rotate(family_id, login[-1], following(login[-1]), heal=True)).rotation is Rotation.REPLAYED


async def test_a_token_newer_than_the_store_is_no_theft(states):
    """A restored backup must not end everybody's login."""
    family_id = await begin(states)
    newer = "1.7.nnnnnnnnnnnnnnnnnnnnnn.1800000000000"
    assert (await states.rotate(family_id, newer, following(newer))).rotation is Rotation.BEHIND
    assert await states.is_active(family_id)
    assert (await states.rotate(family_id, CODE, following(CODE))).rotation is Rotation.ROTATED


async def test_purge_removes_what_expired_and_nothing_else(states):
    """Contract, 5, whatever time the caller names."""
    alive, old, older = await begin(states, 60), await begin(states, -10), await begin(states, -1000)
    assert await states.purge(time.time() - 500) == 1
    assert (await states.rotate(older, CODE, following(CODE))).rotation is Rotation.UNKNOWN
    assert (await states.rotate(old, CODE, following(CODE))).rotation is Rotation.EXPIRED
    assert await states.purge(time.time() + 10**6) == 1
    assert await states.purge(time.time() + 10**6) == 0
    assert await states.is_active(alive)


async def test_two_families_of_one_id_cannot_be(states):
    """Contract, 6: an error, and the first is untouched."""
    family_id = await begin(states)
    with pytest.raises((ValueError, IntegrityError)):
        await states.create(family_id, CODE, time.time() + 60)
    assert await states.is_active(family_id)


@pytest.mark.parametrize(
    ("current", "revoked", "expired", "presented", "rotation"),
    [
        ("1.1.a", True, True, "1.1.a", Rotation.REVOKED),
        ("1.1.a", False, True, "1.1.a", Rotation.EXPIRED),
        ("1.1.a", False, False, "1.1.a", None),
        ("x", False, False, "y", Rotation.REPLAYED),
    ],
)
def test_the_reason_is_found_in_the_row(current, revoked, expired, presented, rotation):
    """RFC 9700, section 4.14.2."""
    assert classify(FamilyState(current, revoked, expired, 0.0), presented) is rotation
