"""GET of older clients: the stream on which a session hears of changes, and the rest of a stream that a client lost.

Both are held like any stream that waits (`streams.py`), and end with the client, with the server, or with what they are for.
"""

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from lazymcp.bus import BusUnavailable
from lazymcp.exchange import Exchange
from lazymcp.gate import Refusal
from lazymcp.journal import MAX_STREAM_BYTES
from lazymcp.legacy_desk import Desk
from lazymcp.legacy_news import Ear
from lazymcp.registry import Registry
from lazymcp.sessions import Session
from lazymcp.streams import ClientLeft

__all__ = ["listen", "resume"]

# How long the process that has a stream may take to say so. There may be none.
FOUND_S: Final = 2.0
_MAX_STREAM, _MAX_PLACE = 64, 12


class _Answer:
    """An answer that stays open until the client leaves, the server stops, or `end` is called."""

    def __init__(self, registry: Registry, exchange: Exchange) -> None:
        self._registry = registry
        self._exchange = exchange
        self._task: asyncio.Task[Any] | None = None
        self._is_over = False
        self.gone = exchange.gone

    async def keep_alive(self) -> None:
        await self._exchange.keep_alive()

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
            if not await self._registry.streams.hold(self):
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


class _Resuming(_Answer):
    """The rest of a stream.

    State: what came over the bus and was not written yet, and how far the client has come.
    """

    def __init__(self, registry: Registry, exchange: Exchange, ask: Callable[[int], Awaitable[None]], place: int) -> None:
        super().__init__(registry, exchange)
        self._ask = ask
        self._place = place
        self._events: deque[str] = deque()
        self._size = 0
        self._changed = asyncio.Event()
        self._is_answered = False
        self.is_complete = False

    def hear(self, message: Mapping[str, Any]) -> None:
        self._is_answered = True
        if "event" not in message:
            self.is_complete = message["is_over"]
        elif message["place"] == 0 or message["place"] > self._place:
            self._place = message["place"] or self._place
            self._events.append(message["event"])
            self._size += len(message["event"])
            # Nobody holds back a tool for a client that reads elsewhere; the journal keeps no more either, and the answer is last.
            while self._size > MAX_STREAM_BYTES and len(self._events) > 1:
                self._size -= len(self._events.popleft())
        self._changed.set()

    async def find(self) -> None:
        """Ask for it.

        Raises:
            Refusal: nobody has it.
        """
        await self._ask(self._place)
        try:
            async with asyncio.timeout(FOUND_S):
                while not self._is_answered:
                    await self._changed.wait()
                    self._changed.clear()
        except TimeoutError:
            raise _unknown() from None

    async def write(self) -> None:
        while True:
            while self._events:
                event = self._events.popleft()
                self._size -= len(event)
                await self._exchange.repeat(event.encode())
            if self.is_complete:
                self.end()
                return
            await self._changed.wait()
            self._changed.clear()

    async def keep_alive(self) -> None:
        # A bus may lose a message, and the process that has the stream may die: ask again, and end when nobody answers.
        if not self._is_answered:
            self.end()
            return
        self._is_answered = False
        with contextlib.suppress(BusUnavailable):
            await self._ask(self._place)
        await super().keep_alive()


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
    stream, place = _read(last_event_id)
    if desk.journals.is_forgotten(stream):
        raise _unknown()
    topic = f"rest:{secrets.token_hex(16)}"
    rest = _Resuming(registry, exchange, lambda after: desk.ask_for_rest(session, (stream, after), topic), place)
    stop = registry.bus.listen(topic, rest.hear)
    try:
        await rest.find()
        writing = asyncio.get_running_loop().create_task(rest.write())
        try:
            await rest.stay()
        finally:
            writing.cancel()
            if not rest.is_complete:
                await desk.leave_rest(session, topic)
    finally:
        stop()


def _read(value: bytes) -> tuple[str, int]:
    """The stream and the place that an event id names.

    Raises:
        Refusal: we never wrote it.
    """
    stream, _, place = value.decode("latin-1").rpartition(".")
    if not stream or len(stream) > _MAX_STREAM or not place.isascii() or not place.isdecimal() or len(place) > _MAX_PLACE:
        raise _unknown()
    return stream, int(place)


def _unknown() -> Refusal:
    return Refusal(400, "no stream of this session has that event; it may have been answered too long ago")
