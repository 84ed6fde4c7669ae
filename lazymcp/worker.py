"""A thread for calls that may block for ever, such as a read from a terminal."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["Worker", "settle"]

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


def settle(future: asyncio.Future[Any], result: Any = None, problem: Exception | None = None) -> None:
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
