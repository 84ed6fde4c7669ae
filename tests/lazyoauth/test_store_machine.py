"""Whatever is done to families, in whatever order: every store does what a list of jtis would."""

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import MemoryRefreshTokenStates, RefreshTokenStateStore, RotateOutcome, Rotation, SQLRefreshTokenStates, jti
from lazyoauth.sql import families as table
from tests.lazyoauth import broken_stores as broken
from tests.lazyoauth.journey import Clock

HOUR_S = 3600.0
REMEMBERED = 3
GOES_ON = (Rotation.ROTATED, Rotation.REPEATED, Rotation.HEALED)


@dataclass
class World:
    """Where one store lives: its event loop, its clock, and how an empty one is had."""

    run: Callable[[Any], Any]
    now: Callable[[], float]
    fresh: Callable[[], RefreshTokenStateStore]
    #: Seconds that a window can be; where the clock cannot be moved they are nothing or much longer than a run.
    windows: tuple[float, ...] = (0.0, 10 * HOUR_S)
    clock: Clock | None = None


@dataclass
class Model:
    """A family as it should be.

    Attributes:
        line: its jtis, the oldest first; what is current is the last.
        at: when each was issued, by the store's clock.
        lost: jtis of before a restored backup was healed.
    """

    expires_at: float
    line: list[str]
    at: list[float]
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    lost: list[str] = field(default_factory=list)
    revoked: bool = False
    is_gone: bool = False

    def fate(self, back: int, now: float, window_s: float, merge_s: float) -> Rotation:
        """What is due to the jti that was current so many rotations ago."""
        if (ended := self.end(now)) is not None:
            return ended
        # Of the current one, or since this one was replaced; by two readings of a clock that are rounded, so not below nothing.
        age = max(now - self.at[-max(back, 1)], 0.0)
        is_code = jti.generation(self.line[-1 - back]) == 0
        if back == 0:
            return Rotation.REPEATED if age < merge_s and not is_code else Rotation.ROTATED
        return Rotation.REPEATED if back <= REMEMBERED and age < window_s and not is_code else Rotation.REPLAYED

    def end(self, now: float) -> Rotation | None:
        """Why nothing of it is good any more, if that is so."""
        if self.is_gone:
            return Rotation.UNKNOWN
        return Rotation.REVOKED if self.revoked else Rotation.EXPIRED if self.expires_at <= now else None


class Families(RuleBasedStateMachine):
    """Several families in one store."""

    world: World
    families: Bundle[Model] = Bundle("families")
    tolerances = st.sampled_from([0, 1, 2])
    ends = st.sampled_from([None, None, None, None, HOUR_S, 9 * HOUR_S, -HOUR_S])

    def __init__(self) -> None:
        super().__init__()
        self.states, self.known, self.looks = self.world.fresh(), list[Model](), 0

    @rule(
        target=families,
        lives_s=st.sampled_from([5 * HOUR_S, 5 * HOUR_S, HOUR_S, -HOUR_S]),
        generation=st.sampled_from([0, 1, 2, 5]),
    )
    def create(self, lives_s: float, generation: int) -> Model:
        code = jti.first(jti.random_part())
        model = Model(self.world.now() + lives_s, [code], [self.world.now()])
        self.world.run(self.states.create(model.id, code, model.expires_at))
        self.known.append(model)
        for _ in range(generation if lives_s > 0 else 0):
            self.present(model, 0, None, 0, 0)
        return model

    @rule(model=families, ends=ends, merge=tolerances, window=tolerances)
    def present_the_current_one(self, model: Model, ends: float | None, merge: int, window: int) -> None:
        self.present(model, 0, ends, window, merge)

    @rule(model=families, back=st.integers(1, 5), ends=ends, merge=tolerances, window=tolerances)
    def present_one_that_was_used(self, model: Model, back: int, ends: float | None, merge: int, window: int) -> None:
        self.present(model, min(back, len(model.line) - 1), ends, window, merge)

    def present(self, model: Model, back: int, ends: float | None, window: int, merge: int) -> None:
        """The one door: what comes back is what the model says, and the line grows by what the store made of it."""
        window_s, merge_s = (self.world.windows[min(each, len(self.world.windows) - 1)] for each in (window, merge))
        due = model.fate(back, self.world.now(), window_s, merge_s)
        outcome, proposed = self.rotate(model, model.line[-1 - back], ends, window_s=window_s, merge_s=merge_s)
        assert outcome.rotation is due
        if due is Rotation.ROTATED:
            self.grow(model, outcome, proposed, ends)
        elif due is Rotation.REPEATED:
            assert outcome.current_jti == model.line[-1], "there is one live jti, and whoever may have it gets that one"
        model.revoked = model.revoked or due is Rotation.REPLAYED

    def rotate(self, model: Model, presented: str, ends: float | None, **more: Any) -> tuple[RotateOutcome, str]:
        proposed = jti.successor(presented, jti.random_part())
        end = None if ends is None else self.world.now() + ends
        outcome: RotateOutcome = self.world.run(self.states.rotate(model.id, presented, proposed, end, **more))
        assert bool(outcome.current_jti) is (outcome.rotation in GOES_ON)
        return outcome, proposed

    def grow(self, model: Model, outcome: RotateOutcome, proposed: str, ends: float | None) -> None:
        at = jti.issued(outcome.current_jti)
        assert outcome.current_jti.startswith(f"{proposed}.")
        assert at is not None
        assert abs(at - self.world.now()) < HOUR_S / 2
        model.line.append(outcome.current_jti)
        model.at.append(at)
        model.expires_at = model.expires_at if ends is None else self.world.now() + ends
        assert abs(outcome.expires_at - model.expires_at) < 60

    @rule(model=families, heal=st.booleans(), ends=ends)
    def present_one_that_the_store_has_forgotten(self, model: Model, heal: bool, ends: float | None) -> None:
        """A backup was restored: the client's token is newer."""
        ahead = (jti.generation(model.line[-1]) or 0) + 4
        newer = f"2.{ahead}.{jti.random_part()}..{int(self.world.now() * 1000)}"
        due = model.end(self.world.now()) or (Rotation.HEALED if heal else Rotation.BEHIND)
        outcome, proposed = self.rotate(model, newer, ends, heal=heal)
        assert outcome.rotation is due
        if due is Rotation.HEALED:
            model.lost += model.line
            model.line, model.at = [newer], [self.world.now()]
            self.grow(model, outcome, proposed, ends)

    @rule(model=families, window=tolerances)
    def present_what_never_was(self, model: Model, window: int) -> None:
        """As a thief with the key would, or a client from before a restore."""
        forged = f"2.{jti.generation(model.line[-1])}.{jti.random_part()}."
        for presented in (forged, *model.lost[:1]):
            due = model.end(self.world.now()) or Rotation.REPLAYED
            outcome, _ = self.rotate(model, presented, None, window_s=self.world.windows[min(window, len(self.world.windows) - 1)])
            assert outcome.rotation is due
            model.revoked = model.revoked or due is Rotation.REPLAYED

    @rule(model=families)
    def revoke(self, model: Model) -> None:
        assert self.world.run(self.states.revoke(model.id)) is (not model.is_gone and not model.revoked)
        model.revoked = True

    @rule(before_s=st.sampled_from([-2 * HOUR_S, 0.0, 1000 * HOUR_S]))
    def purge(self, before_s: float) -> None:
        limit = min(self.world.now() + before_s, self.world.now())
        over = [model for model in self.known if not model.is_gone and model.expires_at < limit]
        assert self.world.run(self.states.purge(self.world.now() + before_s)) == len(over)
        for model in over:
            model.is_gone = True

    @precondition(lambda self: self.world.clock is not None)
    @rule(seconds=st.sampled_from([0.5, 0.5, 1.0, 20.0, 20.0, 40.0, HOUR_S]))
    def advance(self, seconds: float) -> None:
        assert self.world.clock is not None
        self.world.clock.now += seconds

    @rule(model=consumes(families))
    def present_everything(self, model: Model) -> None:
        """All that was ever given out, strictly: at most one of it was alive, and afterwards nothing is."""
        alive = model.end(self.world.now()) is None
        found = [self.rotate(model, presented, None)[0].rotation for presented in (*reversed(model.line), *model.lost)]
        assert found.count(Rotation.ROTATED) == alive
        model.revoked = model.revoked or (alive and len(found) > 1)
        if alive and len(found) == 1:
            self.world.run(self.states.revoke(model.id))
            model.revoked = True

    @invariant()
    def what_has_ended_stays_so_and_the_rest_lives(self) -> None:
        """Looked at in turn, and all of them at the end: asking takes longer than anything else here."""
        self.looks += 1
        self.look_at(self.known[self.looks % len(self.known) :][:1] if self.known else [])

    def teardown(self) -> None:
        self.look_at(self.known)

    def look_at(self, known: list[Model]) -> None:
        for model in known:
            assert self.world.run(self.states.is_active(model.id)) is (model.end(self.world.now()) is None)


def try_out(world: World, examples: int, steps: int = 30) -> None:
    """Let Hypothesis do its worst; what it does is the same in each run."""
    machine = type("FamiliesThere", (Families,), {"world": world})
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    options = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=checks,
        phases=[Phase.generate],
    )
    run_state_machine_as_test(machine, settings=options)


def in_memory(runner: asyncio.Runner, store: Callable[[Clock], MemoryRefreshTokenStates]) -> World:
    clock = Clock()
    return World(runner.run, clock, lambda: store(clock), (0.0, 1.0, 30.0), clock)


@contextmanager
def on_database(url: str) -> Iterator[World]:
    with asyncio.Runner() as runner:
        engine = create_async_engine(url)
        states = SQLRefreshTokenStates(engine)
        runner.run(states.__aenter__())

        async def empty() -> None:
            async with engine.begin() as connection:
                await connection.execute(sa.delete(table))

        def fresh() -> RefreshTokenStateStore:
            runner.run(empty())
            return states

        yield World(runner.run, time.time, fresh)
        runner.run(states.__aexit__(None, None, None))
        runner.run(engine.dispose())


def test_a_store_in_memory_does_what_the_model_does() -> None:
    """Contract of a store, 1 to 5 (lazyoauth/store.py); RFC 9700, section 4.14.2."""
    with asyncio.Runner() as runner:
        try_out(in_memory(runner, MemoryRefreshTokenStates), 60)


@pytest.mark.parametrize(("database", "examples"), [("sqlite", 8), ("postgres", 5)])
def test_a_database_does_what_the_model_does(database: str, examples: int, request: pytest.FixtureRequest) -> None:
    """The same, by the database's own clock, which nobody moves: a family ends where its end lies in the past."""
    with on_database(request.getfixturevalue(f"{database}_url")) as world:
        try_out(world, examples, 20)


@pytest.mark.parametrize(
    "store",
    [
        broken.Revives,
        broken.Forks,
        broken.ForgivesCodes,
        broken.ForgetsTheEnd,
        broken.NeverEnds,
        broken.ForgetsTooMuch,
        broken.ForgetsRevoked,
        broken.RollsBack,
        broken.TakesRestoredForTheft,
    ],
)
def test_a_store_with_a_mistake_is_told_from_the_model(store: type[MemoryRefreshTokenStates]) -> None:
    """So that the runs above are worth something: each mistake that one caller alone can see."""
    with asyncio.Runner() as runner, pytest.raises(AssertionError):
        try_out(in_memory(runner, store), 60)
