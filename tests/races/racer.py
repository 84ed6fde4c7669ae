"""One of the processes of a race: it does what each line of its input says, all at once, and answers in one line.

    python -m tests.races.racer <database URL> <store>

Job: `{"family_id", "presented", "count", "window_s", "revokes"}`.
Answer: `{"outcomes": [[rotation, jti], …], "late": [rotation, …]}`; `late` are rotations that began after a finished revocation.
"""

import asyncio
import json
import sys
from typing import Any

from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import RotateOutcome, SQLRefreshTokenStates, jti
from tests.lazyoauth.broken_stores import SQLReadsThenWrites

STORES = {"ours": SQLRefreshTokenStates, "reads then writes": SQLReadsThenWrites}
CONNECTIONS = 20


async def race(states: SQLRefreshTokenStates, job: dict[str, Any]) -> dict[str, Any]:
    """Everything that one job asks for, at once."""
    family_id, presented = job["family_id"], job["presented"]

    async def rotate() -> RotateOutcome:
        return await states.rotate(family_id, presented, jti.successor(presented, jti.random_part()), None, job["window_s"])

    async def revoke() -> list[str]:
        await states.revoke(family_id)
        return [(await rotate()).rotation.value]

    rotations = [rotate() for _ in range(job["count"])]
    ending = asyncio.create_task(revoke()) if job["revokes"] else None
    outcomes = await asyncio.gather(*rotations)
    late = await ending if ending else []
    return {"outcomes": [[outcome.rotation.value, outcome.current_jti] for outcome in outcomes], "late": late}


async def main(url: str, store: str) -> None:
    """Serve until the input ends."""
    # A race is no service: whoever waits for a connection waits, however busy the machine is.
    engine = create_async_engine(url, pool_size=CONNECTIONS, max_overflow=0, pool_timeout=3600)
    try:
        # Entered, so that it rotates as it does in a server: over lanes of its own.
        async with STORES[store](engine) as states:
            print("ready", flush=True)
            while line := await asyncio.to_thread(sys.stdin.readline):
                print(json.dumps(await race(states, json.loads(line))), flush=True)
    finally:
        await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
