"""Answers that are sent piece by piece: pieces of one whole, or events that follow one another without end.

A stream of pieces (an export, a long text) is a running request like any other, and a server that ends waits for it. A stream of
events is ended by `drain.py`, and each browser opens its own again. Whatever ends a stream, its iterator is closed first: what
stands in its `finally` has run.
"""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from fastapi.responses import Response
from fastapi.sse import KEEPALIVE_COMMENT, ServerSentEvent, format_sse_event
from pydantic_core import to_json

from lazyapp.accept import is_head

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

KEEP_ALIVE_S = 15.0
_EVENT_HEADERS = {
    "cache-control": "no-store",
    # Understood by nginx, which would otherwise keep events back until it has a page of them.
    "x-accel-buffering": "no",
}


class Stream(Response):
    """An answer whose pieces are sent as they come.

    A visitor who leaves ends it: the iterator is cancelled where it waits. An error in it cuts the connection, for an answer that
    was cut short must not look complete (RFC 9112, section 8).

    Args:
        pieces: bytes or text; an async generator, as a rule.
        media_type: of the whole.
        headers: sent besides.
    """

    def __init__(
        self, pieces: AsyncIterable[str | bytes], *, media_type: str = "text/plain", headers: Mapping[str, str] | None = None
    ) -> None:
        self.status_code = 200
        self.media_type = media_type
        self.background = None
        self.pieces = pieces
        self.init_headers(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head, the pieces, and the end unless nobody is there to read it."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if not is_head(scope) and not await self._run(receive, send):
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        if self.background is not None:
            await self.background()

    async def _run(self, receive: Receive, send: Send) -> bool:
        """Send until there is a reason to stop; whether the visitor still is there."""
        return await _first_of(self._send_all(send), _left(receive))

    async def _send_all(self, send: Send) -> None:
        try:
            async for piece in self.pieces:
                await _send_piece(send, piece.encode() if isinstance(piece, str) else piece)
        finally:
            await _close(self.pieces)


class EventStream(Stream):
    """A stream of server-sent events (HTML Living Standard, section 9.2).

    Args:
        events: FastAPI's `ServerSentEvent`, a text sent as it is, or any value sent as JSON.
        keep_alive_s: a comment is sent this often, so that no proxy takes a quiet stream for a dead one.
    """

    def __init__(self, events: AsyncIterable[object], keep_alive_s: float = KEEP_ALIVE_S) -> None:
        super().__init__(_encoded(events), media_type="text/event-stream", headers=_EVENT_HEADERS)
        self._keep_alive_s = keep_alive_s

    async def _run(self, receive: Receive, send: Send) -> bool:
        return await _first_of(self._send_all(send), _left(receive), _keep_alive(send, self._keep_alive_s))


class _Gone(Exception):
    """The connection is closed."""


async def _first_of(sending: Awaitable[None], leaving: Awaitable[None], *others: Awaitable[object]) -> bool:
    """Run all until one ends, then end the others; False when the visitor left.

    Raises:
        Exception: what the stream's own iterator raised.
    """
    tasks = [asyncio.ensure_future(each) for each in (sending, leaving, *others)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    failures = [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]
    for error in failures:
        if not isinstance(error, _Gone):
            raise error
    return not failures and (tasks[1] not in done or tasks[0] in done)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _keep_alive(send: Send, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        await _send_piece(send, KEEPALIVE_COMMENT)


async def _send_piece(send: Send, body: bytes) -> None:
    try:
        await send({"type": "http.response.body", "body": body, "more_body": True})
    except OSError as error:
        raise _Gone from error


async def _close(pieces: AsyncIterable[object]) -> None:
    close = getattr(pieces, "aclose", None)
    if close is not None:
        await close()


async def _encoded(events: AsyncIterable[object]) -> AsyncIterator[bytes]:
    try:
        async for event in events:
            yield _event(event)
    finally:
        await _close(events)


def _event(event: object) -> bytes:
    if isinstance(event, str):
        return format_sse_event(data_str=event)
    if not isinstance(event, ServerSentEvent):
        return format_sse_event(data_str=to_json(event).decode())
    data = event.raw_data
    if data is None and event.data is not None:
        data = to_json(event.data).decode()
    return format_sse_event(data_str=data, event=event.event, id=event.id, retry=event.retry, comment=event.comment)
