"""`Journal`: the events of one stream, kept for a client that lost it and comes back. Of older revisions only.

MCP 2025-11-25, basic/transports, "Resumability and redelivery": an event's id names its stream and its place in it. A stream has
one reader at a time; whoever comes last reads on, from where it says it was.

State: bounded. What a client has not read is kept up to MAX_STREAM_BYTES, and the answer whatever its size; a finished stream is
forgotten KEEP_S after its answer, sooner when all of them together exceed MAX_BYTES.
"""

import asyncio
import secrets
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from typing import Final

__all__ = ["Journal", "Journals"]

KEEP_S: Final = 300.0
MAX_STREAM_BYTES: Final = 1024 * 1024
MAX_BYTES: Final = 32 * 1024 * 1024
# What a finished journal costs besides its events.
_EACH: Final = 2 * 1024


class Journal:
    """One stream.

    Attributes:
        session: the session it belongs to.
        stream_id: its name, unlike that of any other stream.
        polls: whether the client knows events without data, and so can be sent away and come back.
        size: how many bytes are kept.
        is_followed: whether a reader came back, so that the first connection has nothing more to say.
        is_over: whether the answer is there, or will never be.
    """

    __slots__ = ("_changed", "_events", "_last", "_reader", "_retry", "is_over", "polls", "session", "size", "stream_id")

    def __init__(self, session: str, stream_id: str, *, polls: bool) -> None:
        self.session = session
        self.stream_id = stream_id
        self.polls = polls
        self.size = 0
        self.is_over = False
        self._events: deque[tuple[int, bytes]] = deque()
        self._last = 0
        self._reader = 0
        self._retry: tuple[int, bytes] | None = None
        self._changed = asyncio.Event()

    @property
    def is_followed(self) -> bool:
        return self._reader > 0

    def open(self) -> bytes:
        """The first event: an id to come back with, and no data. Nothing for revisions that do not know it."""
        return b"id: %b.0\ndata: \n\n" % self.stream_id.encode() if self.polls else b""

    def add(self, data: bytes) -> bytes:
        """Keep a message; gives the event that carries it."""
        self._last += 1
        event = b"id: %b.%d\nevent: message\ndata: %b\n\n" % (self.stream_id.encode(), self._last, data)
        if not self.is_over:
            self._events.append((self._last, event))
            self.size += len(event)
            while self.size > MAX_STREAM_BYTES and len(self._events) > 1:
                self.size -= len(self._events.popleft()[1])
            self._change()
        return event

    def send_away(self, retry_ms: int) -> bytes:
        """Let the reader go, to come back after a while; gives what tells it so. HTML, "Server-sent events", `retry`."""
        wait = b"retry: %d\n\n" % retry_ms
        self._retry = (self._reader, wait)
        self._change()
        return wait

    def end(self) -> None:
        """Nothing follows."""
        self.is_over = True
        self._change()

    async def follow(self, after: int) -> AsyncIterator[tuple[int, bytes]]:
        """The events after a place, each with its own, as they come: until the last one, or until another reader takes over.

        What sends the reader away again has no place, and comes as 0.
        """
        self._reader += 1
        reader = self._reader
        self._change()
        while reader == self._reader:
            changed = self._changed
            for place, event in self._after(after):
                after = place
                yield place, event
            if changed is not self._changed:
                continue
            if self._retry is not None and self._retry[0] == reader:
                yield 0, self._retry[1]
                return
            if self.is_over:
                return
            await changed.wait()

    def _after(self, place: int) -> list[tuple[int, bytes]]:
        # Places follow one another. What was read is not looked at again: with each event that comes that would be all of them.
        new = min(len(self._events), self._events[-1][0] - place) if self._events else 0
        return [self._events[-count] for count in range(new, 0, -1)]

    def _change(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


class Journals:
    """The journals of one process, those at work and those that are finished."""

    def __init__(self) -> None:
        # A process knows its own streams, and so those that it has forgotten.
        self.name = secrets.token_hex(8)
        self._count = 0
        self._kept: dict[str, Journal] = {}
        self._finished: OrderedDict[str, asyncio.TimerHandle] = OrderedDict()
        self._size = 0

    def open(self, session: str, *, polls: bool) -> Journal:
        """A new journal."""
        self._count += 1
        journal = Journal(session, f"{self.name}-{self._count}", polls=polls)
        self._kept[journal.stream_id] = journal
        return journal

    def find(self, session: str, stream_id: str) -> Journal | None:
        """The journal of a session's stream; of no other's."""
        journal = self._kept.get(stream_id)
        return journal if journal is not None and journal.session == session else None

    def is_forgotten(self, stream_id: str) -> bool:
        """Whether a stream was of this process and is not kept any more."""
        return stream_id.startswith(f"{self.name}-") and stream_id not in self._kept

    def end(self, journal: Journal) -> None:
        """Begin to forget a journal."""
        journal.end()
        if journal.stream_id not in self._kept or journal.stream_id in self._finished:
            return
        loop = asyncio.get_running_loop()
        self._finished[journal.stream_id] = loop.call_later(KEEP_S, self._forget, journal.stream_id)
        self._size += _EACH + journal.size
        while self._size > MAX_BYTES:
            self._forget(next(iter(self._finished)))

    def forget(self, session: str) -> None:
        """Forget what a session that ended has not read."""
        for stream_id in [name for name in self._finished if self._kept[name].session == session]:
            self._forget(stream_id)

    def _forget(self, stream_id: str) -> None:
        self._finished.pop(stream_id).cancel()
        self._size -= _EACH + self._kept.pop(stream_id).size
