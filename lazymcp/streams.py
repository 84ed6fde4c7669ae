"""`Streams`: the answers that stay open, so that they are cheap while nothing happens and end when the server does.

A stream that is held costs its request's own task and one entry here: one timer keeps all of them alive, a round of them each
second. `end` ends them properly. A web server that stops waits for open answers, without end if nobody ends them; so SIGTERM and
Ctrl-C end them too (`stop_signals.py`).

State: what is open, by event loop. Nothing outlives the last stream.
"""

import asyncio
import contextlib
import math
import time
from collections.abc import Callable
from typing import Final, Protocol

from lazyauth import current_claims
from lazymcp.stop_signals import StopSignals

__all__ = ["KEEP_ALIVE_S", "ClientLeft", "LongLink", "Streams"]

# https://github.com/punkpeye/fastmcp/issues/120: proxies cut a stream that is silent for 30 seconds.
KEEP_ALIVE_S: Final = 15
# A server notices within a tenth of a second that it has to stop, and takes requests until then.
SWEEP_AFTER_S: Final = 0.5


class ClientLeft(Exception):
    """The client closed the connection; nobody reads an answer."""


class LongLink(Protocol):
    """The transport's side of a stream."""

    async def keep_alive(self) -> None:
        """Send what shows that the stream is alive; nothing where silence cuts nothing."""
        ...

    async def gone(self) -> None:
        """Wait until the client has left."""
        ...


class _Held:
    __slots__ = ("breath", "is_ended", "link", "place", "task", "until")

    def __init__(self, link: LongLink, task: asyncio.Task[object], place: int, until: float) -> None:
        self.link = link
        self.task = task
        self.place = place
        self.until = until
        self.is_ended = False
        self.breath: asyncio.Task[None] | None = None


class Streams:
    """The long streams of a scope."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._decks: dict[asyncio.AbstractEventLoop, _Deck] = {}

    async def hold(self, link: LongLink) -> bool:
        """Wait, in the task of the request, for the end of a stream.

        A token opens a stream for as long as it is valid itself: the server ends the stream soon after.

        Returns:
            Whether the server ends it, and a last word is to be said; False when the client has left.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task is None:
            raise RuntimeError("a stream is held in the task of its request")
        deck = self._decks.get(loop)
        if deck is None:
            deck = self._decks[loop] = _Deck(loop, self.end, self._now)
        held = deck.add(link, task, _expiry())
        try:
            await link.gone()
        except asyncio.CancelledError:
            # Ours, and nobody else's besides? Whatever cancels a task that stands here is delivered here.
            if not held.is_ended or task.uncancel() > 0:
                raise
        finally:
            deck.remove(held)
            if deck.is_empty:
                deck.close()
                self._decks.pop(loop, None)
        return held.is_ended

    def __len__(self) -> int:
        return sum(deck.count for deck in self._decks.values())

    def end(self) -> None:
        """End every stream that is open, and those that come right after. From any thread, in a signal handler too."""
        loops = set(self._decks)
        with contextlib.suppress(RuntimeError):
            loops.add(asyncio.get_running_loop())
        for loop in loops:
            with contextlib.suppress(RuntimeError):  # a loop that is closed has no streams any more
                loop.call_soon_threadsafe(self._end, loop)

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        self._sweep(loop)
        # Clients come back at once, on the connection they have, to a server that goes on for a moment. A flag could tell that it
        # is stopping, but nobody would tell that another one starts.
        loop.call_later(SWEEP_AFTER_S, self._sweep, loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        if deck := self._decks.get(loop):
            deck.end()


class _Deck:
    """The streams of one event loop, in rounds that take turns to be kept alive."""

    def __init__(self, loop: asyncio.AbstractEventLoop, stop: Callable[[], None], now: Callable[[], float]) -> None:
        self._loop = loop
        self._now = now
        self._rounds: list[set[_Held]] = [set() for _ in range(KEEP_ALIVE_S)]
        self._count = 0
        self._added = 0
        self._turn = 0
        self._signals = StopSignals(stop)
        self._signals.watch()
        self._timer = loop.call_later(1, self._tick)

    @property
    def count(self) -> int:
        return self._count

    @property
    def is_empty(self) -> bool:
        return self._count == 0

    def add(self, link: LongLink, task: asyncio.Task[object], until: float) -> _Held:
        # Dealt out one by one: a thousand that come in one second are not kept alive in one burst ever after.
        held = _Held(link, task, self._added % KEEP_ALIVE_S, until)
        self._added += 1
        self._count += 1
        self._rounds[held.place].add(held)
        return held

    def remove(self, held: _Held) -> None:
        self._count -= 1
        self._rounds[held.place].discard(held)
        if held.breath is not None:
            held.breath.cancel()

    def end(self) -> None:
        for held in [held for circle in self._rounds for held in circle]:
            _end(held)

    def close(self) -> None:
        self._timer.cancel()
        self._signals.unwatch()

    def _tick(self) -> None:
        self._timer = self._loop.call_later(1, self._tick)
        self._turn = (self._turn + 1) % KEEP_ALIVE_S
        now = self._now()
        for held in self._rounds[self._turn]:
            if held.until <= now:
                _end(held)
            # One that still waits for its reader to take the last one needs no other.
            elif held.breath is None or held.breath.done():
                held.breath = self._loop.create_task(held.link.keep_alive())


def _end(held: _Held) -> None:
    if not held.is_ended:
        held.is_ended = True
        held.task.cancel()


def _expiry() -> float:
    """Until when the caller's token is valid, in Unix seconds. RFC 7519, section 4.1.4."""
    claims = current_claims()
    expiry = None if claims is None else claims.get("exp")
    return expiry if isinstance(expiry, int | float) else math.inf
