"""lazyapp/developing/about_threads.py: work that is given up when its time is over."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from lazyapp.developing.about_threads import Threads

# Long enough for a machine that is busy, and over at once where the work hangs.
SOON_S, LATE_S = 0.05, 30


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """What hanging work waits for, so that no thread is left behind."""
    event = threading.Event()
    yield event
    event.set()


async def test_work_answers_or_raises() -> None:
    """docs/about.md, "The database"."""
    threads = Threads(1)
    assert await threads.run(lambda: 1, LATE_S) == 1
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0, LATE_S)
    assert await threads.run(threading.current_thread, LATE_S) is await threads.run(threading.current_thread, LATE_S)


async def test_work_that_hangs_is_given_up(released: threading.Event) -> None:
    """OWASP, Denial of Service: bound what one request may take."""
    with pytest.raises(TimeoutError):
        await Threads(1).run(released.wait, SOON_S)


async def test_no_more_run_than_there_are_places(released: threading.Event) -> None:
    """OWASP, Denial of Service; what waits longer than its time is never begun."""
    threads, began = Threads(2), list[int]()

    def work() -> None:
        began.append(1)
        released.wait()

    for _ in range(4):
        with pytest.raises(TimeoutError):
            await threads.run(work, SOON_S)
    assert len(began) == 2
    released.set()
    assert await threads.run(lambda: "free again", LATE_S) == "free again"
    assert len(began) == 2


async def test_the_threads_of_the_process_stay_free(released: threading.Event) -> None:
    """https://docs.python.org/3/library/asyncio-task.html#asyncio.to_thread shares one pool with everybody."""
    threads = Threads(40)
    waiting = [asyncio.create_task(threads.run(released.wait, LATE_S)) for _ in range(40)]
    assert await asyncio.to_thread(lambda: "free") == "free"
    released.set()
    assert all(await asyncio.gather(*waiting))


def test_a_process_ends_without_waiting_for_them() -> None:
    """https://docs.python.org/3/library/threading.html#thread-objects: daemon threads."""
    code = (
        "import asyncio, threading, lazyapp.developing.about_threads as t\n"
        "try: asyncio.run(t.Threads(1).run(threading.Event().wait, 0.05))\n"
        "except TimeoutError: print('given up')"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "given up\n"
