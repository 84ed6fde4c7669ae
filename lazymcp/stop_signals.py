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
        self._posts: dict[int, _Post] = {}

    def watch(self) -> None:
        """Stand before the handlers that are there now. Only the main thread may, and only there do servers have any."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _SIGNALS:
            current = signal.getsignal(number)
            # Several scopes share one post: each with its own would stand before the other, and they could not leave in any order.
            if isinstance(current, _Post):
                post = current
            # Without a handler of its own the process ends at once, streams or not; so does Python at its Ctrl-C.
            elif callable(current) and current is not signal.default_int_handler:
                post = _Post(current)
                signal.signal(number, post)
            else:
                continue
            post.watchers[self] = self._tell
            self._posts[number] = post

    def unwatch(self) -> None:
        """Leave. The last one puts the former handler back, unless somebody else has taken the place meanwhile."""
        for number, post in self._posts.items():
            del post.watchers[self]
            is_in_place = signal.getsignal(number) is post
            if is_in_place and not post.watchers:
                signal.signal(number, post.former)
        self._posts.clear()


class _Post:
    """A signal handler that tells its watchers, and then calls the one it replaced."""

    def __init__(self, former: Callable[..., Any]) -> None:
        self.former = former
        self.watchers: dict[StopSignals, Callable[[], None]] = {}

    def __call__(self, number: int, frame: FrameType | None) -> None:
        for tell in tuple(self.watchers.values()):
            tell()
        self.former(number, frame)
