"""The process behind `lazyapp serve`: it keeps the sockets and the serving processes, and outlives every one of them.

In development there is one process, started again when a file changes; in production one or several, each in a place of its own in
which it is replaced when it dies. The first start decides whether the run goes on; what goes wrong later is tried again. Only the
supervisor prints the banner, decides about signals and gives the exit code.
"""

import asyncio
import signal
import sys
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, NoReturn, TextIO, TypeVar

from lazyapp.serving.back_off import BackOff
from lazyapp.serving.banner import Surface, render, wants_colour
from lazyapp.serving.control import Control, controlled
from lazyapp.serving.link import Failed, Report
from lazyapp.serving.processes import Process, Start, how
from lazyapp.serving.reload import watching
from lazyapp.serving.serve import Plan
from lazyapp.serving.stand_in import standing_in

T = TypeVar("T")
Task = asyncio.Task[Any]


class Stopped(Exception):
    """The supervisor was told to end: no error, so not called one."""


def supervise(plan: Plan) -> int:
    """Serve until a signal comes, or end when the first process cannot start; the exit code."""
    return asyncio.run(_supervise(plan))


async def _supervise(plan: Plan) -> int:
    crew = Crew(plan)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP on purpose
            loop.add_signal_handler(number, crew.stop)
    async with controlled(Control(crew.up, crew.is_ending), plan.control_sockets):
        try:
            return await (_develop(crew) if plan.reload else _keep_running(crew))
        except Stopped:
            return 0
        finally:
            await crew.end_all()


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that is up, and what it offers."""

    process: Process
    surface: Surface


class Crew:
    """The serving processes of one run. `_processes` holds every one that may be alive; only `start` and `end` change it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._grace = plan.grace
        self._start = Start(plan.sockets, self._grace, plan.run.password)
        self._processes: set[Process] = set()
        self._stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._starting = asyncio.Lock()

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

    async def start(self) -> Process:
        """One more process. Never cancelled, so none is ever started and forgotten.

        Raises:
            Stopped: the run is to end.
            OSError: this machine has no room for another process.
        """
        async with self._starting:
            if self._stop.done():
                raise Stopped
            process = await Process.start(self._start)
            self._processes.add(process)
        return process

    async def end(self, *processes: Process) -> None:
        """Return when these are gone."""
        await asyncio.gather(*(process.end(self._grace) for process in processes))
        self._processes.difference_update(processes)

    async def end_all(self) -> None:
        """Return when nobody is left, the one that is being started included."""
        async with self._starting:
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
        task = _task(wait)
        await self.first(task)
        found: T = task.result()
        return found


async def _develop(crew: Crew) -> int:
    """One process, started again at every change; a failed start waits for the next; the exit code when none can mend it."""
    was_up, since = False, 0.0
    while True:
        # A new watch each time, for a folder may have been added; what changes in between, the next process reads anyway.
        async with watching(crew.plan.location.root) as bursts:
            process = await crew.start()
            changed, report = _task(bursts.get()), _task(process.report())
            await crew.first(report, changed)
            if report.done():
                found: Report = report.result()
                _show(crew.plan, found, since if was_up else None)
                if isinstance(found, Failed) and found.is_given and not was_up:
                    return found.code
                was_up = was_up or isinstance(found, Surface)
                await _until_change(crew, process, changed, found)
            report.cancel()
            since = time.monotonic()
            _say(f"{', '.join(changed.result()[:3])} changed, starting again …")
        await crew.end(process)


async def _until_change(crew: Crew, process: Process, changed: Task, report: Report) -> None:
    if isinstance(report, Failed):
        text = report.text
    else:
        exited = _task(process.exited())
        await crew.first(changed, exited)
        if changed.done():
            exited.cancel()
            return
        text = f"The server process ended ({how(exited.result())})."
        _say(text, sys.stderr)
    async with standing_in(crew.plan.sockets, text):
        _say("Waiting for a change …")
        await crew.first(changed)


async def _keep_running(crew: Crew) -> int:
    """As many processes as planned, for as long as the run lasts; the exit code of the first one when it cannot start."""
    first = await _attempt(crew)
    if isinstance(first, Failed):  # what the first process refuses, all would
        _show(crew.plan, first, None)
        return first.code
    others = await asyncio.gather(*(_attempt(crew) for _ in range(crew.plan.run.workers - 1)))
    _show(crew.plan, first.surface, None)
    if crew.plan.warning is not None:
        _say(crew.plan.warning, sys.stderr)
    await asyncio.gather(*(_keep_one(crew, attempt) for attempt in (first, *others)))
    raise AssertionError("unreachable")


async def _keep_one(crew: Crew, worker: Worker | Failed) -> NoReturn:
    """One place among the workers: whenever its process ends or cannot start, another follows. How the others are does not matter.

    Raises:
        Stopped: the run is to end.
    """
    back_off = BackOff()
    while True:
        if isinstance(worker, Failed):
            said, lived_s = f"{worker.text}\nA worker could not start", 0.0
        else:
            said, lived_s = await _outlive(crew, worker)
        pause_s = back_off.after(lived_s)
        _say(f"{said}; starting another{f' in {pause_s:g} s' if pause_s else ''}.", sys.stderr)
        await crew.result(asyncio.sleep(pause_s))
        worker = await _attempt(crew)


async def _outlive(crew: Crew, worker: Worker) -> tuple[str, float]:
    """Wait until a worker ends; how it did, and after how many seconds."""
    began = time.monotonic()
    code = await crew.result(worker.process.exited())
    await crew.end(worker.process)
    return f"Worker {worker.process.pid} ended ({how(code)})", time.monotonic() - began


async def _attempt(crew: Crew) -> Worker | Failed:
    """Start a process and hear how that went; one that failed is gone."""
    try:
        process = await crew.start()
    except OSError as error:
        return Failed(f"No process can be made: {error.strerror}.")
    report = await crew.result(process.report())
    if isinstance(report, Failed):
        await crew.end(process)
        return report
    return Worker(process, report)


def _task(wait: Coroutine[Any, Any, Any]) -> Task:
    return asyncio.create_task(wait)


def _show(plan: Plan, report: Report, since: float | None) -> None:
    if isinstance(report, Failed):
        _say(report.text, sys.stderr)
    elif since is None:
        print(render(plan.run, report, colour=wants_colour(sys.stdout)), flush=True)
    else:
        _say(f"Ready again in {time.monotonic() - since:.1f} s.")


def _say(text: str, to: TextIO | None = None) -> None:
    print("\n".join("  " + line for line in text.splitlines()), file=to or sys.stdout, flush=True)
