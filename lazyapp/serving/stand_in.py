"""What answers while there is no application: 503 and the reason, on the run's own sockets, so that no page hangs meanwhile.

It runs in the supervisor, in development only, and stops before the next serving process is started.
"""

import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator, Sequence
from typing import cast

from lazyapp.serving.listening import BACKLOG
from lazyapp.settings import LOOPBACK

WITHIN_S = 5.0
LEAVE_WITHIN_S = 0.5
MAX_HEAD_BYTES = 64 * 1024
TO_STRANGERS = "The application could not start; its terminal says why."
HOST = re.compile(rb"^host:[ \t]*\[?([^\]\s]*?)\]?(?::\d*)?[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


@contextlib.asynccontextmanager
async def standing_in(sockets: Sequence[socket.socket], text: str) -> AsyncIterator[None]:
    """Answer every request with 503 for as long as the block runs; the sockets stay open and listening after it.

    Args:
        sockets: the listening sockets of the run.
        text: why nothing is served, with lines of the developer's code: it is shown to this machine alone.
    """
    connected: set[Refusal] = set()
    loop = asyncio.get_running_loop()
    # Copies: what asyncio is given, it closes.
    servers = [await loop.create_server(lambda: Refusal(text, connected), sock=one.dup(), backlog=BACKLOG) for one in sockets]
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

    def __init__(self, text: str, connected: set["Refusal"]) -> None:
        self._text = text
        self._connected = connected
        self._head = b""
        self._is_answered = False
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Whoever sends nothing, or never ends, is cut off."""
        self._transport = cast(asyncio.Transport, transport)  # TCP, so it is one
        self._cut: asyncio.TimerHandle = asyncio.get_running_loop().call_later(WITHIN_S, self._transport.abort)
        self._connected.add(self)

    def data_received(self, data: bytes) -> None:
        """Answer when the head is complete, and read on: a connection closed before its request is read loses the answer."""
        if self._is_answered:
            return
        self._head += data
        if b"\r\n\r\n" in self._head or len(self._head) > MAX_HEAD_BYTES:
            self._is_answered = True
            self._transport.write(_answer(self._head, self._text if self._is_from_here() else TO_STRANGERS))
            self._transport.write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._cut.cancel()
        self._connected.discard(self)
        self.lost.set_result(None)

    def leave(self) -> None:
        """Let the next process have a client that has asked nothing: it will connect again."""
        if not self._is_answered:
            self._transport.close()

    def cut(self) -> None:
        """End it now."""
        self._transport.abort()

    def _is_from_here(self) -> bool:
        # By name too: a page whose own name was made to resolve to this machine may read what it asks for.
        named = HOST.search(self._head)
        peer = str(self._transport.get_extra_info("peername")[0])
        return peer in LOOPBACK and named is not None and named[1].decode("latin-1").lower() in LOOPBACK


def _answer(head: bytes, text: str) -> bytes:
    body = f"{text}\n".encode()
    lines = (
        "HTTP/1.1 503 Service Unavailable",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        "Retry-After: 1",
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if head.startswith(b"HEAD ") else body)
