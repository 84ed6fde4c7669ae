"""The process behind `lazyapp serve`: it keeps the sockets and the serving processes, and outlives every one of them.

In development there is one process, started again when a file changes; in production one or several, each in a place of its own in
which it is replaced when it dies. The first start decides whether the run goes on; what goes wrong later is tried again. Only the
supervisor prints the banner, decides about signals and gives the exit code.
"""

import asyncio
import signal
import sys
import time
from dataclasses import dataclass
from typing import NoReturn

from lazyapp.served_at import telling_where
from lazyapp.serving.back_off import BackOff
from lazyapp.serving.banner import Surface
from lazyapp.serving.control import Control, controlled
from lazyapp.serving.crew import Crew, Stopped
from lazyapp.serving.development import develop
from lazyapp.serving.interpreters import Interpreter
from lazyapp.serving.link import Failed
from lazyapp.serving.processes import Process, how
from lazyapp.serving.serve import Plan
from lazyapp.serving.telling import say, show


def supervise(plan: Plan, first: Interpreter | None = None) -> int:
    """Serve until a signal comes, or end when the first process cannot start; the exit code.

    Args:
        plan: what to serve.
        first: a process that was started ahead of the plan; None: none was.
    """
    if plan.run.env == "production":
        return asyncio.run(_supervise(plan, first))
    with telling_where(plan.location.root, plan.run.origin):
        return asyncio.run(_supervise(plan, first))


async def _supervise(plan: Plan, first: Interpreter | None) -> int:
    crew = Crew(plan)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP on purpose
            loop.add_signal_handler(number, crew.stop)
    async with controlled(Control(crew.up, crew.is_ending), plan.control_sockets):
        try:
            if first is not None:
                await crew.take(first)
            return await (develop(crew) if plan.reload else _keep_running(crew))
        except Stopped:
            return 0
        finally:
            await crew.end_all()


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that is up, and what it offers."""

    process: Process
    surface: Surface


async def _keep_running(crew: Crew) -> int:
    """As many processes as planned, for as long as the run lasts; the exit code of the first one when it cannot start."""
    first = await _attempt(crew)
    if isinstance(first, Failed):  # what the first process refuses, all would
        show(crew.plan, first, None)
        return first.code
    others = await asyncio.gather(*(_attempt(crew) for _ in range(crew.plan.run.workers - 1)))
    show(crew.plan, first.surface, None)
    if crew.plan.warning is not None:
        say(crew.plan.warning, sys.stderr)
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
        say(f"{said}; starting another{f' in {pause_s:g} s' if pause_s else ''}.", sys.stderr)
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
        process = await crew.next()
    except OSError as error:
        return Failed(f"No process can be made: {error.strerror}.")
    crew.order(process)
    process.open()
    report = await crew.result(process.report())
    if isinstance(report, Failed):
        await crew.end(process)
        return report
    return Worker(process, report)
