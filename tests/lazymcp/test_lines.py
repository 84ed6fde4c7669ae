"""lazymcp/lines.py: how messages are cut from bytes, and written so that two never mix."""

import asyncio
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazymcp import jsonrpc
from lazymcp.lines import LineReader, TooLong
from tests.lazymcp.stdio_peer import echo, over_pipes, over_sockets


@pytest.fixture(params=[over_pipes, over_sockets], ids=["files", "streams"])
async def peer(request):
    peer = await request.param()
    yield peer
    await peer.close()


@pytest.fixture
async def piped():
    peer = await over_pipes()
    yield peer
    await peer.close()


def cut(reader, data, size):
    lines = [line for at in range(0, len(data), size) for line in reader.feed(data[at : at + size])]
    return lines + reader.end()


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"") + b".")), st.integers(1, 50))
def test_lines_are_the_same_however_the_bytes_arrive(lines, size):
    """MCP, basic/transports/stdio: messages are delimited by newlines; a pipe cuts where it likes."""
    assert cut(LineReader(100), b"\n".join(lines), size) == lines
    assert cut(LineReader(100), b"\n".join(lines) + b"\n", size) == lines


@given(st.integers(1, 40), st.integers(0, 30))
def test_a_line_beyond_the_limit_is_marked_and_the_next_is_whole(size, excess):
    """Promised: accepts incoming messages up to 64 MiB."""
    data = b"a" * 20 + b"\n" + b"b" * (21 + excess) + b"\n \r\n" + b"c\n"
    assert cut(LineReader(20), data, size) == [b"a" * 20, TooLong(None), b"c"]


@pytest.mark.parametrize(
    ("head", "request_id"),
    [
        (b'{"jsonrpc":"2.0","id":5,"params":"', 5),
        (b'{"id":"five","params":{"x":"', "five"),
        (b'{"method":"x","params":{"id":5,"x":"', None),
        (b'{"id":5', None),
        (b'{"id":true,"params":"', None),
        (b"nonsense", None),
        (b'["id",5,"', None),
    ],
)
def test_a_line_beyond_the_limit_tells_its_id_if_its_head_did(head, request_id):
    """MCP, basic/index: errors echo the id whenever it could be read."""
    assert cut(LineReader(50), head + b"1" * 10_000 + b"\n", 777) == [TooLong(request_id)]


def test_a_line_without_end_takes_bounded_memory():
    """A peer that never ends its line must not fill the memory."""
    reader, chunk = LineReader(1_000_000), b"x" * 65_536
    tracemalloc.start()
    for _ in range(1000):
        assert reader.feed(chunk) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000
    assert reader.feed(b"\nnext\n") == [TooLong(None), b"next"]


async def test_lines_never_mix_however_slowly_they_are_read(peer):
    """Promised: serializes concurrent writes."""

    async def handle(message, send):
        for part in range(3):
            await send({"jsonrpc": "2.0", "method": "part", "params": {"of": message["id"], "text": str(part) * 70_001}})
            await asyncio.sleep(0)
        return jsonrpc.result(message["id"], "x" * (message["id"] * 997))

    peer.serve(handle)
    for number in range(40):
        peer.ask(number)
    messages = await peer.end()
    assert len(messages) == 160
    for number in range(40):
        own = [m for m in messages if m.get("id") == number or m.get("params", {}).get("of") == number]
        assert [m["params"]["text"][:1] for m in own[:3]] == ["0", "1", "2"]
        assert own[3]["result"] == "x" * (number * 997)


async def test_a_slow_reader_does_not_stop_the_loop(piped):
    """A pipe that is full blocks who writes to it; that is a thread, not the loop."""
    begun = asyncio.Event()

    async def handle(message, send):
        if message["id"] == "small":
            begun.set()
        return await echo(message, send)

    piped.serve(handle)
    piped.ask("big", text="x" * 10_000_000)
    piped.ask("small")
    await asyncio.wait_for(begun.wait(), 20)
    assert [message["id"] for message in await piped.end()] == ["big", "small"]


async def test_who_does_not_read_is_not_read(piped, monkeypatch):
    """Answers nobody reads must not fill the memory; when they are read, all goes on."""
    monkeypatch.setattr("lazymcp.lines.MAX_UNSENT", 100_000)
    seen = []

    async def handle(message, send):
        seen.append(message["id"])
        return jsonrpc.result(message["id"], "x" * 50_000)

    piped.serve(handle)
    # The client's own buffer keeps what the server does not take.
    piped.from_server._transport.pause_reading()
    for number in range(200):
        piped.ask(number, text="y" * 10_000)
    before = -1
    while len(seen) != before:
        before = len(seen)
        await asyncio.sleep(0.1)
    assert 0 < len(seen) < 100
    piped.from_server._transport.resume_reading()
    for number in range(200):
        assert (await piped.read())["id"] == number
    assert await piped.end() == []
