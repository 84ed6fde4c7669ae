"""The serving processes of one run, and the one that waits to become the next."""

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from lazyapp.serving.interpreters import Interpreter
from lazyapp.serving.processes import Process, Start
from lazyapp.serving.serve import Plan

T = TypeVar("T")
Task = asyncio.Task[Any]


class Stopped(Exception):
    """The supervisor was told to end: no error, so not called one."""


class Crew:
    """All processes of one run.

    State: `_processes` holds every one that may be alive; only `take`, `_make` and `end` change it. `_spare` is the one among them
    that has no orders yet.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._grace = plan.grace
        self._start = Start(plan.sockets, self._grace, plan.run.password, plan.environment)
        self._processes: set[Process] = set()
        self._spare: Process | None = None
        self._stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._making = asyncio.Lock()

    def stop(self) -> None:
        """Let the run end; asked a second time, without waiting for anybody."""
        if self._stop.done():
            for process in self._processes:
                process.kill()
            return
        self._stop.set_result(None)

    def is_ending(self) -> bool:
        """Whether the run was told to end."""
        return self._stop.done()

    def up(self) -> list[Process]:
        """The processes that serve."""
        return [process for process in self._processes if process.is_up]

    async def take(self, interpreter: Interpreter) -> None:
        """Let a process that was started already be the spare one."""
        async with self._making:
            self._spare = await Process.start(interpreter)
            self._processes.add(self._spare)

    async def warm(self, names: Sequence[str]) -> None:
        """Have a spare process.

        Args:
            names: what it imports ahead, besides what every application needs.
        """
        async with self._making:
            if self._spare is None and not self._stop.done():
                with contextlib.suppress(OSError):  # no room now; the next start will say so, if it is still so
                    self._spare = await self._make(names)

    async def drop_spare(self) -> None:
        """Have none: what it has imported is no longer so."""
        async with self._making:
            spare, self._spare = self._spare, None
            if spare is not None:
                await self.end(spare)

    async def next(self, names: Sequence[str] = ()) -> Process:
        """One more process, which has imported what it could ahead of its orders. Never cancelled, so none is ever forgotten.

        Args:
            names: what it imports ahead when there is no spare one, besides what every application needs.

        Raises:
            Stopped: the run is to end.
            OSError: this machine has no room for another process.
        """
        if self._spare is not None and not self._spare.is_fresh:
            await self.drop_spare()
        async with self._making:
            if self._stop.done():
                raise Stopped
            process, self._spare = self._spare or await self._make(names), None
        await self.result(process.ready())
        return process

    def order(self, process: Process) -> None:
        """Let a process import the application; it opens it when it is told to."""
        process.order(self._start)

    async def _make(self, names: Sequence[str]) -> Process:
        process = await Process.start(Interpreter.start(names))
        self._processes.add(process)
        return process

    async def end(self, *processes: Process) -> None:
        """Return when these are gone."""
        await asyncio.gather(*(process.end(self._grace) for process in processes))
        self._processes.difference_update(processes)

    async def end_all(self) -> None:
        """Return when nobody is left, the one that is being started included."""
        async with self._making:
            # Left open, connections would be taken up for which nobody comes any more. Until the last process has closed them too,
            # they are answered.
            for listener in self.plan.sockets:
                listener.close()
            await self.end(*self._processes)

    async def first(self, *waits: Task) -> None:
        """Return when one of these is done.

        Raises:
            Stopped: the run is to end.
        """
        await asyncio.wait({self._stop, *waits}, return_when=asyncio.FIRST_COMPLETED)
        if self._stop.done():
            for wait in waits:
                wait.cancel()
            raise Stopped

    async def result(self, wait: Coroutine[Any, Any, T]) -> T:
        """What a wait comes to.

        Raises:
            Stopped: the run is to end.
        """
        waiting = task(wait)
        await self.first(waiting)
        found: T = waiting.result()
        return found


def task(wait: Coroutine[Any, Any, Any]) -> Task:
    """A wait that goes on by itself."""
    return asyncio.create_task(wait)
