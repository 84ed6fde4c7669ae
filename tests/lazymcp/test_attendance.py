"""lazymcp/attendance.py: what a client's leaving does, and what keeps it."""

import asyncio

import pytest

from tests.lazymcp.asgi_peer import OLDER, served
from tests.lazymcp.live import call, tell
from tests.lazymcp.older import Server
from tests.lazymcp.test_exchange import Connection, Slow


async def test_leaving_cancels_the_tool_and_nothing_more_is_sent():
    """2026-07-28: a disconnect is a cancellation; https://github.com/modelcontextprotocol/python-sdk/issues/2480."""
    slow = Slow()
    connection = Connection(served(slow), {"name": "wait"})
    await slow.started.wait()
    connection.leave()
    await connection.task
    assert slow.cancelled.is_set()
    assert connection.sent.empty()
    assert connection.task.cancelling() == 0


async def test_leaving_cancels_nothing_for_older_clients():
    """2025-11-25, basic/transports: a disconnect is not a cancellation."""
    slow = Slow()
    connection = Connection(served(slow, era=OLDER[0]), {"name": "wait"})
    await slow.started.wait()
    connection.leave()
    while not connection.incoming.empty():
        await asyncio.sleep(0.01)
    slow.go_on.set()
    await connection.task
    assert not slow.cancelled.is_set()


async def test_the_servers_own_end_is_passed_on():
    slow = Slow()
    connection = Connection(served(slow), {"name": "wait"})
    await slow.started.wait()
    connection.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await connection.task
    assert slow.cancelled.is_set()


async def test_a_silent_stream_is_kept_alive(monkeypatch):
    """https://github.com/punkpeye/fastmcp/issues/120."""
    monkeypatch.setattr("lazymcp.attendance.KEEP_ALIVE_S", 0.01)
    slow = Slow()
    connection = Connection(served(slow), {"name": "wait"})
    start, comment = await connection.sent.get(), await connection.sent.get()
    assert dict(start["headers"])[b"content-type"] == b"text/event-stream"
    assert comment["body"].startswith(b":")
    slow.go_on.set()
    await connection.task


async def test_a_request_that_is_answered_cannot_be_cancelled_any_more():
    """2025-11-25, basic/utilities/cancellation: a notification that comes too late is ignored."""
    server = Server(1)
    (peer,) = await server.meet()
    work = call(peer, "tools/call", {"name": "wait"})
    await server.workers[0].started.wait()
    server.workers[0].go_on.set()
    assert (await work.start())[0] == 200
    await asyncio.wait_for(work.task, 10)
    await tell(peer, {"method": "notifications/cancelled", "params": {"requestId": 7}})
    assert not server.workers[0].cancelled.is_set()


async def test_a_request_whose_id_is_used_again_is_let_go_all_the_same():
    """JSON-RPC 2.0, section 4: ids are the client's business; nothing of ours stays behind."""
    server = Server(1)
    (peer,) = await server.meet()
    first, second = call(peer, "tools/call", {"name": "wait"}), call(peer, "tools/call", {"name": "wait"})
    while len(asyncio.all_tasks()) < 3 or not server.workers[0].started.is_set():
        await asyncio.sleep(0.001)
    server.workers[0].go_on.set()
    await asyncio.wait_for(asyncio.gather(first.task, second.task), 10)
    assert peer.app._porch.desk.calls == {}
