"""uvicorn's server with an end of its own, because a bare one leaves by the signal and cuts what would not end by itself.

An end has an order: the application says that it is not ready and answers on, so that whoever sends it visitors can look away; then
nobody new is accepted and event streams are ended; then running requests finish, within a time; then the application is closed.
"""

import asyncio
import contextlib
import gc
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn

from lazyapp.serving.link import Grace
from lazyapp.serving.log_lines import SERVER

TICK_S = 0.1
# A request that was cut off still closes what it has open.
UNWIND_WITHIN_S = 1.0
# Closed with its request unread, a connection is reset, and the request is lost: RFC 9112, section 9.6.
FIRST_WITHIN_S = 0.2

logger = logging.getLogger("lazyapp")


class Server(uvicorn.Server):
    """Tells when it is up, ends in order, and keeps the error of a failed start or end instead of logging a wall of traceback."""

    def __init__(self, config: uvicorn.Config, app: Any, grace: Grace, when_up: Callable[["Server"], None]) -> None:
        super().__init__(config)
        self.failure: BaseException | None = None
        self._app = app
        self._grace = grace
        self._when_up = when_up
        self._opening: asyncio.Task[Any] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then listen."""
        app: Any = self.config.loaded_app

        async def watched(scope: Any, receive: Any, send: Any) -> None:
            self._opening = asyncio.current_task()
            try:
                await app(scope, receive, send)
            except BaseException as error:
                self.failure = error
                raise

        # The lifespan runs through `watched`; requests, which come later, run through the application itself.
        self.config.loaded_app = watched
        try:
            with _silence():
                await super().startup(sockets)
            gc.freeze()  # what the start made stays
        finally:
            gc.enable()
            self.config.loaded_app = app
            self._opening = None
        self._when_up(self)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in order; see the module."""
        self._app.drain.begin()
        await self._answer_on()
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        self._app.end_streams()
        await self._part()
        await self._finish()
        with _silence():
            await self.lifespan.shutdown()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGTERM ends the run; SIGINT is the supervisor's to interpret, although a terminal sends it to both."""
        signal.signal(signal.SIGTERM, self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End when there is nothing more to answer; told so while the application opens, close at once what it has open so far."""
        is_first = not self.should_exit
        super().handle_exit(sig, frame)
        # A terminal signals every process and the supervisor each of its own: the second must not cut off that closing.
        if self._opening is not None and is_first:
            self._opening.get_loop().call_soon_threadsafe(self._opening.cancel)

    async def _answer_on(self) -> None:
        # RFC 9112, section 9.6: whoever is answered now asks the next time over another connection, and so somewhere else.
        self.config.encoded_headers = [*self.config.encoded_headers, (b"connection", b"close")]
        for tick in range(round(self._grace.delay_s / TICK_S)):
            await self.on_tick(tick)
            await asyncio.sleep(TICK_S)

    async def _part(self) -> None:
        """Close connections on which nothing is asked; one that was just taken up may be about to, and gets a moment for it."""
        state, clock = self.server_state, asyncio.get_running_loop()
        deadline = clock.time() + FIRST_WITHIN_S
        for connection in list(state.connections):
            if not _is_new(connection):
                connection.shutdown()
        while any(map(_is_new, state.connections)) and clock.time() < deadline:  # noqa: ASYNC110  # as in `_finish`
            await asyncio.sleep(TICK_S / 10)
        for connection in list(state.connections):
            connection.shutdown()

    async def _finish(self) -> None:
        """Return when nobody is being answered any more, if need be because the time is over."""
        state, clock = self.server_state, asyncio.get_running_loop()
        deadline = clock.time() + self._grace.requests_s
        while (state.connections or state.tasks) and clock.time() < deadline:  # noqa: ASYNC110  # uvicorn keeps sets, no events
            await asyncio.sleep(TICK_S / 2)
        if cut := set(state.tasks):
            within_s = self._grace.requests_s
            logger.warning("%d requests ran on after %g s and were cut off; see SHUTDOWN_TIMEOUT_S.", len(cut), within_s)
            for task in cut:
                task.cancel()
            await asyncio.wait(cut, timeout=UNWIND_WITHIN_S)


def _is_new(connection: Any) -> bool:
    """Whether nothing was ever asked on a connection."""
    return getattr(connection, "cycle", connection) is None


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """What goes wrong in here is told by whoever reads `failure`."""
    uvicorns = logging.getLogger(SERVER)
    uvicorns.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        uvicorns.setLevel(logging.WARNING)
