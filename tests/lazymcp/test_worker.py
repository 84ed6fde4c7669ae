"""lazymcp/worker.py: calls that may block for ever, out of the way of the loop and of Python's exit."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lazymcp.worker import Worker


async def test_calls_are_made_one_after_the_other_in_one_thread():
    """Two writes to one stream must not overlap."""
    worker, seen = Worker(), []

    def call(number):
        seen.append((number, threading.get_ident()))
        return number * 2

    assert await asyncio.gather(*(worker.run(lambda n=n: call(n)) for n in range(20))) == [n * 2 for n in range(20)]
    assert [number for number, _ in seen] == list(range(20))
    assert len({thread for _, thread in seen}) == 1
    assert threading.get_ident() not in {thread for _, thread in seen}
    worker.stop()


async def test_what_a_call_raises_is_raised():
    """An error reaches the one who waits."""
    worker = Worker()
    with pytest.raises(ZeroDivisionError):
        await worker.run(lambda: 1 / 0)
    assert await worker.run(lambda: 3) == 3
    worker.stop()


async def test_stopping_ends_the_thread_and_closes_at_once():
    """Nothing is left of a worker that waits."""
    worker, closed = Worker(), []
    thread = await worker.run(threading.current_thread)
    worker.stop(lambda: closed.append(threading.current_thread()))
    assert closed == [threading.current_thread()]
    await asyncio.to_thread(thread.join, 20)
    assert not thread.is_alive()


async def test_stopping_never_waits_for_a_call_that_is_stuck():
    """A file's own lock may be held by the thread that is stuck: closing waits elsewhere."""
    worker, gate, began, closed = Worker(), threading.Lock(), threading.Event(), threading.Event()

    def stuck():
        began.set()
        with gate:
            pass

    gate.acquire()
    call = asyncio.create_task(worker.run(stuck))
    await asyncio.to_thread(began.wait, 20)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    def close():
        with gate:
            closed.set()

    worker.stop(close)
    assert not closed.is_set()
    gate.release()
    assert await asyncio.to_thread(closed.wait, 20)


async def test_a_failing_close_is_nobodys_business():
    """The peer may have closed it first."""
    reads, writes = os.pipe()
    os.close(writes)
    os.close(reads)
    Worker().stop(lambda: os.close(reads))


def test_a_stuck_call_does_not_keep_python():
    """An executor's threads are waited for at exit; this one is not. The call outlives its loop, too."""
    script = """
import asyncio, os
from lazymcp.worker import Worker
async def main():
    reads, writes = os.pipe()
    worker = Worker()
    call = asyncio.create_task(worker.run(lambda: os.read(reads, 1)))
    await asyncio.sleep(0.1)
    call.cancel()
    return writes
writes = asyncio.run(main())
os.write(writes, b"x")  # the loop is closed: nobody is told
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parents[2], capture_output=True, timeout=30, check=True
    )
    assert done.stderr == b""
