"""`bin/test --races`: a million attempts to win a race twice, and the result as a file.

    python -m tests.races [--attempts 1000000] [--minutes 60] [--write benchmarks/results/races.md]

The races take turns. The time limit stops a run early; the result then says how far it came.
"""

import argparse
import asyncio
import os
import platform
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from tests.postgres import FAST, running
from tests.races.course import RACES, Race, Result, course

CONTROL_ROUNDS = 5


async def main(attempts: int, concurrent: int, processes: int, minutes: float) -> tuple[list[Result], list[Result], str]:
    """The results of the races, those of the control, and which database it was."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder), FAST) as server:
        async with server.database() as url:
            results = [Result(race) for race in RACES]
            ends = time.monotonic() + 60 * minutes
            async with course(url, "ours", processes) as there:
                async with there.states.engine.connect() as connection:
                    version = str(await connection.scalar(sa.text("SHOW server_version")))
                while sum(result.attempts for result in results) < attempts and time.monotonic() < ends:
                    for result in results:
                        await there.run(result, concurrent)
            controls = [Result(race) for race in RACES]
            async with course(url, "reads then writes", processes) as there:
                for _ in range(CONTROL_ROUNDS):
                    for result in controls:
                        await there.run(result, concurrent)
    return results, controls, version


def table(results: list[Result]) -> list[str]:
    """The results as rows, and then what went wrong."""
    lines = ["| race | rounds | attempts | winners: rounds | violations |", "|---|---|---|---|---|"]
    for result in results:
        winners = ", ".join(f"{count}: {rounds}" for count, rounds in sorted(result.winners.items())[:8])
        lines.append(f"| {result.race.name} | {result.rounds:,} | {result.attempts:,} | {winners} | {len(result.violations):,} |")
    total = sum(result.attempts for result in results)
    return [*lines, f"| all | | {total:,} | | {sum(len(result.violations) for result in results):,} |"]


def report(results: list[Result], controls: list[Result], asked: argparse.Namespace, version: str, took_s: float) -> str:
    """The whole result, as Markdown."""
    done = sum(result.attempts for result in results)
    lines = [
        "# Races for one family",
        "",
        f"`bin/test --races`, {datetime.now(UTC):%d %B %Y}: {done:,} attempts in {took_s:,.0f} s, {asked.concurrent} at once from",
        f"{asked.processes} processes. PostgreSQL {version} with fsync off, Python {platform.python_version()},",
        f"{os.cpu_count()} cores.",
    ]
    if done < asked.attempts:
        lines.append(f"The time limit of {asked.minutes:g} minutes ended the run before {asked.attempts:,} attempts.")
    lines += ["", *table(results), ""]
    lines += [f"The control, a store that reads and then writes, {CONTROL_ROUNDS} rounds of each race:", "", *table(controls), ""]
    return "\n".join(lines)


def ask() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="bin/test --races", description="Race several processes for one family on PostgreSQL.")
    parser.add_argument("--attempts", type=int, default=1_000_000)
    parser.add_argument("--concurrent", type=int, default=160)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--write", type=Path, default=Path("benchmarks/results/races.md"))
    return parser.parse_args()


def broken_rules(results: list[Result]) -> list[tuple[Race, str]]:
    """Every violation, with the race in which it was."""
    return [(result.race, violation) for result in results for violation in result.violations]


if __name__ == "__main__":
    asked = ask()
    began = time.monotonic()
    found, control, server_version = asyncio.run(main(asked.attempts, asked.concurrent, asked.processes, asked.minutes))
    text = report(found, control, asked, server_version, time.monotonic() - began)
    asked.write.parent.mkdir(parents=True, exist_ok=True)
    asked.write.write_text(text)
    print(text)
    for race, violation in broken_rules(found)[:20]:
        print(f"{race.name}: {violation}", file=sys.stderr)
    # A control that shows nothing says that the races were none.
    sys.exit(1 if broken_rules(found) or not broken_rules(control) else 0)
