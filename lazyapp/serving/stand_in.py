"""What answers while there is no application: 503 and the reason, on the run's own sockets, so that no page hangs meanwhile.

It runs in the supervisor, in development only, and stops before the next serving process is started. The page that it gives listens
to it as an application's page does to the application (`developing/refresh.py`), so it refreshes when the next one is up.
"""

import asyncio
import contextlib
import json
import secrets
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, cast

from lazyapp.accept import choose
from lazyapp.developing.refresh import CHANGES, SCRIPT, event, script
from lazyapp.serving.listening import BACKLOG
from lazyapp.serving.stand_in_page import Trouble
from lazyapp.this_machine import is_from_here, is_of_this_origin

WITHIN_S: Final = 5.0
LEAVE_WITHIN_S: Final = 0.5
# Closed with its request unread, a connection is reset, and the request is lost: RFC 9112, section 9.6.
FIRST_WITHIN_S: Final = 0.2
MAX_HEAD_BYTES: Final = 64 * 1024
MAX_BODY_BYTES: Final = 4 * 1024 * 1024
TO_STRANGERS: Final = "The application could not start; its terminal says why."
KINDS: Final = ("text/markdown", "text/html", "application/json", "application/problem+json")
MCP_PATHS: Final = ("/mcp", "/mcp/")


@contextlib.asynccontextmanager
async def standing_in(sockets: Sequence[socket.socket], trouble: Trouble) -> AsyncIterator[None]:
    """Answer every request with 503 for as long as the block runs; the sockets stay open and listening after it.

    Args:
        sockets: the listening sockets of the run.
        trouble: why nothing is served, with lines of the developer's code: it is shown to this machine alone.
    """
    connected: set[Refusal] = set()
    loop = asyncio.get_running_loop()
    # Copies: what asyncio is given, it closes.
    servers = [await loop.create_server(lambda: Refusal(trouble, connected), sock=one.dup(), backlog=BACKLOG) for one in sockets]
    try:
        yield
    finally:
        for server in servers:
            server.close()
        await _part(connected)


async def _part(connected: set["Refusal"]) -> None:
    """End every connection: whoever was answered may still be reading, so those get a moment, and then none is left behind."""
    for refusal in tuple(connected):
        refusal.leave()
    if connected:
        await asyncio.wait([refusal.lost for refusal in connected], timeout=LEAVE_WITHIN_S)
    for refusal in tuple(connected):
        refusal.cut()
    if connected:
        await asyncio.wait([refusal.lost for refusal in connected])


class Refusal(asyncio.Protocol):
    """One connection: its first request is answered, the rest dropped. It is in `connected` until it is `lost`."""

    def __init__(self, trouble: Trouble, connected: set["Refusal"]) -> None:
        self._trouble = trouble
        self._connected = connected
        self._said = b""
        self._is_answered = self._is_stream = False
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Whoever sends nothing, or never ends, is cut off."""
        self._transport = cast(asyncio.Transport, transport)  # TCP, so it is one
        self._cut: asyncio.TimerHandle = asyncio.get_running_loop().call_later(WITHIN_S, self._transport.abort)
        self._connected.add(self)

    def data_received(self, data: bytes) -> None:
        """Answer when enough is known, and read on: a connection closed before its request is read loses the answer."""
        if self._is_answered:
            return
        self._said += data
        head, end, body = self._said.partition(b"\r\n\r\n")
        if end or len(self._said) > MAX_HEAD_BYTES:
            scope = _scope(head, self._transport.get_extra_info("peername"))
            if not _awaits_more(scope, body):
                self._answer(scope, body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._cut.cancel()
        self._connected.discard(self)
        self.lost.set_result(None)

    def leave(self) -> None:
        """Let the next process have a client that listens, or asks nothing within a moment: it will connect again."""
        if self._is_stream:
            self._transport.close()
        elif not self._is_answered:
            self._cut.cancel()
            self._cut = asyncio.get_running_loop().call_later(FIRST_WITHIN_S, self._transport.close)

    def cut(self) -> None:
        """End it now."""
        self._transport.abort()

    def _answer(self, scope: Mapping[str, Any], body: bytes) -> None:
        self._is_answered = True
        is_ours = is_from_here(scope)
        if is_ours and scope["path"] == CHANGES and self._trouble.token and is_of_this_origin(scope):
            self._is_stream = True
            self._cut.cancel()
            headers = ["HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Cache-Control: no-store", "Connection: close"]
            self._transport.write("\r\n".join(headers).encode() + b"\r\n\r\n" + event(self._trouble.token))
            return
        if is_ours and scope["path"] == SCRIPT and is_of_this_origin(scope):
            answer = _encode(scope, script(), "text/javascript", status="200 OK")
        else:
            answer = _refuse(scope, self._trouble, body) if is_ours else _encode(scope, f"{TO_STRANGERS}\n".encode(), "text/plain")
        self._transport.write(answer)
        self._transport.write_eof()


def _scope(head: bytes, peer: Sequence[Any]) -> Mapping[str, Any]:
    """A request as ASGI has it, as far as it matters here."""
    first, *lines = head.split(b"\r\n")
    method, target = [*first.decode("latin-1").split(" ", 2), "", ""][:2]
    pairs = [line.partition(b":") for line in lines]
    headers = [(name.strip().lower(), value.strip()) for name, _, value in pairs]
    return {
        "type": "http",
        "scheme": "http",
        "method": method,
        "path": target.partition("?")[0],
        "headers": headers,
        "client": peer,
    }


def _is_call(scope: Mapping[str, Any]) -> bool:
    return scope["method"] == "POST" and scope["path"] in MCP_PATHS


def _awaits_more(scope: Mapping[str, Any], body: bytes) -> bool:
    """Whether a JSON-RPC request is not whole yet: its answer bears its id."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    return _is_call(scope) and length.isdigit() and len(length) < 10 and len(body) < min(int(length), MAX_BODY_BYTES)


def _refuse(scope: Mapping[str, Any], trouble: Trouble, body: bytes) -> bytes:
    """The reason, in the form that is asked for."""
    if _is_call(scope):
        error = trouble.as_rpc_error(body)
        if error is not None:
            return _encode(scope, json.dumps(error).encode(), "application/json")
    asked = choose(scope, KINDS)
    if asked == "text/html":
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'self'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return _encode(scope, trouble.as_html(nonce).encode(), "text/html", f"Content-Security-Policy: {policy}")
    if asked.endswith("json"):
        return _encode(scope, json.dumps(trouble.as_problem()).encode(), "application/problem+json")
    return _encode(scope, trouble.as_markdown().encode(), "text/markdown")


def _encode(scope: Mapping[str, Any], body: bytes, media_type: str, *more: str, status: str = "503 Service Unavailable") -> bytes:
    lines = (
        f"HTTP/1.1 {status}",
        f"Content-Type: {media_type}; charset=utf-8",
        f"Content-Length: {len(body)}",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        *([] if status.startswith("200") else ["Retry-After: 1"]),
        *more,
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if scope["method"] == "HEAD" else body)
