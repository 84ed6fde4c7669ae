"""What a connection may send before it is heard, and for how long it may take."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from lazyapp.serving.protocol import MAX_HEAD_BYTES, BoundedProtocol
from tests.lazyapp.tiny_app import PATIENCE_S

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


async def count_body(scope: Any, receive: Any, send: Any) -> None:
    """Answers how many bytes came; `/held` says hello first, and the rest when the client sends its body."""
    size, more = 0, True
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/held":
        await send({"type": "http.response.body", "body": b"hello", "more_body": True})
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.body", "body": b"%d bytes" % size})


@asynccontextmanager
async def served(**attributes: Any) -> AsyncIterator[Callable[[], Any]]:
    """A server on a port of its own, and how to connect to it."""
    kind = type("Protocol", (BoundedProtocol,), attributes)
    config, state = (
        uvicorn.Config(count_body, ws="websockets-sansio", log_config=None, timeout_keep_alive=PATIENCE_S),
        ServerState(),
    )
    server = await asyncio.get_running_loop().create_server(lambda: kind(config, state, {}), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    writers: list[asyncio.StreamWriter] = []

    async def connect() -> Connection:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writers.append(writer)
        return reader, writer

    async with server:
        yield connect
        for writer in writers:
            writer.close()
        server.close()
        async with asyncio.timeout(PATIENCE_S):
            while state.connections or state.tasks:
                await asyncio.sleep(0.01)


async def said(connection: Connection, *pieces: bytes) -> bytes:
    """All that is answered until the server closes."""
    reader, writer = connection
    for piece in pieces:
        writer.write(piece)
        await asyncio.sleep(0.01)  # so that pieces arrive apart
    text = b""
    async with asyncio.timeout(PATIENCE_S):
        with contextlib.suppress(ConnectionResetError):  # what was sent in vain may be answered so
            while part := await reader.read(1024):
                text += part
    return text


async def answer(connection: Connection, *pieces: bytes) -> bytes:
    """One chunked answer."""
    reader, writer = connection
    for piece in pieces:
        writer.write(piece)
        await asyncio.sleep(0.01)
    async with asyncio.timeout(PATIENCE_S):
        return await reader.readuntil(b"0\r\n\r\n")


@pytest.mark.parametrize(
    "start",
    [GET + b"X-Long: ", GET + b"X-Many: 1\r\n" * 7000, b"GET /", b"\r\n"],
    ids=["value", "many", "target", "empty lines"],
)
async def test_an_endless_head_is_refused(start: bytes) -> None:
    """RFC 6585, 5."""
    filler = b"\r\n" if start == b"\r\n" else b"a"
    async with served() as connect:
        connection = await connect()
        connection[1].write(start + filler * (MAX_HEAD_BYTES // len(filler) + 1))
        text = await connection[0].readuntil(b"accepted.\n")
        assert text.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
        assert b"connection: close" in text
        connection[1].write_eof()
        assert await said(connection) == b""


async def test_what_follows_a_refusal_costs_nothing() -> None:
    """A header line of 120 MB took 28 s."""
    async with served() as connect:
        reader, writer = await connect()
        writer.write(GET + b"X-Long: " + b"a" * 2 * MAX_HEAD_BYTES)
        assert await reader.readuntil(b"accepted.\n")
        began = time.process_time()
        for _ in range(64):
            writer.write(b"a" * 1024 * 1024)
            await writer.drain()
        assert time.process_time() - began < 2


async def test_a_large_head_that_fits_and_a_large_body_pass() -> None:
    head = GET + b"X-Long: " + b"a" * (MAX_HEAD_BYTES - 200) + b"\r\n\r\n"
    size = 20 * MAX_HEAD_BYTES
    async with served() as connect:
        connection = await connect()
        assert b"0 bytes" in await answer(connection, head)
        assert b"0 bytes" in await answer(connection, head[:10], head[10:-10], head[-10:])
        sized = POST + b"Content-Length: %d\r\n\r\n" % size + b"b" * size
        assert b"%d bytes" % size in await answer(connection, sized)
        chunks = (b"%x\r\n" % 1000 + b"c" * 1000 + b"\r\n") * 500
        assert b"500000 bytes" in await answer(connection, POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks, b"0\r\n\r\n")
        assert b"0 bytes" in await answer(connection, GET + b"\r\n")


@pytest.mark.parametrize("rest", [b"0\r\nX-Trailer: ", b"5;name="], ids=["trailer", "extension"])
async def test_trailers_and_chunk_extensions_are_bound_alike(rest: bytes) -> None:
    """RFC 9112, 7.1.1 and 7.1.2. Nothing is written into the answer that has begun."""
    async with served() as connect:
        connection = await connect()
        connection[1].write(POST.replace(b"/ ", b"/held ", 1) + b"Transfer-Encoding: chunked\r\n\r\n")
        assert await connection[0].readuntil(b"hello")
        text = await said(connection, rest, b"a" * 2 * MAX_HEAD_BYTES)
        assert b"431" not in text


@pytest.mark.parametrize("pieces", [(), (GET,), (GET + b"\r\n", GET)], ids=["nothing", "half a head", "half of a second one"])
async def test_a_head_has_a_deadline(pieces: tuple[bytes, ...]) -> None:
    """Slow headers hold a connection for nothing."""
    async with served(head_timeout_s=0.2) as connect:
        text = await said(await connect(), *pieces)
        assert text.count(b"HTTP/1.1") == (len(pieces) == 2)


async def test_the_deadline_spares_idle_connections_and_long_answers() -> None:
    """Keep-alive has its own timeout; a body's is `web.py`'s business."""
    async with served(head_timeout_s=0.1) as connect:
        idle, busy = await connect(), await connect()
        await answer(idle, GET + b"\r\n")
        busy[1].write(POST.replace(b"/ ", b"/held ", 1) + b"Transfer-Encoding: chunked\r\n\r\n3")
        await busy[0].readuntil(b"hello")
        await asyncio.sleep(0.4)
        assert b"0 bytes" in await answer(idle, GET + b"\r\n")
        assert b"3 bytes" in await answer(busy, b"\r\nabc\r\n0\r\n\r\n")


async def test_a_websocket_leaves_it_all_behind() -> None:
    """RFC 6455, 4.1: the handshake is a head, what follows is not."""
    async with served(head_timeout_s=0.1) as connect:
        reader, writer = await connect()
        writer.write(GET + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n")
        writer.write(b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        assert (
            b"HTTP/1.1" in await reader.readline()
        )  # the application above speaks none, so it is refused, but by the other protocol
