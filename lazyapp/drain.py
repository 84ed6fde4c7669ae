"""The end of a run as the application lives it: it says that it is no longer ready, answers on, and ends its event streams.

A request ends by itself and is waited for. An event stream does not, so it is ended here, with the proper end of its body: its
client sees an end and not a fault, and connects again, to somebody who stays. The server (`serving/server.py`) decides when; under
another server a signal does.

State: one `Drain` belongs to one run of one application, and only its event loop's thread touches it, but for `end_streams`.
"""

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Any

from lazymcp.stop_signals import StopSignals

# A client comes back at once, on the connection it has, to a server that goes on for a moment.
SWEEP_AFTER_S = 0.5


class Drain:
    """Whether a run is ending, and the event streams of its pages."""

    def __init__(self) -> None:
        self.is_draining = False
        self._is_last_call = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: set[asyncio.Task[Any]] = set()
        self._ended: set[asyncio.Task[Any]] = set()
        self._signals = StopSignals(self.end_streams)

    @property
    def open_streams(self) -> int:
        """How many event streams are being sent."""
        return len(self._open)

    def begin(self) -> None:
        """From now on the run says that it is not ready; nothing else changes."""
        self.is_draining = True

    def end_streams(self, *, for_good: bool = False) -> None:
        """End every event stream that is open, and those that come right after. From any thread, in a signal handler too.

        Args:
            for_good: also those that come ever after, because no new connection does.
        """
        self._is_last_call = self._is_last_call or for_good
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # a loop that is closed has no streams any more
                self._loop.call_soon_threadsafe(self._end_now_and_soon)

    def hold(self, task: asyncio.Task[Any]) -> None:
        """Take on a request whose answer is an event stream. Its task is cancelled when the stream has to end."""
        if not self._open:
            self._loop = asyncio.get_running_loop()
            self._signals.watch()
        self._open.add(task)
        if self._is_last_call:
            self._end(task)

    def has_ended(self, task: asyncio.Task[Any]) -> bool:
        """Whether a cancellation that reached this request is ours, and nobody else's besides; then it counts no more."""
        return task in self._ended and task.uncancel() == 0

    def release(self, task: asyncio.Task[Any]) -> None:
        """Let go of a request, whether it was held or not."""
        self._ended.discard(task)
        if task in self._open:
            self._open.remove(task)
            if not self._open:
                self._signals.unwatch()

    def _end_now_and_soon(self) -> None:
        self._sweep()
        asyncio.get_running_loop().call_later(SWEEP_AFTER_S, self._sweep)

    def _sweep(self) -> None:
        for task in self._open - self._ended:
            self._end(task)

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._ended.add(task)
        task.cancel()


def is_event_stream(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether an answer with these headers is one. HTML Living Standard, section 9.2 (server-sent events)."""
    for name, value in headers:
        if name.lower() == b"content-type":
            return value.lower().startswith(b"text/event-stream")
    return False
