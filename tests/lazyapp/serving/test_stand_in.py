"""What answers while there is no application."""

import asyncio
import json
import re
from collections.abc import AsyncIterator

import pytest

from lazyapp.serving.causes import Cause, Place
from lazyapp.serving.listening import listen, port_of
from lazyapp.serving.stand_in import standing_in
from lazyapp.serving.stand_in_page import Trouble

REASON = "init/app.py:3 in <module>\n    nothing works"
BROKEN = Place("init/app.py", 3, "", ((2, "x = 1"), (3, "nothing <b>works</b>")))
TROUBLE = Trouble(REASON, [Cause("SyntaxError", "invalid syntax", (BROKEN,))], "down-1")


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """A port on which nothing works, and says so."""
    sockets = listen("127.0.0.1", 0)
    async with standing_in(sockets, TROUBLE):
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
    assert {"Content-Type: text/markdown; charset=utf-8", "Retry-After: 1", "Connection: close"} <= set(lines)
    assert f"Content-Length: {len(body)}" in lines
    assert "**SyntaxError**: invalid syntax" in body.decode()
    assert "    >    3 nothing <b>works</b>" in body.decode()


async def test_a_body_is_read_so_that_the_answer_arrives(port: int) -> None:
    """RFC 9112, 9.6: a close with unread data resets the connection, and the answer may be lost."""
    for path in (b"/mcp", b"/upload"):
        request = b"POST %s HTTP/1.1\r\nHost: [::1]:3000\r\nContent-Length: 2000000\r\n\r\n" % path + b"a" * 2_000_000
        assert b"invalid syntax" in await asked(port, request)


async def test_json_that_is_nested_without_end_is_answered_too(port: int) -> None:
    """CWE-674: how deep is the sender's to choose."""
    request = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + b"[" * 100_000
    assert b"invalid syntax" in await asked(port, request)


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
    async with standing_in(sockets, TROUBLE):
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
    async with standing_in(sockets, TROUBLE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(sockets))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert await reader.read()
    with pytest.raises(ConnectionError):
        await written_to(writer)
    writer.close()
    for listener in sockets:
        listener.close()


async def test_a_person_gets_a_page_that_is_escaped_strict_and_listens(port: int) -> None:
    """W3C CSP Level 3; HTML Living Standard, section 9.2: the page is told when there is something new."""
    accept = b"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
    page = (await asked(port, b"GET /notes HTTP/1.1\r\nHost: localhost:3000\r\n" + accept + b"\r\n")).decode()
    assert page.startswith("HTTP/1.1 503 ")
    assert "nothing &lt;b&gt;works&lt;/b&gt;" in page
    assert "<b>" not in page
    assert 'data-at="down-1"' in page
    [policy] = re.findall(r"Content-Security-Policy: (.*)\r", page)
    assert policy.startswith("default-src 'none'; style-src 'nonce-")
    assert "script-src 'self'; connect-src 'self'" in policy
    script = await asked(port, b"GET /_lazy/refresh.js HTTP/1.1\r\nHost: localhost:3000\r\n\r\n")
    assert script.startswith(b"HTTP/1.1 200 OK")
    assert b"text/javascript" in script


async def test_a_page_listens_until_the_next_process_is_started() -> None:
    sockets = listen("127.0.0.1", 0)
    async with standing_in(sockets, TROUBLE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(sockets))
        writer.write(b"GET /_lazy/changes HTTP/1.1\r\nHost: localhost:3000\r\n\r\n")
        assert (await reader.readuntil(b"\n\n")).endswith(b"data: down-1\n\n")
    assert await reader.read() == b""
    writer.close()
    for listener in sockets:
        listener.close()


@pytest.mark.parametrize("header", [b"Origin: http://localhost:8000\r\n", b"Sec-Fetch-Site: cross-site\r\n", b"Via: tunnel\r\n"])
async def test_no_other_site_and_no_tunnel_may_listen(port: int, header: bytes) -> None:
    """Fetch Metadata Request Headers, section 2.4."""
    answer = await asked(port, b"GET /_lazy/changes HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 503 ")


async def test_a_program_gets_problem_details(port: int) -> None:
    """RFC 9457, section 3."""
    answer = await asked(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"Content-Type: application/problem+json" in head
    problem = json.loads(body)
    assert (problem["status"], problem["detail"]) == (503, "SyntaxError: invalid syntax (init/app.py:3)")
    assert problem["errors"][0]["frames"] == [{"file": "init/app.py", "line": 3, "function": ""}]


async def test_an_ai_client_gets_the_error_of_its_request(port: int) -> None:
    """JSON-RPC 2.0, section 5: with the id of the request, or the client waits for it. The body may come after the head."""
    body = b'{"jsonrpc": "2.0", "id": "a-7", "method": "tools/list"}'
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body))
    await writer.drain()
    writer.write(body)
    answer = json.loads((await reader.read()).partition(b"\r\n\r\n")[2])
    writer.close()
    assert answer["id"] == "a-7"
    assert answer["error"]["code"] == -32603
    assert answer["error"]["message"] == "The application could not start: SyntaxError: invalid syntax (init/app.py:3)"


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"method": "notifications/initialized"}', b'{"id": 1}', b"\xff"])
async def test_what_is_no_request_gets_the_reason_in_words(port: int, body: bytes) -> None:
    answer = await asked(port, b"POST /mcp/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert b"text/markdown" in answer
