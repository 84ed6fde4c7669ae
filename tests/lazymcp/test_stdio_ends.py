"""lazymcp/stdio.py: what becomes of the streams when a session ends (the promise "Standalone stdio transport")."""

import asyncio

import pytest

from tests.lazymcp.stdio_peer import echo, over_pipes


@pytest.fixture
async def piped():
    peer = await over_pipes()
    yield peer
    await peer.close()


async def test_streams_stay_open_at_the_end_of_the_input(piped):
    """Promised: streams stay open on normal EOF."""
    piped.serve(echo)
    piped.end_input()
    await asyncio.wait_for(piped.task, 20)
    assert not piped.reader.closed
    piped.writer.write(b'{"by": "the caller"}\n')
    piped.writer.flush()
    assert await piped.read(judged=False) == {"by": "the caller"}


async def test_cancellation_cancels_requests_and_closes_streams(piped):
    """Promised: context cancellation cancels them and closes streams to unblock reads and writes."""
    begun, ended = asyncio.Event(), []

    async def handle(message, send):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(message["id"])

    task = piped.serve(handle)
    piped.ask(1)
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [1]
    assert piped.reader.closed
    assert piped.writer.closed
    assert await piped.from_server.read() == b""


async def test_a_peer_that_has_gone_ends_the_session(piped):
    """A client that closes our output wants no more."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def handle(message, send):
        if message["method"] == "wait":
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
        return await echo(message, send)

    piped.serve(handle)
    piped.ask(1, "wait")
    await begun.wait()
    piped.hang_up()
    await asyncio.sleep(0)
    piped.ask(2)
    await asyncio.wait_for(piped.task, 20)
    assert ended.is_set()
