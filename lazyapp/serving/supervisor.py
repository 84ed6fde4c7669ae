"""The process behind `lazyapp serve`: it keeps the sockets and the serving processes, and outlives every one of them.

In development there is one process, started again when a file changes; in production one or several, replaced when they die. Only
the supervisor prints the banner, decides about signals and gives the exit code.
"""

import asyncio
import signal
import sys
import time
from collections.abc import Coroutine
from typing import Any, TextIO

from lazyapp.serving.banner import Surface, render, wants_colour
from lazyapp.serving.link import Failed, Report, grace_for
from lazyapp.serving.processes import Process, Start, how
from lazyapp.serving.reload import watching
from lazyapp.serving.serve import Plan

Task = asyncio.Task[Any]


class Stopped(Exception):
    """The supervisor was told to end: no error, so not called one."""


def supervise(plan: Plan) -> int:
    """Serve until a signal comes, or until a process cannot start; the exit code."""
    return asyncio.run(_supervise(plan))


async def _supervise(plan: Plan) -> int:
    crew = Crew(plan)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP on purpose
            loop.add_signal_handler(number, crew.stop)
    try:
        return await (_develop(crew) if plan.reload else _keep_running(crew))
    except Stopped:
        return 0
    finally:
        await crew.end_all()


class Crew:
    """The serving processes of one run. `_processes` holds every one that may be alive; only `start` and `end` change it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._grace = grace_for(plan.run.env)
        self._start = Start(plan.sockets, self._grace, plan.run.password)
        self._processes: set[Process] = set()
        self._stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        """Let the run end; asked a second time, without waiting for anybody."""
        if self._stop.done():
            for process in self._processes:
                process.kill()
            return
        self._stop.set_result(None)

    @property
    def processes(self) -> frozenset[Process]:
        """Those that are alive, or were when last looked at."""
        return frozenset(self._processes)

    async def start(self) -> Process:
        """One more process. Never cancelled, so none is ever started and forgotten."""
        process = await Process.start(self._start)
        self._processes.add(process)
        return process

    async def end(self, *processes: Process) -> None:
        """Return when these are gone."""
        await asyncio.gather(*(process.end(self._grace) for process in processes))
        self._processes.difference_update(processes)

    async def end_all(self) -> None:
        """Return when nobody is left."""
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


async def _develop(crew: Crew) -> int:
    """One process, started again at every change; a failed start waits for the next."""
    was_up, since = False, 0.0
    while True:
        # A new watch each time, for a folder may have been added; what changes in between, the next process reads anyway.
        async with watching(crew.plan.location.root) as bursts:
            process = await crew.start()
            changed, report = _task(bursts.get()), _task(process.report())
            await crew.first(report, changed)
            if report.done():
                is_up = isinstance(report.result(), Surface)
                _show(crew.plan, report.result(), since if was_up else None)
                was_up = was_up or is_up
                await _until_change(crew, process, changed, is_up=is_up)
            report.cancel()
            since = time.monotonic()
            _say(f"{', '.join(changed.result()[:3])} changed, starting again …")
        await crew.end(process)


async def _until_change(crew: Crew, process: Process, changed: Task, *, is_up: bool) -> None:
    if is_up:
        exited = _task(process.exited())
        await crew.first(changed, exited)
        if exited.done() and not changed.done():
            _say(f"The server process ended ({how(exited.result())}).", sys.stderr)
        exited.cancel()
    if not changed.done():
        _say("Waiting for a change …")
        await crew.first(changed)


async def _keep_running(crew: Crew) -> int:
    """As many processes as planned, until one cannot start; the exit code of that one."""
    heard = await _add(crew, 1)  # one before the others: what one process refuses, all would
    if isinstance(heard, Surface) and crew.plan.run.workers > 1:
        heard = await _add(crew, crew.plan.run.workers - 1)
    _show(crew.plan, heard, None)
    while isinstance(heard, Surface):
        heard = await _replace(crew)
        if isinstance(heard, Failed):
            _show(crew.plan, heard, None)
    return heard.code


async def _replace(crew: Crew) -> Report:
    """Wait until processes die, and start as many."""
    exits = {_task(process.exited()): process for process in crew.processes}
    await crew.first(*exits)
    gone = {process: exited.result() for exited, process in exits.items() if exited.done()}
    for exited in exits:
        exited.cancel()
    for process, code in gone.items():
        _say(f"Worker {process.pid} ended ({how(code)}); starting another.", sys.stderr)
    await crew.end(*gone)
    return await _add(crew, len(gone))


async def _add(crew: Crew, count: int) -> Report:
    """Start processes and hear them all: a failure if there is one, else what they offer."""
    reports = [_task((await crew.start()).report()) for _ in range(count)]
    for report in reports:
        await crew.first(report)
    heard: list[Report] = [report.result() for report in reports]
    return next((report for report in heard if isinstance(report, Failed)), heard[0])


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
