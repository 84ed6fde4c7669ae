"""One call of a tool that is a task, or becomes one: when it does, and what the tool sees of it."""

import asyncio

import pytest
from pydantic import BaseModel

from lazyauth import current_claims, require_user
from lazymcp import Base, Context, MCPError, tool
from lazymcp.protocol import CAPABILITIES_KEY
from lazymcp.task_store import MemoryTasks
from tests.lazymcp.asgi_peer import MODERN, OLDER, Peer
from tests.lazymcp.task_peer import open_store, serving


class Name(BaseModel):
    name: str


class Work(Base):
    """Tools of every mode."""

    name = ""

    def __init__(self):
        self.go = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.seen = []
        self.runs = 0

    @tool(task="optional")
    async def quick(self, ctx: Context) -> str:
        """Be there at once."""
        await ctx.progress(1, 2)
        return "quick"

    @tool(task="optional")
    async def refuse(self) -> str:
        """Fail at once, as the protocol does."""
        raise MCPError("not today", code=42)

    @tool(task="optional")
    async def slow(self, ctx: Context) -> str:
        """Take longer than a moment."""
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return "slow"

    @tool(task="required")
    def blocking(self) -> str:
        """Run in a thread."""
        return "from a thread"

    @tool(task="required")
    async def look(self, ctx: Context) -> str:
        """Tell who asks, and what can be seen of the request."""
        await asyncio.sleep(0.01)
        return f"{require_user().id} {current_claims().subject} {ctx.transport} {ctx.headers['x-trace']} {await ctx.begin_task()}"

    @tool(task="required")
    async def tell(self, ctx: Context) -> str:
        """Tell how far it is."""
        await ctx.log("only a detail", "debug")
        for step in ("one", "two"):
            await ctx.progress(1, 2, step)
        await self.go.wait()
        await ctx.log("almost there")
        await self.cancelled.wait()
        return "told"

    @tool(task="manual")
    async def ordered(self, ctx: Context) -> str:
        """Ask first, then work."""
        self.runs += 1
        name = (await ctx.elicit(Name, "Who?", key="who")).name
        self.seen.append(await ctx.begin_task())
        await self.go.wait()
        size = (await ctx.elicit(Name, "How large?", key="size")).name if self.seen[-1] else "any"
        return f"{name} {size}"

    @tool(task="required")
    async def asks(self, ctx: Context) -> str:
        """Wait, then ask."""
        await self.go.wait()
        return (await ctx.elicit(Name, "Who?")).name

    @tool
    async def plain(self, ctx: Context) -> str:
        """Try to begin a task without having said so."""
        return str(await ctx.begin_task())


async def test_a_result_that_is_there_at_once_is_answered_at_once():
    """SEP-2663, "Capability Negotiation": the server decides for each request."""
    store = MemoryTasks()
    async with serving(Work(), tasks=store) as peer:
        assert (await peer.call("quick"))["content"] == [{"type": "text", "text": "quick"}]
        answer = await peer.ask("tools/call", {"name": "refuse", "arguments": {}})
    assert answer.error["code"] == 42
    assert await store.abandoned(10**15) == []


async def test_what_takes_longer_than_a_moment_becomes_a_task():
    """The client waits for a moment, not for the tool."""
    work = Work()
    async with serving(work) as peer:
        task_id = await peer.start("slow")
        work.go.set()
        assert (await peer.end(task_id))["result"]["content"] == [{"type": "text", "text": "slow"}]


async def test_a_client_without_tasks_waits_for_the_result():
    """SEP-2663, "Capability Negotiation": no CreateTaskResult for whoever did not declare the extension."""
    work = Work()
    async with serving(work) as peer:
        calls = [asyncio.create_task(peer.ask("tools/call", {"name": "slow", "arguments": {}}, **{CAPABILITIES_KEY: {}}))]
        calls += [asyncio.create_task(Peer(peer.app, era).ask("tools/call", {"name": "slow", "arguments": {}})) for era in OLDER]
        await asyncio.sleep(0.1)
        work.go.set()
        for call in calls:
            result = (await call).result
            assert result["content"] == [{"type": "text", "text": "slow"}]
            assert result.get("resultType", "complete") == "complete"


async def test_a_required_task_needs_a_client_that_takes_it():
    """SEP-2663, "Capability Negotiation": -32021 before anything runs."""
    work = Work()
    async with serving(work) as peer:
        answer = await peer.ask("tools/call", {"name": "tell", "arguments": {}}, **{CAPABILITIES_KEY: {}})
    assert (answer.status, answer.error["code"]) == (400, -32021)


async def test_the_older_task_param_is_ignored():
    """SEP-2663: the client has no say; `task` of 2025-11-25 is no hint."""
    async with serving(Work()) as peer:
        answer = await peer.ask("tools/call", {"name": "quick", "arguments": {}, "task": {"ttl": 60_000}})
    assert answer.result["resultType"] == "complete"


async def test_a_tool_that_is_not_async_runs_as_a_task_too():
    """It runs in a thread; its task can be cancelled, the thread goes on."""
    async with serving(Work()) as peer:
        found = await peer.end(await peer.start("blocking"))
    assert found["result"]["content"] == [{"type": "text", "text": "from a thread"}]


async def test_a_client_that_leaves_before_it_has_an_id_ends_the_work():
    """Nobody could ever ask for the task, or cancel it."""
    work = Work()
    async with serving(work) as peer:
        call = asyncio.create_task(peer.call("slow"))
        await asyncio.sleep(0.01)
        call.cancel()
        await asyncio.wait([call])
        await asyncio.wait_for(work.cancelled.wait(), 5)
        assert peer.tasks.runs == {}


class Away(MemoryTasks):
    """A store that is away at times, or slow."""

    def __init__(self):
        super().__init__()
        self.is_away = self.is_blind = False
        self.creating = asyncio.Event()
        self.may_create = asyncio.Event()
        self.may_create.set()

    async def create(self, task, /):
        self.creating.set()
        await self.may_create.wait()
        if self.is_away:
            raise OSError("the database is away")
        await super().create(task)

    async def find(self, task_id, /):
        if self.is_blind:
            raise OSError("the database is away")
        return await super().find(task_id)

    async def change(self, task_id, step, /):
        if self.is_away:
            raise OSError("the database is away")
        return await super().change(task_id, step)


@pytest.mark.parametrize("name", ["slow", "tell"])
async def test_a_client_that_leaves_while_the_task_is_made_leaves_no_task_behind(name):
    """The record is there, its id never left: it is cancelled."""
    store, work = Away(), Work()
    store.may_create.clear()
    async with serving(work, tasks=store) as peer:
        call = asyncio.create_task(peer.call(name))
        await store.creating.wait()
        call.cancel()
        await asyncio.sleep(0)
        store.may_create.set()
        await asyncio.wait([call])
        assert call.cancelled()
        (kept,) = store._tasks.values()
        assert (kept.status, peer.tasks.runs) == ("cancelled", {})


@pytest.mark.parametrize("name", ["slow", "tell"])
async def test_a_task_that_cannot_be_kept_is_none(name):
    """SEP-2663, "Task Creation": durable before the id leaves, so without a store there is no id and no work."""
    store, work = Away(), Work()
    store.is_away = True
    async with serving(work, tasks=store) as peer:
        answer = await peer.ask("tools/call", {"name": name, "arguments": {}})
        assert answer.error["code"] == -32603
        assert peer.tasks.runs == {}


async def test_an_outcome_waits_for_the_store_to_come_back():
    """Never silently lost."""
    store, work = Away(), Work()
    async with serving(work, tasks=store) as peer:
        task_id = await peer.start("slow")
        peer.tasks.retry_s = 0.01
        store.is_away = True
        work.go.set()
        await asyncio.sleep(0.05)
        assert (await peer.get(task_id))["status"] == "working"
        store.is_away = False
        assert (await peer.end(task_id))["status"] == "completed"


async def test_an_outcome_that_its_store_never_takes_fails_the_task(sqlite_url, caplog):
    """Else it would be tried for ever; here a number of more digits than Python writes."""

    class Big(Base):
        name = ""

        @tool(task="required")
        async def power(self, exponent: int) -> dict[str, int]:
            """A power of ten."""
            return {"power": 10**exponent}

    async with open_store(sqlite_url) as store, serving(Big(), tasks=store) as peer:
        peer.tasks.retry_s = 0.01
        task_id = await peer.start("power", exponent=5000)
        found = await peer.end(task_id)
        assert (found["status"], found["error"]["code"]) == ("failed", -32603)
        assert "cannot keep what this task came to" in found["error"]["message"]
        assert peer.tasks.runs == {}
    assert "refuses its outcome" in caplog.text


async def test_a_question_survives_a_store_that_is_away_for_a_moment():
    """Whether it goes away before the question or before the answer."""
    store, work = Away(), Work()
    async with serving(work, tasks=store) as peer:
        peer.tasks.retry_s = 0.01
        task_id = await peer.start("asks")
        store.is_away = True
        work.go.set()
        await asyncio.sleep(0.03)
        store.is_away = False
        await peer.wait(task_id, "input_required")
        store.is_away = store.is_blind = True
        run = peer.tasks.runs[task_id]
        run.hear(is_over=False)
        await asyncio.sleep(0.03)
        store.is_away = store.is_blind = False
        await peer.update(task_id, question_1={"action": "accept", "content": {"name": "Ann"}})
        assert (await peer.end(task_id))["result"]["content"][0]["text"] == "Ann"


async def test_no_question_takes_the_news_of_an_answer_from_another():
    """Two wait at once, and one of them is just looking at a record that is old when it arrives."""

    class SlowToRead(MemoryTasks):
        gate = None

        async def find(self, task_id, /):
            gate, self.gate, found = self.gate, None, await super().find(task_id)
            if gate is not None:
                await gate.wait()
            return found

    class Both(Base):
        name = ""
        first = asyncio.Event()

        @tool(task="required")
        async def both(self, ctx: Context) -> str:
            """Ask two things at once."""
            names = await asyncio.gather(self._left(ctx), ctx.elicit(Name, "Right?", key="right"))
            return " ".join(name.name for name in names)

        async def _left(self, ctx):
            name = await ctx.elicit(Name, "Left?", key="left")
            self.first.set()
            return name

    store, both = SlowToRead(), Both()
    async with serving(both, tasks=store) as peer:
        task_id = await peer.start("both")
        async with asyncio.timeout(5):
            while len((await peer.get(task_id)).get("inputRequests", ())) < 2:
                await asyncio.sleep(0.005)
        gate = store.gate = asyncio.Event()
        peer.tasks.runs[task_id].hear(is_over=False)
        while store.gate is not None:
            await asyncio.sleep(0)
        await peer.update(task_id, left={"action": "accept", "content": {"name": "Ann"}})
        await asyncio.sleep(0.01)
        gate.set()
        async with asyncio.timeout(1):  # the beat comes after three
            await both.first.wait()


async def test_nobody_answers_for_ever():
    """A question has an end, so that a forgotten task has one too."""
    work = Work()
    async with serving(work) as peer:
        retry = {"name": "ordered", "arguments": {}, "inputResponses": {"who": {"action": "accept", "content": {"name": "Ann"}}}}
        created = (await peer.ask("tools/call", retry)).result
        peer.tasks.answer_within_s = 0.02
        work.go.set()
        found = await peer.end(created["taskId"])
    assert (found["status"], found["result"]["isError"]) == ("completed", True)
    assert "no answer within 0.02 seconds" in found["result"]["content"][0]["text"]
    assert peer.era == MODERN
