"""A real uvicorn in this process, and a client that speaks to it over a socket; h11 judges every answer."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import h11
import uvicorn

from tests.lazymcp.asgi_peer import Answer, Peer, read_answer

PARSERS = ("h11", "httptools")


@asynccontextmanager
async def serving(app: Any, http: str = "httptools", **config: Any) -> AsyncIterator[uvicorn.Server]:
    """Serve an application on a free port for the time of the block; `port_of` tells it."""
    server = uvicorn.Server(uvicorn.Config(app, http=http, log_config=None, lifespan="off", access_log=False, **config))
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        task = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield server
        finally:
            server.should_exit = True
            await asyncio.wait_for(task, 30)


def port_of(server: uvicorn.Server) -> int:
    """The port that it listens on."""
    number: int = server.servers[0].sockets[0].getsockname()[1]
    return number


class Line:
    """One connection of a client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self._h11 = h11.Connection(h11.CLIENT)

    @classmethod
    async def open(cls, server: uvicorn.Server) -> "Line":
        return cls(*await asyncio.open_connection("127.0.0.1", port_of(server)))

    async def close(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()

    def send(self, peer: Peer, method: str, params: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
        """Send a request as the peer's revision writes it; gives the message."""
        message = peer.message(method, params, **meta)
        body = json.dumps(message).encode()
        headers = {**peer.headers_for(message), "content-length": str(len(body))}
        self._h11.send(head := h11.Request(method="POST", target="/mcp", headers=_raw(headers)))
        self._h11.send(h11.Data(data=body))
        self._h11.send(h11.EndOfMessage())
        lines = [b"POST /mcp HTTP/1.1", *(b"%b: %b" % pair for pair in head.headers)]
        self.writer.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        return message

    async def read(self) -> Answer:
        """The whole answer to what was sent; the connection can be used again."""
        sent: list[dict[str, Any]] = []
        while True:
            event = await self._next()
            match event:
                case h11.Response():
                    headers = [(name, value) for name, value in event.headers if name != b"transfer-encoding"]
                    sent.append({"type": "http.response.start", "status": event.status_code, "headers": headers})
                case h11.Data():
                    sent.append({"type": "http.response.body", "body": bytes(event.data), "more_body": True})
                case h11.EndOfMessage():
                    sent.append({"type": "http.response.body", "body": b""})
                    break
                case _:
                    raise AssertionError(event)
        if self._h11.our_state is h11.DONE and self._h11.their_state is h11.DONE:
            self._h11.start_next_cycle()
        return read_answer(sent)

    async def read_head(self) -> h11.Response:
        """The head of the answer; its body is still to come."""
        event = await self._next()
        assert isinstance(event, h11.Response), event
        return event

    async def _next(self) -> Any:
        while (event := self._h11.next_event()) is h11.NEED_DATA:
            self._h11.receive_data(await self.reader.read(65536))
        return event


async def ask(server: uvicorn.Server, peer: Peer, method: str, params: dict[str, Any] | None = None, **meta: Any) -> Answer:
    """One request on a connection of its own."""
    line = await Line.open(server)
    try:
        line.send(peer, method, params, **meta)
        return await line.read()
    finally:
        await line.close()


def _raw(headers: dict[str, str | None]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items() if value is not None]
