"""`StopSignals`: hear that the process is asked to stop, without taking its signal handlers away.

A web server that was asked to stop waits for answers that are still being written. A long stream is such an answer, and nobody but
us can end it. The server's lifespan comes too late (it is told after the answers), and a mounted application has none. So while
there are long streams, a handler of ours stands before the server's own, and calls it. Nothing is left behind: with the last
stream the former handler is back, and the next server in this process starts from there
(https://github.com/modelcontextprotocol/python-sdk/issues/3494).
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["StopSignals"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """Tells of SIGTERM and SIGINT between `watch` and `unwatch`."""

    def __init__(self, tell: Callable[[], None]) -> None:
        """Watch nothing yet.

        Args:
            tell: called inside the signal handler, so it may do next to nothing.
        """
        self._tell = tell
        self._ours: dict[int, tuple[Callable[..., Any], Callable[..., Any]]] = {}

    def watch(self) -> None:
        """Stand before the handlers that are there now. Only the main thread may, and only there do servers have any."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _SIGNALS:
            former = signal.getsignal(number)
            # Without a handler of its own the process ends at once, streams or not; so does Python at its Ctrl-C.
            if callable(former) and former is not signal.default_int_handler:
                ours = self._before(former)
                signal.signal(number, ours)
                self._ours[number] = (ours, former)

    def unwatch(self) -> None:
        """Put the former handlers back, unless somebody else has replaced ours meanwhile."""
        for number, (ours, former) in self._ours.items():
            if signal.getsignal(number) is ours:
                signal.signal(number, former)
        self._ours.clear()

    def _before(self, former: Callable[..., Any]) -> Callable[[int, FrameType | None], None]:
        def handle(number: int, frame: FrameType | None) -> None:
            self._tell()
            former(number, frame)

        return handle
