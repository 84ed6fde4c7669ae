"""What one serving process tells about itself when the supervisor asks: whether it is ready, and what it has counted.

The supervisor asks over the link, which a thread reads; the answer is made on the event loop, so that a process whose loop hangs
does not pass for a healthy one.
"""

import asyncio
import contextlib
import threading
from typing import Any

from lazyapp.serving.link import CHANGED, OPEN, Ask, WorkerLink


class Vitals:
    """One process's answers. `begin` is called on the loop once the application is up; `hear` in the link's thread.

    `may_open` is set when the supervisor says so: whoever served before is gone.
    """

    def __init__(self, link: WorkerLink) -> None:
        self.may_open = threading.Event()
        self._link = link
        self._app: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, app: Any) -> None:
        """Answer from now on."""
        self._app, self._loop = app, asyncio.get_running_loop()

    def hear(self, ask: Ask) -> None:
        """See that a question is answered; one that comes too late is not."""
        if ask == OPEN:
            self.may_open.set()
        elif ask == CHANGED and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._app.files_changed)
        elif self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._take, ask)

    def _take(self, ask: Ask) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(ask))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, ask: Ask) -> None:
        found = await self._app.readiness() if ask.about == "readyz" else self._app.metrics.snapshot()
        with contextlib.suppress(OSError):  # the supervisor is gone
            self._link.answer(ask, found)
