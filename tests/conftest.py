"""What every test may ask for: a real database, and the rule about what a machine lacks."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.postgres import MissingPostgresError, Postgres, running

pytest_plugins = ["tests.secrecy.plugin"]

#: `bin/test --all` sets it: a run that must prove everything may skip nothing.
NOTHING_MAY_BE_SKIPPED = os.environ.get("LAZYAPP_TEST_ALL") == "1"


def pytest_configure(config: pytest.Config) -> None:
    # What a shell runs in the background ignores Ctrl-C, and hands that on: every server that is ended so would run for ever.
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    config.addinivalue_line("markers", "requirement(id): the entry of tests/requirements that this test shows")


def close_settled(runner: asyncio.Runner, close: Callable[[asyncio.Runner], None] = asyncio.Runner.close) -> None:
    """Close a loop after it has seen the ends of its connections.

    The end of one is three turns of the loop: the bytes end, the transport closes, the socket does. A loop that is closed before
    leaves a socket to the garbage collector, whose warning hits a later test at random.
    """
    if getattr(runner, "_loop", None) is not None:
        runner.run(_settle())
    close(runner)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


asyncio.Runner.close = close_settled  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Postgres]:
    """The run's PostgreSQL server, one for all of xdist's workers."""
    own = tmp_path_factory.getbasetemp()
    run_folder = own if worker_id == "master" else own.parent
    try:
        with running(run_folder) as server:
            yield server
    except MissingPostgresError as missing:
        pytest.skip(str(missing))


@pytest.fixture
async def postgres_url(postgres: Postgres) -> AsyncIterator[str]:
    """The URL of a new, empty PostgreSQL database, for this test alone."""
    async with postgres.database() as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of an SQLite file that does not exist yet."""
    return f"sqlite+aiosqlite:///{tmp_path / 'test.sqlite3'}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The test runs once for each database that lazyapp knows."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    forbid_skip(report)
    return report


def forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure where nothing may be skipped, unless its reason begins with "does not apply"."""
    if not NOTHING_MAY_BE_SKIPPED or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2]).removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else ""
    if not reason.startswith("does not apply"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and this run (bin/test --all) may skip nothing: {reason}"
