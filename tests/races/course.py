"""The races, and who judges them: several processes present one jti at the same moment, and the rules say who may have won."""

import asyncio
import json
import sys
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import Rotation, SQLRefreshTokenStates, jti

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Race:
    """What is presented, and what else happens.

    Attributes:
        generation: 0 is a code, 1 a refresh token.
        revokes: one process ends the login meanwhile.
    """

    name: str
    generation: int = 1
    window_s: float = 0.0
    revokes: bool = False

    @property
    def forgives(self) -> bool:
        return self.window_s > 0 and self.generation > 0


RACES = (
    Race("refresh against refresh, strict"),
    Race("refresh against refresh, window of 60 s", window_s=60.0),
    Race("refresh against revocation", revokes=True),
    Race("code against code, window of 60 s", generation=0, window_s=60.0),
    Race("code against revocation", generation=0, revokes=True),
)


@dataclass
class Result:
    """What came of the rounds of one race."""

    race: Race
    rounds: int = 0
    attempts: int = 0
    winners: Counter[int] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Course:
    """The processes, ready to go, and a store of our own to look at what they did."""

    racers: Sequence[asyncio.subprocess.Process]
    states: SQLRefreshTokenStates

    async def run(self, result: Result, concurrent: int) -> None:
        """One round, judged."""
        race, family_id, presented = result.race, str(uuid.uuid4()), jti.first(jti.random_part())
        await self.states.create(family_id, presented, time.time() + 3600)
        for _ in range(race.generation):
            presented = (await self._use(family_id, presented)).current_jti
        share = concurrent // len(self.racers)
        jobs = [
            {
                "family_id": family_id,
                "presented": presented,
                "count": share,
                "window_s": race.window_s,
                "revokes": race.revokes and not i,
            }
            for i in range(len(self.racers))
        ]
        answers = await asyncio.gather(*(_ask(racer, job) for racer, job in zip(self.racers, jobs, strict=True)))
        outcomes = [(Rotation(rotation), current) for answer in answers for rotation, current in answer["outcomes"]]
        late = [Rotation(rotation) for answer in answers for rotation in answer["late"]]
        won = [current for rotation, current in outcomes if rotation is Rotation.ROTATED]
        result.rounds += 1
        result.attempts += len(outcomes) + len(late)
        result.winners[len(won)] += 1
        result.violations += [*judge(race, outcomes, late), *await self._look(race, family_id, won)]

    async def _look(self, race: Race, family_id: str, won: list[str]) -> list[str]:
        """What is left when all is over."""
        alive = await self.states.is_active(family_id)
        if alive is not race.forgives:
            return [f"the family is {'alive' if alive else 'dead'} in the end"]
        after = [(await self._use(family_id, current)).rotation for current in won[:1]]
        due = Rotation.ROTATED if race.forgives else Rotation.REVOKED
        return [f"the winner's token is answered {rotation.value} in the end" for rotation in after if rotation is not due]

    async def _use(self, family_id: str, presented: str) -> Any:
        return await self.states.rotate(family_id, presented, jti.successor(presented, jti.random_part()))


def judge(race: Race, outcomes: Sequence[tuple[Rotation, str]], late: Sequence[Rotation]) -> list[str]:
    """The rules that a round broke. RFC 9700, section 4.14.2; RFC 6749, section 4.1.2."""
    winners = sum(rotation is Rotation.ROTATED for rotation, _ in outcomes)
    losers = {rotation for rotation, _ in outcomes} - {Rotation.ROTATED}
    found = []
    if winners > 1 or (winners == 0 and not race.revokes):
        found.append(f"{winners} winners")
    if not losers <= ({Rotation.REPEATED} if race.forgives else {Rotation.REPLAYED, Rotation.REVOKED}):
        found.append(f"losers were told {sorted(rotation.value for rotation in losers)}")
    if race.forgives and len({current for _, current in outcomes}) != 1:
        found.append("more than one successor")
    if set(late) - {Rotation.REVOKED}:
        found.append("a rotation that began after the revocation succeeded")
    return found


@asynccontextmanager
async def course(url: str, store: str = "ours", processes: int = 4) -> AsyncIterator[Course]:
    """The processes on this database; they end with the context, however it is left."""
    engine = create_async_engine(url)
    racers: list[asyncio.subprocess.Process] = []
    async with SQLRefreshTokenStates(engine) as states:
        try:
            racers += await asyncio.gather(*(_start(url, store) for _ in range(processes)))
            for racer in racers:
                assert await _line(racer) == b"ready\n"
            yield Course(racers, states)
        finally:
            for racer in racers:
                assert racer.stdin is not None
                racer.stdin.close()
            for racer in racers:
                await racer.wait()
    await engine.dispose()


async def _start(url: str, store: str) -> asyncio.subprocess.Process:
    command = (sys.executable, "-m", "tests.races.racer", url, store)
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe, limit=2**20)


async def _ask(racer: asyncio.subprocess.Process, job: dict[str, Any]) -> dict[str, Any]:
    assert racer.stdin is not None
    racer.stdin.write(json.dumps(job).encode() + b"\n")
    answer: dict[str, Any] = json.loads(await _line(racer))
    return answer


async def _line(racer: asyncio.subprocess.Process) -> bytes:
    assert racer.stdout is not None
    return await asyncio.wait_for(racer.stdout.readline(), 120)
