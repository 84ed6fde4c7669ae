"""The development server: one process, replaced whenever the application's code changes.

From a change on, requests wait in the sockets for the new code. The next process imports the application while the one before it
ends, and opens it when that one is gone, so two never have the same things open. A start that fails is answered for until the next
change, which may mend it.
"""

import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from lazyapp.serving.ahead import OWN
from lazyapp.serving.banner import Surface
from lazyapp.serving.crew import Crew, Task, task
from lazyapp.serving.link import Failed, Report
from lazyapp.serving.processes import Process, how
from lazyapp.serving.reload import Burst, Changes, watching
from lazyapp.serving.stand_in import standing_in
from lazyapp.serving.stand_in_page import Trouble
from lazyapp.serving.telling import say, show

FRAMEWORK = Path(__file__).resolve().parent.parent.parent
NAMED = 3


async def develop(crew: Crew) -> int:
    """Serve until the run is to end; the exit code when the first start fails and no change of a file could mend it.

    Raises:
        Stopped: the run is to end.
    """
    async with watching(crew.plan.location.root) as changes:
        return await _Development(crew, changes).run()


class _Development:
    """State of one run: `_since` is when the change was noticed that the present start answers, None while none is under way."""

    def __init__(self, crew: Crew, changes: Changes) -> None:
        self._crew = crew
        self._changes = changes
        self._since: float | None = None
        self._was_up = False
        self._imported: Sequence[str] = ()

    async def run(self) -> int:
        process = await self._crew.next()
        self._crew.order(process)
        process.open()
        while True:
            report, burst = await self._outcome(process)
            if report is not None:
                show(self._crew.plan, report, self._since if self._was_up else None)
                if isinstance(report, Failed) and report.is_given and not self._was_up:
                    return report.code
                self._since = None
                burst = await self._until_change(process, report, burst)
            process = await self._replace(process, burst)

    async def _outcome(self, process: Process) -> tuple[Report | None, Burst]:
        """How a start went, and what changed meanwhile that may mend a failed one; or the change of code that overtook it."""
        reported, missed = task(process.report()), Burst()
        while True:
            changed = task(self._changes.get())
            await self._crew.first(reported, changed)
            if not changed.done():
                changed.cancel()
                return reported.result(), missed
            # First, though the report may be there as well: a change that is not heard here is never served.
            missed += changed.result()
            if missed.code:
                reported.cancel()
                return None, missed

    async def _until_change(self, process: Process, report: Report, missed: Burst) -> Burst:
        if isinstance(report, Surface):
            self._was_up, self._imported = True, report.imported
            await self._crew.warm(self._imported)
            burst = await self._until_change_or_end(process)
            if burst is not None:
                return burst
            failed = Failed(f"The server process ended ({how(await process.exited())}).")
            say(failed.text, sys.stderr)
        else:
            failed = report
            await self._crew.warm(self._imported)
            if any(missed):
                return missed
        token = f"down-{secrets.token_hex(6)}" if self._crew.plan.refresh else None
        async with standing_in(self._crew.plan.sockets, Trouble(failed.text, failed.causes, token)):
            say("Waiting for a change …")
            return await self._crew.result(self._changes.get())

    async def _until_change_or_end(self, process: Process) -> Burst | None:
        """The change of code that ends a process; None when it ended by itself."""
        exited = task(process.exited())
        while True:
            changed = task(self._changes.get())
            await self._crew.first(changed, exited)
            if not changed.done():
                changed.cancel()
                return None
            burst: Burst = changed.result()
            if burst.code:
                exited.cancel()
                return burst
            if burst.shown:
                process.tell_changed()

    async def _replace(self, process: Process, burst: Burst) -> Process:
        """The process that follows another, which is ended meanwhile."""
        if self._since is None:
            self._since = time.monotonic()
            files = [*burst.code, *burst.shown, *burst.others]
            more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
            say(f"{', '.join(files[:NAMED])}{more} changed, starting again …")
        ending: Task = task(self._crew.end(process))
        if any(self._is_framework(file) for file in burst.code):
            await self._crew.drop_spare()
        following = await self._crew.next(self._imported)
        if not process.is_up:
            await ending  # what it has compiled of a file that has changed since must not outlast it
        burst += await self._changes.settle()
        self._changes.forget_compiled(burst)
        self._crew.order(following)
        await ending
        following.open()
        return following

    def _is_framework(self, file: str) -> bool:
        """Whether a file is the framework's, which lies beside the application in a checkout of it."""
        path = self._crew.plan.location.root / file
        return path.is_relative_to(FRAMEWORK) and path.relative_to(FRAMEWORK).parts[0] in OWN
