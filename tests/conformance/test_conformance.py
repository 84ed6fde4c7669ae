"""The official suite judges the server: no failure, no warning, and nothing skipped that the server could show.

Issue 3, "Bars". An ordinary run takes everything on httptools with one process, and the newest revision and the extensions on the
rest. `bin/test --all` takes every combination, as LAZYAPP_TEST_MATRIX=1 does alone; LAZYAPP_TEST_MATRIX=0 keeps it from that.
"""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conformance.running import Running, running
from tests.conformance.suite import FAILURE, INFO, SKIPPED, SUCCESS, WARNING, Check
from tests.conftest import NOTHING_MAY_BE_SKIPPED

EVERYTHING = os.environ.get("LAZYAPP_TEST_MATRIX", "1" if NOTHING_MAY_BE_SKIPPED else "0") == "1"


@dataclass(frozen=True, slots=True)
class Leg:
    """One way to run the suite, and the least it must have looked at, so that no scenario vanishes unseen.

    The numbers of the three revisions are what the official Python SDK 2.3.0 passes.
    """

    options: tuple[str, ...]
    scenarios: int
    passed: int


ALL = ("--suite", "all")
LEGS = {
    "2025-06-18": Leg((*ALL, "--spec-version", "2025-06-18"), scenarios=27, passed=56),
    "2025-11-25": Leg((*ALL, "--spec-version", "2025-11-25"), scenarios=33, passed=84),
    "2026-07-28": Leg((*ALL, "--spec-version", "2026-07-28"), scenarios=40, passed=152),
    "bare": Leg(ALL, scenarios=65, passed=276),
    "requirements-2025-11-25": Leg(("--requirements", "2025-11-25"), scenarios=33, passed=84),
    "requirements-2026-07-28": Leg(("--requirements", "2026-07-28"), scenarios=50, passed=196),
}
SERVERS = [("httptools", 1), ("httptools", 2), ("h11", 1), ("h11", 2)]


def matrix() -> list[tuple[str, int, str]]:
    """Every combination that this run takes."""
    thorough = set(LEGS) if EVERYTHING else {"2026-07-28", "bare"}
    return [(http, workers, leg) for http, workers in SERVERS for leg in LEGS if (http, workers) == SERVERS[0] or leg in thorough]


@pytest.fixture
async def server(request: pytest.FixtureRequest, tmp_path: Path, http: str, workers: int) -> AsyncIterator[Running]:
    """The server under test, new for each run; several workers share a PostgreSQL database."""
    async with AsyncExitStack() as stack:
        postgres = request.getfixturevalue("postgres") if workers > 1 else None
        database = await stack.enter_async_context(postgres.database()) if postgres else ""
        yield stack.enter_context(running(tmp_path / "server.log", http=http, workers=workers, database=database))


def has_passed(check: Check) -> bool:
    """Whether a check counts as passed."""
    # "Server returned JSON for all requests - SSE streaming is optional": no success, and no fault; an answer that needs no stream
    # gets none here.
    return check.status == SUCCESS or (check.status == INFO and check.id == "server-sse-streams-functional")


def is_expected(check: Check) -> bool:
    """Whether the suite skips a check whatever the server does."""
    # Its own words: "pending subscriptions/listen rewrite".
    return check.status == SKIPPED and check.id == "tasks-status-notifications"


@pytest.mark.parametrize(("http", "workers", "leg"), matrix())
async def test_the_official_suite_finds_nothing(suite, server, tmp_path, leg):
    folder = tmp_path / "answers"
    folder.mkdir()
    report = await suite.run(server.url, LEGS[leg].options, folder)
    found = [check for check in report.checks if check.status in (FAILURE, WARNING, SKIPPED) and not is_expected(check)]
    assert not found, "\n".join(str(check) for check in found)
    assert len(report.scenarios) >= LEGS[leg].scenarios, sorted(report.scenarios)
    assert sum(has_passed(check) for check in report.checks) >= LEGS[leg].passed, report.output[-3000:]
