"""`Exchange`: one HTTP request and the way its answer leaves, as one JSON object or as a stream of events.

Who waits meanwhile is `attendance.py`; what the streams of older clients need besides is kept by a `Desk`.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final, Protocol

from lazymcp.asking import unaskable
from lazymcp.errors import InvalidRequest
from lazymcp.gate import Headers
from lazymcp.journal import Journal
from lazymcp.jsonrpc import RequestId, dump
from lazymcp.sessions import SESSION_HEADER

__all__ = ["Exchange", "Receive", "Send"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Tell = Callable[[dict[str, Any]], Awaitable[None]]

BREAK_OFF_S: Final = 1.0

_JSON: Final = (b"content-type", b"application/json")
_STREAM: Final = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    # nginx would hold events back until a buffer is full.
    (b"x-accel-buffering", b"no"),
]
# MCP, basic/authorization, "Access token privilege restriction": what proves who is asking was meant for us and goes no further.
_CREDENTIALS: Final = frozenset({b"authorization", b"cookie", b"proxy-authorization"})
_EXPOSED: Final = (b"access-control-expose-headers", SESSION_HEADER + b", www-authenticate")


class Desk(Protocol):
    """What keeps the threads of older clients together, whose conversations are longer than a request."""

    @property
    def endpoint(self) -> str | None:
        """The public URL of the server."""
        ...

    async def ask(self, session: Any, method: str, params: dict[str, Any], send: Tell, /) -> Any:
        """The result with which a client answers a question."""
        ...

    @property
    def calls(self) -> MutableMapping[tuple[str, RequestId | None], Any]:
        """The requests of sessions that are at work, each with a `cancel()`."""
        ...

    def polls(self, session: Any, /) -> bool:
        """Whether a client can be sent away while its request is answered."""
        ...

    def open_journal(self, session: Any, /) -> Journal:
        """What keeps the events of a stream that opens."""
        ...

    def close_journal(self, journal: Journal, /) -> None:
        """Nothing follows on its stream."""
        ...


class Exchange:
    """One request and the way back; also the `Link` of its context.

    Attributes:
        raw: the request's headers as they came, names in lower case.
        receive: reads the request's body, then waits for the client to leave.
        takes_stream, takes_json: what the client accepts.
        request_id: of the request in the body, once it was read.
        more_headers: added to the answer.
        is_long: whether the answer is a stream that waits for news; see `prolong`.
        session: of an older client, once the porch knows it.
        desk: what keeps such sessions together.
    """

    # What most requests never change stands here, and is not set for each of them.
    transport: Final = "http"
    session: Any = None
    request_id: RequestId | None = None
    takes_json = True
    takes_stream = False
    more_headers: tuple[tuple[bytes, bytes], ...] = ()
    closed = False
    is_long = False
    _journal: Journal | None = None
    _opened = False
    _lock: asyncio.Lock | None = None

    def __init__(self, raw: Headers, receive: Receive, send: Send, desk: Desk) -> None:
        self.raw = raw
        self.desk = desk
        self.receive = receive
        self._send = send

    @property
    def endpoint(self) -> str | None:
        """The public URL of the server."""
        return self.desk.endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """The request's headers as text, without credentials: nothing that a tool does needs them, and it could pass them on."""
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in self.raw.items() if name not in _CREDENTIALS}

    def allow_origin(self, origin: bytes) -> None:
        """Let a page of this origin read the answer. Fetch standard, "CORS protocol"."""
        self.more_headers += ((b"access-control-allow-origin", origin), (b"vary", b"origin"), _EXPOSED)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification on the stream of this request, which opens with the first; dropped without a stream."""
        if self.takes_stream:
            await self._tell({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the client of an older revision, on the stream of this request; the answer may reach any process."""
        if self.session is None:
            unaskable("its request names no session, in which an answer could come")
        if not self.takes_stream:
            unaskable("its request accepts no event stream, which would carry the question")
        return await self.desk.ask(self.session, method, params, self._tell)

    async def close_stream(self, retry_ms: int) -> None:
        """Let a client of 2025-11-25 go, to come back for the rest; nobody else. MCP 2025-11-25, basic/transports."""
        if self.session is None or not self.takes_stream or not self.desk.polls(self.session):
            return
        await self._write(b"")
        if self._journal is not None and not self._journal.is_over:
            wait = self._journal.send_away(retry_ms)
            if not self.closed:
                await self._end(wait)

    async def answer(self, body: bytes, status: int = 200) -> None:
        """The last word: a JSON object, or the last event of the stream."""
        if self._opened or (status == 200 and not self.takes_json):
            await self._event(body)
            await self._close()
            return
        headers = [_JSON, (b"content-length", b"%d" % len(body)), *self.more_headers]
        self.closed = True
        try:  # as `_start` and `_end`, without their frames: every tool call passes here
            await self._send({"type": "http.response.start", "status": status, "headers": headers})
            await self._send({"type": "http.response.body", "body": body})
        except OSError:
            return

    async def break_off(self, body: bytes) -> None:
        """The last event of a stream whose request the server itself ends, at shutdown for one.

        Without an open stream nothing is sent: whoever ended the request may have an answer of its own.
        """
        if self._journal is not None and self.closed:
            self._journal.add(body)
            self.desk.close_journal(self._journal)
        elif self._opened and not self.closed:
            # Nobody waits long for a client that does not read.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BREAK_OFF_S):
                    await self.answer(body)

    async def finish(self) -> None:
        """End a stream that has no last word."""
        await self._end(b"")

    async def repeat(self, event: bytes) -> None:
        """Send an event of another stream, as it stands."""
        await self._write(event)

    async def empty(self, status: int, *headers: tuple[bytes, bytes]) -> None:
        """An answer without a body."""
        # RFC 9110, section 8.6: a 204 has no Content-Length.
        length = [] if status == 204 else [(b"content-length", b"0")]
        await self._start(status, [*length, *headers, *self.more_headers])
        await self._end(b"")

    async def leave_unanswered(self) -> None:
        """End the HTTP answer of a request that gets none."""
        if self.takes_stream:
            await self._write(b"")
            await self._close()
        elif not self.closed:
            await self.empty(202)

    def prolong(self) -> None:
        """Make the answer a stream that waits for news. The handler looks out for the client's leaving itself, before it waits.

        Raises:
            InvalidRequest: the client takes no stream.
        """
        if not self.takes_stream:
            raise InvalidRequest("this method is answered with a stream: the Accept header must allow text/event-stream")
        self.is_long = True
        self.raw = {}

    async def keep_alive(self) -> None:
        """A comment, which clients pass over and proxies take for life."""
        await self._write(b": still here\n\n")

    async def gone(self) -> None:
        """Wait until the client has left."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    # ASGI, "Disconnected client": a server may raise OSError; what nobody reads is nobody's error.

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        with contextlib.suppress(OSError):
            await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _end(self, body: bytes) -> None:
        self.closed = True
        with contextlib.suppress(OSError):
            await self._send({"type": "http.response.body", "body": body})

    async def _close(self) -> None:
        """Nothing follows on the stream."""
        if self._journal is not None:
            self.desk.close_journal(self._journal)
        if not self.closed:
            await self._end(b"")

    async def _tell(self, message: dict[str, Any]) -> None:
        await self._event(dump(message))

    async def _event(self, data: bytes) -> None:
        if self._lock is None:
            self._lock = asyncio.Lock()
        async with self._lock:
            await self._open()
            journal = self._journal
            await self._put(b"event: message\ndata: " + data + b"\n\n" if journal is None else journal.add(data))

    async def _write(self, chunk: bytes) -> None:
        if self._lock is None:
            self._lock = asyncio.Lock()
        async with self._lock:
            await self._open()
            await self._put(chunk)

    async def _open(self) -> None:
        if self._opened or self.closed:
            return
        self._opened = True
        try:
            await self._start(200, [*_STREAM, *self.more_headers])
        except BaseException:
            # Cancelled while the server waits for a client that does not read an earlier answer: nothing of this one is written.
            self._opened = False
            raise
        if self.session is not None:
            self._journal = self.desk.open_journal(self.session)
            await self._put(self._journal.open())

    async def _put(self, chunk: bytes) -> None:
        if self._journal is not None and self._journal.is_followed and not self.closed:
            # MCP 2025-11-25, basic/transports: a message goes out on one stream only, and the client reads another one.
            await self._end(b"")
        if chunk and not self.closed:
            with contextlib.suppress(OSError):
                await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
