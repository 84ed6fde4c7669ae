"""What answers while there is no application."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from lazyapp.serving.listening import listen, port_of
from lazyapp.serving.stand_in import standing_in

REASON = "init/app.py:3 in <module>\n    nothing works"


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """A port on which nothing works, and says so."""
    sockets = listen("127.0.0.1", 0)
    async with standing_in(sockets, REASON):
        yield port_of(sockets)
    for listener in sockets:
        listener.close()


async def asked(port: int, request: bytes) -> bytes:
    """All that comes back, until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


async def written_to(writer: asyncio.StreamWriter) -> None:
    """Write until the other end refuses, or long enough to know that it takes it."""
    for _ in range(1000):
        writer.write(b"more")
        await writer.drain()
        await asyncio.sleep(0)


async def test_a_request_is_answered_503_with_the_reason_and_the_connection_closed(port: int) -> None:
    """RFC 9110, 15.6.4 and 10.2.3."""
    head, _, body = (await asked(port, b"GET / HTTP/1.1\r\nHost: localhost:3000\r\n\r\n")).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 503 Service Unavailable"
    assert {"Content-Type: text/plain; charset=utf-8", "Retry-After: 1", "Connection: close"} <= set(lines)
    assert f"Content-Length: {len(body)}" in lines
    assert body.decode() == REASON + "\n"


async def test_a_body_is_read_so_that_the_answer_arrives(port: int) -> None:
    """RFC 9112, 9.6: a close with unread data resets the connection, and the answer may be lost."""
    request = b"POST /mcp HTTP/1.1\r\nHost: [::1]:3000\r\nContent-Length: 2000000\r\n\r\n" + b"a" * 2_000_000
    assert (await asked(port, request)).endswith(REASON.encode() + b"\n")


async def test_head_has_no_body(port: int) -> None:
    """RFC 9110, 9.3.2."""
    assert (await asked(port, b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")).endswith(b"\r\n\r\n")


@pytest.mark.parametrize("header", [b"Host: rebound.example:3000\r\n", b"Host: localhost.rebound.example\r\n", b""])
async def test_lines_of_code_are_for_this_machine_alone(port: int, header: bytes) -> None:
    """A page whose name resolves to this machine could read them."""
    answer = await asked(port, b"GET / HTTP/1.1\r\n" + header + b"\r\n")
    assert answer.endswith(b"\r\n\r\nThe application could not start; its terminal says why.\n")


async def test_the_sockets_outlive_it_and_who_has_asked_nothing_is_let_go() -> None:
    """The next process serves on the same sockets; a connection that a browser opened in advance must not be stuck here."""
    first, *others = sockets = listen("127.0.0.1", 0)
    async with standing_in(sockets, REASON):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(sockets))
        await asked(port_of(sockets), b"GET / HTTP/1.1\r\n\r\n")  # so that the one before has been accepted
    assert await reader.read() == b""
    writer.close()
    loop = asyncio.get_running_loop()
    _, later = await asyncio.open_connection("127.0.0.1", port_of(sockets))
    accepted, _ = await loop.sock_accept(first)
    later.close()
    for used in (accepted, first, *others):
        used.close()


async def test_nothing_of_it_is_left_when_it_ends() -> None:
    """Who was answered and does not hang up is cut off; a connection left to the loop would be reported as never closed."""
    sockets = listen("127.0.0.1", 0)
    async with standing_in(sockets, REASON):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(sockets))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert await reader.read()
    with pytest.raises(ConnectionError):
        await written_to(writer)
    writer.close()
    for listener in sockets:
        listener.close()
