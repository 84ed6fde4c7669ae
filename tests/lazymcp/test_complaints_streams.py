"""What users complained about that only a real server on a socket can show."""

import asyncio
import logging

import pytest

from lazymcp import Base, Context, tool
from tests.lazymcp.asgi_peer import MODERN, OLDER, served
from tests.lazymcp.socket_peer import PARSERS, Line, ask, serving


class Slow(Base):
    name = ""

    def __init__(self):
        self.started, self.cancelled, self.go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    @tool
    async def wait(self, ctx: Context) -> str:
        """Say that it began, and wait."""
        await ctx.progress(1)
        self.started.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return "done"

    @tool
    async def count(self, ctx: Context, to: int) -> str:
        """Count in a stream."""
        for number in range(to):
            await ctx.progress(number)
            await asyncio.sleep(0)
        return "counted"


@pytest.fixture(params=PARSERS)
def http(request):
    return request.param


@pytest.mark.requirement("COMPLAINT-19")
async def test_a_server_that_stops_ends_its_streams(http, caplog):
    """https://github.com/modelcontextprotocol/python-sdk/issues/2150: the response was left without an end, and the log full."""
    caplog.set_level(logging.INFO)
    slow = Slow()
    peer = served(slow)
    async with serving(peer.app, http, timeout_graceful_shutdown=1) as server:
        line = await Line.open(server)
        line.send(peer, "tools/call", {"name": "wait"}, progressToken="t")
        await slow.started.wait()
        server.should_exit = True
        answer = await asyncio.wait_for(line.read(), 20)
        await line.close()
    assert [message.get("method", "error") for message in answer.messages] == ["notifications/progress", "error"]
    assert answer.error["code"] == -32603
    assert [record.getMessage() for record in caplog.records if "without" in record.getMessage()] == []


@pytest.mark.requirement("COMPLAINT-20")
@pytest.mark.parametrize("era", [MODERN, OLDER[0]])
async def test_a_second_server_in_the_process_streams_as_the_first(http, era):
    """https://github.com/modelcontextprotocol/python-sdk/issues/3494: after a restart in the process bodies were cut short."""
    for _ in range(3):
        peer = served(Slow(), era=era)
        async with serving(peer.app, http) as server:
            answer = await ask(server, peer, "tools/call", {"name": "count", "arguments": {"to": 50}}, progressToken="t")
        assert [message["params"]["progress"] for message in answer.messages[:-1]] == list(range(50))
        assert answer.result["content"][0]["text"] == "counted"


@pytest.mark.requirement("COMPLAINT-22")
@pytest.mark.parametrize("token", [None, "t"])
async def test_a_client_that_gives_up_ends_the_work(http, token):
    """https://github.com/modelcontextprotocol/python-sdk/issues/2507: a client that timed out never said so."""
    slow = Slow()
    peer = served(slow)
    async with serving(peer.app, http) as server:
        line = await Line.open(server)
        line.send(peer, "tools/call", {"name": "wait"}, **({} if token is None else {"progressToken": token}))
        await slow.started.wait()
        await line.close()
        await asyncio.wait_for(slow.cancelled.wait(), 10)
        other = await ask(server, peer, "tools/list")
        assert other.status == 200
