"""Many callers at once and callers that do not read, over real sockets. What is proved is proved by counting, not by the clock."""

import asyncio
import resource
import statistics
import threading
import time

import pytest

from lazymcp import Base, Context, tool
from tests.lazymcp.asgi_peer import MODERN, OLDER, served
from tests.lazymcp.socket_peer import PARSERS, Line, ask, serving

MANY = 1000
PATIENCE_S = 60


class Crowd(Base):
    name = ""

    def __init__(self, expected: int = 0) -> None:
        self.expected, self.here, self.told = expected, 0, 0
        self.all_here = asyncio.Event()
        self.go_on = threading.Event()
        self.held = threading.Semaphore(0)

    @tool
    async def meet(self, number: int) -> int:
        """Answer once everyone is here."""
        self.here += 1
        if self.here == self.expected:
            self.all_here.set()
        await self.all_here.wait()
        return number

    @tool
    def hold(self, number: int) -> int:
        """Block a thread."""
        self.held.release()
        assert self.go_on.wait(PATIENCE_S)
        return number

    @tool
    async def quick(self) -> str:
        """Answer at once."""
        return "quick"

    @tool
    async def talk(self, ctx: Context) -> None:
        """Report without end."""
        while True:
            self.told += 1
            await ctx.progress(self.told, message="x" * 1000)
            await asyncio.sleep(0)


@pytest.fixture
def many_files():
    """Two descriptors for each caller, and some."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("http", PARSERS)
async def test_a_thousand_calls_of_a_slow_tool_are_at_work_at_once(http, many_files):
    """Design, section 9: nobody is answered before all have arrived, so all were at work together."""
    peer = served(Crowd(MANY))
    async with serving(peer.app, http) as server:
        lines = [await Line.open(server) for _ in range(MANY)]
        for number, line in enumerate(lines):
            line.send(peer, "tools/call", {"name": "meet", "arguments": {"number": number}})
        answers = await asyncio.wait_for(asyncio.gather(*(line.read() for line in lines)), PATIENCE_S)
        for line in lines:
            line.writer.close()
    assert [answer.result["structuredContent"]["result"] for answer in answers] == list(range(MANY))


@pytest.mark.requirement("COMPLAINT-14")
@pytest.mark.parametrize("era", [MODERN, OLDER[0]])
async def test_two_hundred_sync_tools_hold_up_nobody(era):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1646: with every thread taken, async tools answer as before."""
    module = Crowd()
    peer = served(module, era=era)
    async with serving(peer.app) as server:
        calls = [
            asyncio.create_task(ask(server, peer, "tools/call", {"name": "hold", "arguments": {"number": number}}))
            for number in range(200)
        ]
        while not module.held.acquire(blocking=False):
            await asyncio.sleep(0.01)
        for _ in range(20):
            answer = await asyncio.wait_for(ask(server, peer, "tools/call", {"name": "quick"}), PATIENCE_S)
            assert answer.result["content"][0]["text"] == "quick"
        assert not any(call.done() for call in calls)
        module.go_on.set()
        answers = await asyncio.wait_for(asyncio.gather(*calls), PATIENCE_S)
    assert [answer.result["structuredContent"]["result"] for answer in answers] == list(range(200))


async def settled(module: Crowd) -> int:
    """How much was told, once no more is."""
    before = -1
    while module.told != before:
        before = module.told
        await asyncio.sleep(0.2)
    return before


@pytest.mark.parametrize("http", PARSERS)
@pytest.mark.parametrize("era", [MODERN, OLDER[0]])
async def test_a_client_that_reads_a_byte_at_a_time_harms_nobody(http, era):
    """Design, section 9: its tool waits with it, so that memory is bounded, and everyone else is served as before."""
    module = Crowd()
    peer = served(module, era=era)
    async with serving(peer.app, http, timeout_graceful_shutdown=1) as server:
        slow = await Line.open(server)
        slow.reader._limit = 1024
        slow.send(peer, "tools/call", {"name": "talk"}, progressToken="t")
        told = await asyncio.wait_for(settled(module), PATIENCE_S)
        assert 0 < told * 1000 < 16 * 1024 * 1024, "what nobody reads was held in memory"
        times = []
        for _ in range(30):
            await slow.reader.readexactly(1)
            begun = time.monotonic()
            assert (await ask(server, peer, "tools/call", {"name": "quick"})).status == 200
            times.append(time.monotonic() - begun)
        assert statistics.median(times) < 0.25
        assert module.told - told < 2000
        await slow.close()
