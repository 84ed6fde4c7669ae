"""What it costs to ask each request for its token, and how soon a login that ended is refused: `python -m benchmarks.bearer`.

The check of a token that was verified before is timed against the same resource without a guard, in turns, without a socket.
A revocation is timed from the call of the store's `revoke` in this process until another one, to which the login was alive a moment
before, has heard of it over PostgreSQL's NOTIFY. The bars are the project's budgets.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import uvloop
from sqlalchemy.ext.asyncio import create_async_engine

from benchmarks.contest import LOAD_CORE, SERVER_CORE
from lazyoauth import Config, SQLRefreshTokenStates
from lazyoauth.http import ASGIApp
from tests.lazyoauth.journey import ISSUER, SECRET, echo, make_journey, make_users
from tests.postgres import DURABLE, running

ROUNDS, CALLS, REVOCATIONS = (3, 2_000, 30) if "--quick" in sys.argv else (9, 20_000, 300)
CHECK_AT_MOST_US, P99_AT_MOST_S = 30.0, 1.0
CODE = "1.0.cccccccccccccccccccccc"


async def time_calls(app: ASGIApp, token: str) -> float:
    """Microseconds a call, one after the other."""
    statuses: set[int] = set()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, int]) -> None:
        if "status" in message:
            statuses.add(message["status"])

    headers = [(b"host", b"app.example"), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers, "client": None}
    began = time.perf_counter()
    for _ in range(CALLS):
        await app(dict(scope), receive, send)
    took_s = time.perf_counter() - began
    if statuses != {200}:
        raise RuntimeError(f"the resource answered {sorted(statuses)}")
    return took_s / CALLS * 1e6


async def check_cost(states: SQLRefreshTokenStates) -> bool:
    """Whether the check of a token that is known costs little enough."""
    users = make_users()
    config = Config(issuer=ISSUER, refresh_token_states=states, authenticator=users, secret=SECRET)
    journey = make_journey(config, users, time.time)
    token, guarded = (await journey.login()).access_token, journey.server.guard(echo)
    costs = []
    for number in range(ROUNDS + 1):
        bare_us, ours_us = await time_calls(echo, token), await time_calls(guarded, token)
        # The first round warms up.
        costs += [ours_us - bare_us] if number else []
    cost_us = statistics.median(costs)
    spread = f"{min(costs):.1f} to {max(costs):.1f} in {len(costs)} rounds"
    return verdict(cost_us < CHECK_AT_MOST_US, f"bearer check, cached: {cost_us:.1f} µs ({spread}), bar < {CHECK_AT_MOST_US:g}")


async def check_revocations(states: SQLRefreshTokenStates, url: str) -> bool:
    """Whether the other process refuses soon enough what this one has revoked."""
    command = [sys.executable, "-m", "benchmarks.bearer", "--listen", url]
    other = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    stdin, stdout = other.stdin, other.stdout
    if stdin is None or stdout is None:
        raise RuntimeError("the other process has no streams")
    took: list[float] = []
    for _ in range(REVOCATIONS):
        family_id = str(uuid.uuid4())
        await states.create(family_id, CODE, time.time() + 60)
        stdin.write(f"{family_id}\n".encode())
        if await stdout.readline() != b"alive\n":
            raise RuntimeError("the other process does not know a living login")
        began = time.perf_counter()
        await states.revoke(family_id)
        if await stdout.readline() != f"{family_id}\n".encode():
            raise RuntimeError("the other process heard of another login")
        took.append(time.perf_counter() - began)
    stdin.close()
    await other.wait()
    p99_s = statistics.quantiles(took, n=100)[98]
    spread = f"median {statistics.median(took) * 1000:.1f}, most {max(took) * 1000:.1f} of {len(took)}"
    return verdict(
        p99_s < P99_AT_MOST_S, f"revocation seen elsewhere: p99 {p99_s * 1000:.1f} ms ({spread}), bar < {P99_AT_MOST_S:g} s"
    )


async def listen(url: str) -> None:
    """The other process: says of each login that it is named whether it lives, and then when it has ended."""
    engine, line = create_async_engine(url), asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(line), sys.stdin)
    async with SQLRefreshTokenStates(engine) as states:
        states.on_revoked(lambda family_id: print(family_id, flush=True))
        while family_id := (await line.readline()).decode().strip():
            print("alive" if await states.is_active(family_id) else "dead", flush=True)
    await engine.dispose()


def verdict(holds: bool, sentence: str) -> bool:
    """Print a bar; whether it holds."""
    print(f"  {'PASS' if holds else 'FAIL'}  {sentence}")
    return holds


async def main() -> bool:
    """Start a durable PostgreSQL on the other core, and measure."""
    os.sched_setaffinity(0, {LOAD_CORE})
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), DURABLE) as server:
        os.sched_setaffinity(0, {SERVER_CORE})
        async with server.database() as url:
            engine = create_async_engine(url)
            async with SQLRefreshTokenStates(engine) as states:
                verdicts = [await check_cost(states), await check_revocations(states, url)]
            await engine.dispose()
            return all(verdicts)


if __name__ == "__main__":
    if "--listen" in sys.argv:
        asyncio.run(listen(sys.argv[-1]))
    else:
        sys.exit(0 if uvloop.run(main()) else 1)
