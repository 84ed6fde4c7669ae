"""HTTP/1.1 as a serving process speaks it: uvicorn's protocol on httptools, with an end to what may be sent before it is heard.

httptools joins a header piece by piece and has no limit: one endless header costs memory and, squared, time. Here a head has a size
and a time. What is counted are the bytes since the parser last gave us a whole head, a piece of a body or the end of a message, so
trailers and the extensions of chunks, which the parser joins or skips too, are bound alike.
"""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES, HEAD_TIMEOUT_S, LINGER_S = 64 * 1024, 30.0, 2.0

_TOO_LARGE = f"The request's headers are larger than the {MAX_HEAD_BYTES} bytes that are accepted.\n"
_REFUSAL = (
    "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    f"content-length: {len(_TOO_LARGE)}\r\nconnection: close\r\n\r\n{_TOO_LARGE}"
).encode()


class BoundedProtocol(HttpToolsProtocol):
    """One connection. Only the event loop's thread touches it.

    `_unheard` counts the bytes that nothing has come of yet, and `_clock` runs while there are some, or before the first; between
    two requests it stands, and uvicorn's own timeout holds. `_is_over`: what still arrives is dropped.
    """

    head_timeout_s = HEAD_TIMEOUT_S

    _unheard = 0
    _clock: asyncio.TimerHandle | None = None
    _is_over = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for a first request."""
        super().connection_made(transport)
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave no timer behind."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, unless it would be too much before it means something."""
        if self._is_over:
            return
        before = self._unheard
        if before + len(data) > MAX_HEAD_BYTES:
            self._receive_in_pieces(data)
        else:
            self._unheard = before + len(data)
            super().data_received(data)
        if self._unheard:
            if not before:
                self._start_clock()
        elif self._clock is not None and not self._is_over:
            self._stop_clock()

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._unheard = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        self._unheard = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._unheard = 0
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Another protocol has the connection from here on."""
        self._is_over = True
        self._stop_clock()
        super().handle_websocket_upgrade()

    def _receive_in_pieces(self, data: bytes) -> None:
        """No piece is larger than what may still go unheard, so a body of any size passes and an endless head does not."""
        rest = memoryview(data)
        while rest and not self._is_over and not self.transport.is_closing():
            room = MAX_HEAD_BYTES - self._unheard
            if not room:
                return self._refuse()
            piece, rest = rest[:room], rest[room:]
            self._unheard += len(piece)
            super().data_received(bytes(piece))
        return None

    def _refuse(self) -> None:
        """RFC 6585, section 5. The answer to a request that is still being answered is cut off instead: nothing may mix into it."""
        self._is_over, self._unheard = True, 0
        if self._is_answering():
            return self.transport.close()
        self.transport.write(_REFUSAL)
        # RFC 9112, section 9.6: closed at once, with bytes unread, the answer could be lost on its way.
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._stop_clock()
        self._clock = self.loop.call_later(LINGER_S, self.transport.close)
        return None

    def _start_clock(self) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(self.head_timeout_s, self._time_is_up)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _time_is_up(self) -> None:
        self._clock = None
        if self._is_answering():
            # A request sent ahead waits unread while the one before it is answered, and cannot be faster.
            return self._start_clock()
        return self.transport.close()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete
