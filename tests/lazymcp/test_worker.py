"""lazymcp/worker.py: calls that may block for ever, out of the way of the loop and of Python's exit."""

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lazymcp.worker import Pool, Worker


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


async def test_a_pool_makes_calls_side_by_side_and_no_more_threads_than_it_may():
    """Design, section 4: a sync tool never harms another request."""
    pool, barrier = Pool("test-pool", 3), threading.Barrier(3)
    threads = set()
    for _ in range(3):
        threads.add(await pool.run(threading.current_thread))
        async with asyncio.timeout(20):
            while not pool._idle._value:  # a thread tells its result a moment before it is idle
                await asyncio.sleep(0)
    assert len(threads) == 1, "one that is idle is used again"
    await asyncio.gather(*(pool.run(lambda: barrier.wait(20)) for _ in range(3)))
    threads |= set(await asyncio.gather(*(pool.run(threading.current_thread) for _ in range(30))))
    assert {thread.name for thread in threads} <= {"test-pool-1", "test-pool-2", "test-pool-3"}
    assert all(thread.daemon for thread in threads)


async def test_a_pool_hands_the_context_over_and_back_what_is_raised():
    """As asyncio.to_thread does: lazyauth.current_user() works in a sync tool."""
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(5)
    pool = Pool("test-pool", 1)
    assert await pool.run(variable.get) == 5
    for problem in (ValueError, KeyboardInterrupt):
        with pytest.raises(problem):
            await pool.run(lambda problem=problem: (_ for _ in ()).throw(problem))
    assert await pool.run(lambda: 3) == 3


async def test_a_call_that_nobody_waits_for_is_not_made():
    """Calls that were given up while they queued do not hold up those behind them."""
    pool, gate, made = Pool("test-pool", 1), threading.Event(), []
    first = asyncio.create_task(pool.run(lambda: gate.wait(20)))
    given_up = asyncio.create_task(pool.run(lambda: made.append("given up")))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait([given_up])
    gate.set()
    await pool.run(lambda: made.append("last"))
    assert await first
    assert made == ["last"]


def test_a_stuck_call_in_a_pool_does_not_keep_python():
    """A tool that never returns must not keep the process from its end."""
    script = """
import asyncio, threading
from lazymcp.worker import Pool
async def main():
    call = asyncio.create_task(Pool("test-pool", 1).run(threading.Event().wait))
    await asyncio.sleep(0.1)
    call.cancel()
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parents[2], capture_output=True, timeout=30, check=True
    )
    assert done.stderr == b""
