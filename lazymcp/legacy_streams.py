"""GET of older clients: the stream on which a session hears of changes, and the rest of a stream that a client lost.

Both are held like any stream that waits (`streams.py`), and end with the client, with the server, or with what they are for.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from lazymcp.exchange import ClientLeft, Exchange
from lazymcp.gate import Refusal
from lazymcp.legacy_desk import Desk
from lazymcp.legacy_news import Ear
from lazymcp.registry import Registry
from lazymcp.sessions import Session

__all__ = ["listen", "resume"]

# How long the process that has a stream may take to say so. There may be none.
FOUND_S: Final = 2.0
_MAX_PLACE: Final = 12


class _Answer:
    """An answer that stays open until the client leaves, the server stops, or `end` is called."""

    def __init__(self, registry: Registry, exchange: Exchange) -> None:
        self._registry = registry
        self._exchange = exchange
        self._task: asyncio.Task[Any] | None = None
        self._is_over = False

    def end(self) -> None:
        if not self._is_over:
            self._is_over = True
            if self._task is not None:
                self._task.cancel()

    async def stay(self) -> None:
        await self._exchange.keep_alive()
        if not self._is_over:
            await self._hold()
        await self._exchange.finish()

    async def _hold(self) -> None:
        self._task = asyncio.current_task()
        try:
            if not await self._registry.streams.hold(self._exchange):
                raise ClientLeft
        except asyncio.CancelledError:
            # Ours, and nobody else's besides?
            if not self._is_over or self._task is None or self._task.uncancel() > 0:
                raise
        finally:
            self._task = None


class _Listening(_Answer):
    """The stream of a session."""

    def __init__(self, registry: Registry, exchange: Exchange, uris: Mapping[str, None]) -> None:
        super().__init__(registry, exchange)
        self._ear = Ear(registry, uris, exchange.notify)
        self.subscribe, self.unsubscribe, self.close = self._ear.subscribe, self._ear.unsubscribe, self._ear.close


async def listen(registry: Registry, desk: Desk, session: Session, exchange: Exchange) -> None:
    """Tell a session what changes, for as long as it listens."""
    exchange.prolong()
    listening = _Listening(registry, exchange, desk.state(session).uris)
    try:
        close = await desk.open_hearing(session, listening)
        try:
            await listening.stay()
        finally:
            close()
    finally:
        listening.close()


async def resume(registry: Registry, desk: Desk, session: Session, exchange: Exchange, last_event_id: bytes) -> None:
    """Give the rest of a stream, whichever process has it.

    Raises:
        Refusal: none has it, any more.
    """
    exchange.prolong()
    event_id = _read(last_event_id)
    rest = _Rest()
    topic = f"rest:{secrets.token_hex(16)}"
    stop = registry.bus.listen(topic, rest.hear)
    try:
        if event_id is None or desk.journals.is_forgotten(event_id[0]):
            raise _unknown()
        await desk.ask_for_rest(session, event_id, topic)
        await rest.begin()
        answer = _Answer(registry, exchange)
        writing = asyncio.get_running_loop().create_task(rest.write(exchange))
        writing.add_done_callback(lambda _: answer.end())
        try:
            await answer.stay()
        finally:
            writing.cancel()
            if not rest.is_over:
                await desk.leave_rest(session, topic)
    finally:
        stop()


class _Rest:
    """What comes over the bus of a stream."""

    def __init__(self) -> None:
        self._events: deque[str] = deque()
        self._changed = asyncio.Event()
        self._is_found = False
        self.is_over = False

    def hear(self, message: Mapping[str, Any]) -> None:
        if "event" in message:
            self._events.append(message["event"])
        else:
            self._is_found = True
            self.is_over = message["is_over"]
        self._changed.set()

    async def begin(self) -> None:
        try:
            async with asyncio.timeout(FOUND_S):
                while not self._is_found:
                    await self._changed.wait()
                    self._changed.clear()
        except TimeoutError:
            raise _unknown() from None

    async def write(self, exchange: Exchange) -> None:
        async for event in self._read():
            await exchange.repeat(event.encode())

    async def _read(self) -> AsyncIterator[str]:
        while True:
            while self._events:
                yield self._events.popleft()
            if self.is_over:
                return
            await self._changed.wait()
            self._changed.clear()


def _read(value: bytes) -> tuple[str, int] | None:
    """The stream and the place that an event id names; None for what we never wrote."""
    stream, _, place = value.decode("latin-1").rpartition(".")
    if not stream or len(stream) > 64 or not place.isascii() or not place.isdecimal() or len(place) > _MAX_PLACE:
        return None
    return stream, int(place)


def _unknown() -> Refusal:
    return Refusal(400, "no stream of this session has that event; it may have been answered too long ago")
