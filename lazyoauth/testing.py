"""`RefreshTokenStateContract`: the contract of a store as a pytest suite, to be run on one's own.

    class TestOurStore(RefreshTokenStateContract):
        def open_states(self):
            return OurStore("postgresql://...")     # anything to enter with `async with`

No plugin is needed: each test brings its own event loop. The contract in words is the text of `store.py`; what a test holds a
store to stands in its docstring. A store that passes is still to be tried with several processes and a pulled plug: a suite can
show that a store is wrong, and only make it likely that one is right.
"""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from lazyoauth import jti
from lazyoauth.store import RefreshTokenStateStore, RotateOutcome, Rotation

TIMEOUT_S = 60.0
# The store's clock is not ours, so the past and the future are far away.
HOUR_S = 3600.0
_PAUSE_S = 0.05

States = RefreshTokenStateStore


def _scenario(check: Callable[[Any, States], Awaitable[None]]) -> Callable[[Any], None]:
    """An ordinary test of an asynchronous one, in a loop of its own, with an opened store."""

    def test(self: "RefreshTokenStateContract") -> None:
        async def run() -> None:
            async with asyncio.timeout(TIMEOUT_S), self.open_states() as states:
                await check(self, states)

        with asyncio.Runner() as runner:
            runner.run(run())

    # Not functools.wraps: pytest would look through it and take the store for a fixture.
    test.__name__, test.__doc__ = check.__name__, check.__doc__
    return test


async def begin(states: States, lives_s: float = HOUR_S, generation: int = 1) -> tuple[str, str]:
    """A new family, and its current jti."""
    family_id, current = str(uuid.uuid4()), jti.first(jti.random_part())
    await states.create(family_id, current, time.time() + lives_s)
    for _ in range(generation):
        current = (await use(states, family_id, current)).current_jti
    return family_id, current


async def use(states: States, family_id: str, presented_jti: str, **more: Any) -> RotateOutcome:
    """Present a jti, as a client's request would."""
    return await states.rotate(family_id, presented_jti, jti.successor(presented_jti, jti.random_part()), **more)


class RefreshTokenStateContract:
    """Inherit from it in a test module, with a name that pytest collects, and say how your store is opened."""

    def open_states(self) -> AbstractAsyncContextManager[RefreshTokenStateStore]:
        """Your store, on the storage of this test.

        It is called several times in one test, now and then while another is still open: as the processes of one application
        open it. All of them must see the same families. For a store in memory that means the same object each time.
        """
        raise NotImplementedError("say how your store is opened: def open_states(self): return YourStore(...)")

    @_scenario
    async def test_a_rotation_makes_the_new_jti_current(self, states: States) -> None:
        """1. It adds a dot and its clock in milliseconds, and takes the new end of the family, or leaves the old one."""
        family_id, code = await begin(states, generation=0)
        proposed, end = jti.successor(code, jti.random_part()), time.time() + 10 * HOUR_S
        first = await states.rotate(family_id, code, proposed, end)
        assert first.rotation is Rotation.ROTATED, f"the current jti was presented, and the answer was {first}"
        assert first.current_jti.startswith(f"{proposed}."), "the jti that is kept must begin with the one that was proposed"
        assert abs((jti.issued(first.current_jti) or 0) - time.time()) < HOUR_S / 2, (
            "the store's clock, in milliseconds, must follow it"
        )
        assert abs(first.expires_at - end) < 1, "the new end of the family was not taken"
        second = await use(states, family_id, first.current_jti)
        assert second.rotation is Rotation.ROTATED, f"what rotate answered must be current, and the answer was {second}"
        assert abs(second.expires_at - end) < 1, "a rotation without a new end must keep the old one"
        assert jti.generation(second.current_jti) == 2

    @_scenario
    async def test_of_many_that_present_one_jti_one_succeeds(self, states: States) -> None:
        """1 and 2. Two openings, as two processes have; the rest is a replay, and ends the family. RFC 9700, section 4.14.2."""
        async with self.open_states() as other:
            for generation in (0, 1, 1, 1, 1):
                family_id, current = await begin(states, generation=generation)
                outcomes = await asyncio.gather(*(use(store, family_id, current) for store in (states, other) * 15))
                found = [outcome.rotation for outcome in outcomes]
                assert found.count(Rotation.ROTATED) == 1, f"one of thirty must rotate, and {found.count(Rotation.ROTATED)} did"
                assert set(found) <= {Rotation.ROTATED, Rotation.REPLAYED, Rotation.REVOKED}, found
                assert not await other.is_active(family_id), "the family must have ended"

    @_scenario
    async def test_a_replay_has_ended_the_family_when_it_is_answered(self, states: States) -> None:
        """2. Committed, so that every process sees it, and an error on the way to the client cannot undo it."""
        family_id, first = await begin(states)
        second = await use(states, family_id, first)
        assert (await use(states, family_id, first)).rotation is Rotation.REPLAYED
        async with self.open_states() as other:
            assert not await other.is_active(family_id), "another process still finds the family active"
            assert (await use(other, family_id, second.current_jti)).rotation is Rotation.REVOKED

    @_scenario
    async def test_nothing_rotates_after_a_revocation(self, states: States) -> None:
        """3. However they race: https://github.com/keycloak/keycloak/issues/51312."""
        async with self.open_states() as other:
            for _ in range(5):
                family_id, current = await begin(states)
                rotated, revoked = await asyncio.gather(use(states, family_id, current), other.revoke(family_id))
                assert revoked, "the family was there and not revoked, so revoke must answer True"
                last = rotated.current_jti or current
                for store in (states, other):
                    late = await use(store, family_id, last, window_s=300.0, merge_s=5.0)
                    assert late.rotation is Rotation.REVOKED, f"after revoke had returned, rotate answered {late.rotation}"
                    assert not await store.is_active(family_id), "a rotation that was under way has revived the family"

    @_scenario
    async def test_a_revocation_is_known_to_all_and_final(self, states: States) -> None:
        """3 and 4. The second time there is nothing to revoke; nor is there in a family that was never there."""
        family_id, current = await begin(states)
        assert await states.revoke(family_id) is True
        async with self.open_states() as other:
            assert not await other.is_active(family_id), "another process still finds the family active"
            assert (await use(other, family_id, current)).rotation is Rotation.REVOKED
            assert await other.revoke(family_id) is False
        assert await states.revoke(str(uuid.uuid4())) is False

    @_scenario
    async def test_what_was_answered_is_kept(self, states: States) -> None:
        """4. A new family and a rotation, seen by another process."""
        family_id, current = await begin(states, generation=3)
        async with self.open_states() as other:
            assert await other.is_active(family_id)
            assert (await use(other, family_id, current)).rotation is Rotation.ROTATED

    @_scenario
    async def test_an_expired_family_gives_nothing(self, states: States) -> None:
        """By the store's clock, at the end that the last rotation set; a replay is not looked for any more."""
        code, code_jti = await begin(states, -HOUR_S, generation=0)
        family_id, first = await begin(states)
        second = await use(states, family_id, first, expires_at=time.time() - HOUR_S)
        for expired, presented in ((code, code_jti), (family_id, second.current_jti), (family_id, first)):
            outcome = await use(states, expired, presented, window_s=300.0)
            assert outcome.rotation is Rotation.EXPIRED, f"the family has expired, and rotate answered {outcome.rotation}"
            assert not await states.is_active(expired), "the family has expired, and is_active says otherwise"

    @_scenario
    async def test_a_family_that_is_not_there_is_unknown(self, states: States) -> None:
        """Neither theft nor an error."""
        nobody = str(uuid.uuid4())
        assert (await use(states, nobody, jti.first(jti.random_part()))).rotation is Rotation.UNKNOWN
        assert not await states.is_active(nobody)

    @_scenario
    async def test_a_retry_within_the_window_gets_the_same_successor(self, states: States) -> None:
        """1. Whoever asks and how often: there is one live jti, and no other begins a second line. RFC 9700, section 4.14.2."""
        family_id, current = await begin(states)
        outcomes = await asyncio.gather(*(use(states, family_id, current, window_s=300.0) for _ in range(30)))
        found = [outcome.rotation for outcome in outcomes]
        assert found.count(Rotation.ROTATED) == 1, f"one of thirty must rotate, and {found.count(Rotation.ROTATED)} did"
        assert set(found) == {Rotation.ROTATED, Rotation.REPEATED}, set(found)
        assert len({outcome.current_jti for outcome in outcomes}) == 1, "two of them hold different jtis"
        fourth = (await use(states, family_id, (await use(states, family_id, outcomes[0].current_jti)).current_jti)).current_jti
        late = await use(states, family_id, current, window_s=300.0)
        assert (late.rotation, late.current_jti) == (Rotation.REPEATED, fourth), "three generations back it is still a retry"
        assert (await use(states, family_id, fourth)).rotation is Rotation.ROTATED

    @_scenario
    async def test_outside_the_window_it_is_a_replay(self, states: States) -> None:
        """2. No window, one that is over, a fourth generation, and a code in any case (RFC 6749, section 4.1.2)."""
        for generation, window_s in ((1, 0.0), (1, 0.001), (4, 300.0), (0, 300.0)):
            family_id, presented = await begin(states, generation=min(generation, 1))
            current = presented
            for _ in range(max(generation, 1)):
                current = (await use(states, family_id, current)).current_jti
            await asyncio.sleep(_PAUSE_S)
            outcome = await use(states, family_id, presented, window_s=window_s)
            assert outcome.rotation is Rotation.REPLAYED, f"generation {generation}, window {window_s} s: {outcome.rotation}"
            assert not await states.is_active(family_id)

    @_scenario
    async def test_the_newest_jti_is_its_own_successor_while_a_burst_lasts(self, states: States) -> None:
        """A burst merged; a code is used up however soon it comes, and when the burst is over the family moves on."""
        family_id, code = await begin(states, generation=0)
        first = await use(states, family_id, code, merge_s=5.0)
        assert first.rotation is Rotation.ROTATED
        again = await use(states, family_id, first.current_jti, merge_s=5.0)
        assert (again.rotation, again.current_jti) == (Rotation.REPEATED, first.current_jti)
        await asyncio.sleep(_PAUSE_S)
        assert (await use(states, family_id, first.current_jti, merge_s=0.001)).rotation is Rotation.ROTATED

    @_scenario
    async def test_a_jti_newer_than_the_store_is_no_theft(self, states: States) -> None:
        """A restored backup must not end everybody's login; with `heal` it goes on from the client's token."""
        family_id, current = await begin(states)
        newer = f"2.7.{jti.random_part()}..{int(time.time() * 1000)}"
        assert (await use(states, family_id, newer)).rotation is Rotation.BEHIND
        assert await states.is_active(family_id)
        healed = await use(states, family_id, newer, heal=True)
        assert (healed.rotation, jti.generation(healed.current_jti)) == (Rotation.HEALED, 8)
        assert (await use(states, family_id, current, heal=True)).rotation is Rotation.REPLAYED

    @_scenario
    async def test_a_jti_of_another_form_is_compared_as_a_whole(self, states: States) -> None:
        """Rows may come from another version or another program."""
        family_id, foreign = str(uuid.uuid4()), "a-jti-of-another-program"
        await states.create(family_id, foreign, time.time() + HOUR_S)
        assert (await use(states, family_id, foreign)).rotation is Rotation.ROTATED
        assert (await use(states, family_id, foreign, window_s=300.0)).rotation is Rotation.REPLAYED

    @_scenario
    async def test_purge_forgets_what_expired_and_nothing_else(self, states: States) -> None:
        """5. Whatever time the caller names; a revoked family stays until its end, so that a late replay meets it."""
        (alive, current), (revoked, last) = await begin(states), await begin(states)
        (old, old_jti), (older, older_jti) = [await begin(states, -lived * HOUR_S, generation=0) for lived in (1, 3)]
        await states.revoke(revoked)
        assert await states.purge(time.time() - 2 * HOUR_S) >= 1
        assert (await use(states, older, older_jti)).rotation is Rotation.UNKNOWN, "it expired before the time that was named"
        assert (await use(states, old, old_jti)).rotation is Rotation.EXPIRED, "it expired after the time that was named"
        assert await states.purge(time.time() + 1000 * HOUR_S) >= 1
        assert (await use(states, alive, current)).rotation is Rotation.ROTATED, "a family that had not expired was removed"
        assert (await use(states, revoked, last)).rotation is Rotation.REVOKED, "a revoked family that had not expired was removed"

    @_scenario
    async def test_two_families_of_one_id_cannot_be(self, states: States) -> None:
        """6. An exception, and the first is untouched."""
        family_id, current = await begin(states)
        try:
            await states.create(family_id, jti.first(jti.random_part()), time.time() + HOUR_S)
        except Exception:
            assert (await use(states, family_id, current)).rotation is Rotation.ROTATED
        else:
            raise AssertionError("create must raise when there is a family of that id")
