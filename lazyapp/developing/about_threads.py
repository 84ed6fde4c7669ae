"""Work in a few threads of its own, given up when its time is over: whoever waits is answered, whatever the work does.

A thread cannot be ended from outside, so one that hangs takes its place until it comes back. It takes none of the threads that
the rest of the process uses, and the process ends without waiting for it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")


class Threads:
    """At most `number` threads, each begun when it is first needed. All state is the queue and the list, the list under its lock.

    Not a ThreadPoolExecutor: the interpreter waits for the threads of one before it ends.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._threads: list[Thread] = []
        self._lock = Lock()

    async def run(self, work: Callable[[], T], timeout_s: float) -> T:
        """What `work` returns.

        Args:
            work: called in one of the threads, or never if none becomes free in time.
            timeout_s: counted from now, the wait for a thread included.

        Raises:
            TimeoutError: the time is over; work that has begun goes on.
        """
        answer: Future[T] = Future()
        self._jobs.put((answer, work))
        self._begin_one()
        return await asyncio.wait_for(asyncio.wrap_future(answer), timeout_s)

    def _begin_one(self) -> None:
        with self._lock:
            if len(self._threads) < self._number:
                thread = Thread(target=self._work, name="lazyapp-about", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _work(self) -> None:
        while True:
            answer, work = self._jobs.get()
            if not answer.set_running_or_notify_cancel():
                continue  # whoever asked has left
            try:
                answer.set_result(work())
            except BaseException as error:  # it belongs to whoever asked; the thread goes on
                answer.set_exception(error)
            del answer, work  # a thread that waits keeps nobody's rows
