"""The serving processes as the supervisor sees them."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from lazyapp.serving.link import Failed, Grace
from lazyapp.serving.listening import listen
from lazyapp.serving.processes import Process, Start, how
from tests.lazyapp.tiny_app import write_app

SHORT = Grace(requests_s=0, process_s=0.3)
STUBBORN_APP = """
import signal
import time
from pathlib import Path

signal.signal(signal.SIGTERM, signal.SIG_IGN)
Path("is_stubborn").touch()
time.sleep(600)
"""


@pytest.fixture
async def start_in(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[[Path], Awaitable[Process]]]:
    """Start a process in a folder; it is gone afterwards."""
    async with AsyncExitStack() as stack:

        async def start_in(folder: Path) -> Process:
            monkeypatch.chdir(folder)
            sockets = [stack.enter_context(listener) for listener in listen("127.0.0.1", 0)]
            process = await Process.start()
            stack.push_async_callback(process.end, SHORT)
            await process.ready()
            process.order(Start(sockets, SHORT))
            process.open()
            return process

        yield start_in


async def test_a_start_that_fails_is_reported_in_words(
    start_in: Callable[[Path], Awaitable[Process]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line over the link, so that several workers say it once."""
    monkeypatch.setenv("LAZYAPP_ENV", "development")
    process = await start_in(tmp_path)
    report = await process.report()
    assert isinstance(report, Failed)
    assert report.text.startswith("No init/app.py found here or above;")
    assert (report.code, await process.exited()) == (2, 2)


async def test_a_process_that_says_nothing_has_failed_too(
    start_in: Callable[[Path], Awaitable[Process]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAZYAPP_ENV", "development")
    process = await start_in(write_app(tmp_path, "import os\nos._exit(7)\n"))
    assert await process.report() == Failed("The server process ended while it started (exit code 7).")


async def test_a_process_that_ignores_sigterm_is_killed_after_the_grace(
    start_in: Callable[[Path], Awaitable[Process]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """https://github.com/Kludex/uvicorn/issues/2943: nothing may hold up a reload."""
    monkeypatch.setenv("LAZYAPP_ENV", "development")
    process = await start_in(write_app(tmp_path, STUBBORN_APP))
    while not (tmp_path / "is_stubborn").exists():
        await asyncio.sleep(0.02)
    await process.end(SHORT)
    assert await process.exited() == -signal.SIGKILL


def test_a_password_is_not_shown_when_a_start_is_printed() -> None:
    """Style: secret-bearing values hide what they hold."""
    assert "otter" not in repr(Start([], SHORT, "brisk-otter"))


@pytest.mark.parametrize(("code", "words"), [(0, "exit code 0"), (3, "exit code 3"), (-9, "SIGKILL")])
def test_an_exit_code_is_told_in_words(code: int, words: str) -> None:
    assert how(code) == words
