"""Threads for calls that may block for ever, such as a read from a terminal or a tool that is not async."""

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["Pool", "Worker", "settle"]

T = TypeVar("T")


class Worker:
    """A thread that makes blocking calls, one after the other, started when first needed.

    An executor's threads are waited for when Python exits, but a read from a terminal may never return: this one is a daemon.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_busy = False

    async def run(self, call: Callable[[], T]) -> T:
        """What the call returns or raises. Cancelled, it stops waiting; the call itself goes on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="lazymcp-pipe", daemon=True)
            self._thread.start()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._is_busy = True
        self._calls.put((call, future))
        return await future

    def stop(self, close: Callable[[], None] | None = None) -> None:
        """End the thread, then close what it works on, if that is asked.

        When it is stuck in a call, a file's own lock could make closing wait as long: then another thread waits.
        """
        if self._thread:
            self._calls.put(None)
        if close and self._is_busy:
            threading.Thread(target=_quietly, args=(close,), name="lazymcp-close", daemon=True).start()
        elif close:
            _quietly(close)

    def _work(self) -> None:
        while (work := self._calls.get()) is not None:
            call, future = work
            result, problem = None, None
            try:
                result = call()
            except Exception as raised:
                problem = raised
            self._is_busy = False
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                future.get_loop().call_soon_threadsafe(settle, future, result, problem)


class Pool:
    """Threads that make blocking calls side by side, each started when first needed.

    asyncio's own pool has few threads (CPUs + 4), so a handful of stuck calls would hold up everything else that uses it; and
    Python waits for its threads at exit. These are daemons.

    State: `_idle` counts the threads that wait for a call; more are started while there are fewer than `size`.
    """

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._size = size
        self._calls: queue.SimpleQueue[tuple[contextvars.Context, Callable[[], Any], asyncio.Future[Any]]] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._started = 0

    async def run(self, call: Callable[[], T]) -> T:
        """What the call returns or raises; it sees the caller's context variables.

        Cancelled, it stops waiting: a call that has not begun never does, one that has goes on.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._calls.put((contextvars.copy_context(), call, future))
        if not self._idle.acquire(blocking=False):
            self._start()
        return await future

    def _start(self) -> None:
        with self._lock:
            if self._started < self._size:
                self._started += 1
                threading.Thread(target=self._work, name=f"{self._name}-{self._started}", daemon=True).start()

    def _work(self) -> None:
        while True:
            _make(*self._calls.get())
            self._idle.release()


def _make(context: contextvars.Context, call: Callable[[], Any], future: asyncio.Future[Any]) -> None:
    """Make one call and tell the loop; on its own, so that an idle thread keeps nothing of it."""
    if future.cancelled():
        return
    result, problem = None, None
    try:
        result = context.run(call)
    except BaseException as raised:
        problem = raised
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        future.get_loop().call_soon_threadsafe(settle, future, result, problem)


def settle(future: asyncio.Future[Any], result: Any = None, problem: BaseException | None = None) -> None:
    """Give a future its result or its problem, unless it has one or was cancelled."""
    if future.done():
        return
    if problem is None:
        future.set_result(result)
    else:
        future.set_exception(problem)


def _quietly(close: Callable[[], None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        close()
