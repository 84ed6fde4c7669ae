"""lazymcp/pipes.py: bytes in and out of every kind of stream, and never a loop that waits for them."""

import asyncio
import io
import json
import os
from pathlib import Path

import pytest

from lazymcp import pipes, stdio
from tests.lazymcp.stdio_peer import echo, over_pipes


@pytest.fixture
async def piped():
    peer = await over_pipes()
    yield peer
    await peer.close()


async def test_cancellation_frees_a_writer_that_nobody_reads(piped):
    """Promised: cancellation unblocks writes."""
    task = piped.serve(echo)
    piped.ask(1, text="x" * 30_000_000)
    await piped.from_server.readexactly(1000)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 20)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("size", [10, 100_000])
async def test_a_full_disk_is_an_error(size):
    """The caller must learn that answers are lost."""
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"text": "x" * size}}).encode()
    with Path("/dev/full").open("wb") as full, pytest.raises(OSError, match="No space"):
        await stdio.serve(echo, io.BytesIO(request), full)


async def test_files_without_a_descriptor_are_served():
    """A caller may pass any binary file."""
    reader = io.BytesIO(b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"x","params":{}}\n' % n for n in range(300)))
    writer = io.BytesIO()
    await stdio.serve(echo, reader, writer)
    assert [json.loads(line)["id"] for line in writer.getvalue().splitlines()] == list(range(300))
    assert not reader.closed


async def test_regular_and_text_files_are_served(tmp_path):
    """server < requests > answers."""
    (tmp_path / "in").write_text(
        (json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": "x" * 300_000}}) + "\n") * 2
    )
    with (tmp_path / "in").open() as reader, (tmp_path / "out").open("w") as writer:
        writer.write('"before"\n')
        await stdio.serve(echo, reader, writer)
        writer.write('"after"\n')
    lines = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [line["result"] for line in lines[1:3]] == [{"a": "x" * 300_000}] * 2
    assert (lines[0], lines[-1], len(lines)) == ("before", "after", 4)


async def test_what_a_buffer_had_read_already_is_not_lost():
    """Somebody may have read the first line to see what comes."""
    server_reads, client_writes = os.pipe()
    os.write(client_writes, b'"hello"\n{"jsonrpc":"2.0","id":1,"method":"x","params":{}}\n')
    writer = io.BytesIO()
    with os.fdopen(server_reads, "rb") as reader:
        assert reader.readline() == b'"hello"\n'
        os.close(client_writes)
        await stdio.serve(echo, reader, writer)
    assert json.loads(writer.getvalue())["id"] == 1


async def read_all(reader):
    chunks = []

    async def room(): ...

    source = pipes.open_source(reader)
    await source.feed(lambda chunk: chunks.append(chunk) or True, room)
    source.detach()
    return b"".join(chunks)


async def test_a_descriptor_keeps_the_mode_it_had():
    """O_NONBLOCK belongs to everyone who shares a pipe or terminal; others would suddenly fail."""
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as reader, os.fdopen(writes, "wb") as writer:
        sink = pipes.open_sink(writer)
        task = asyncio.create_task(read_all(reader))
        rest = sink.offer(memoryview(b"x" * 50_000))
        await sink.write(rest)
        await sink.write(memoryview(b"y" * 1_000_000))
        assert os.get_blocking(reads)
        assert os.get_blocking(writes)
        sink.close()
        assert await task == b"x" * 50_000 + b"y" * 1_000_000


async def test_an_offer_never_waits():
    """What a full pipe does not take comes back."""
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb"), os.fdopen(writes, "wb") as writer:
        sink = pipes.open_sink(writer)
        taken = 0
        while not (rest := sink.offer(memoryview(b"x" * 3000))):
            taken += 3000
        assert taken > 3000
        assert bytes(rest) == b"x" * len(rest)
        sink.detach()


async def test_a_non_blocking_descriptor_is_served_too():
    """Some parents hand over their own end of a pipe as it is."""
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    os.set_blocking(writes, False)
    with os.fdopen(reads, "rb") as reader, os.fdopen(writes, "wb") as writer:
        sink = pipes.open_sink(writer)
        task = asyncio.create_task(read_all(reader))
        await sink.write(memoryview(b"z" * 5_000_000))
        sink.close()
        assert await task == b"z" * 5_000_000
        assert not os.get_blocking(reads)


async def test_a_raw_file_may_write_less_than_it_is_given():
    """io.RawIOBase.write returns how much it took."""

    class Slow(io.RawIOBase):
        def __init__(self):
            self.taken = b""

        def writable(self):
            return True

        def write(self, data):
            self.taken += bytes(data[:7])
            return min(len(data), 7)

    slow = Slow()
    sink = pipes.open_sink(slow)
    await sink.write(memoryview(b"a long enough line\n"))
    sink.detach()
    assert slow.taken == b"a long enough line\n"


async def test_receiving_stops_until_there_is_room():
    """Who is given bytes may ask for a pause."""
    reads, writes = os.pipe()
    events = []

    async def room():
        events.append("room")

    with os.fdopen(reads, "rb") as reader, os.fdopen(writes, "wb", 0) as writer:
        task = asyncio.create_task(pipes.open_source(reader).feed(lambda chunk: events.append(chunk), room))
        writer.write(b"one")
        while len(events) < 2:
            await asyncio.sleep(0)
        writer.write(b"two")
        while len(events) < 4:
            await asyncio.sleep(0)
        writer.close()
        await task
    assert events == [b"one", "room", b"two", "room"]


async def test_a_failing_read_is_an_error(tmp_path):
    """A directory, say, can be opened and not read."""
    fd = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(OSError, match="directory"):
        await pipes.DescriptorSource(fd, lambda: None).feed(lambda chunk: True, asyncio.Event().wait)
    os.close(fd)
