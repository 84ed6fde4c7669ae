"""The tasks of a process: limits, leases, what happens when a process ends, and news."""

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

import pytest

from lazyauth import Claims, current_claims, current_user, require_user
from lazymcp import Base, Context, tool
from lazymcp.bus import MemoryBus
from lazymcp.errors import MissingCapability
from lazymcp.local import NoLink
from lazymcp.options import TaskLimits
from lazymcp.protocol import open_envelope
from lazymcp.task_methods import owns_task
from lazymcp.task_store import MemoryTasks
from lazymcp.tasks import owner_of
from tests.lazymcp.task_peer import ann, bob, serving
from tests.lazymcp.test_task_methods import Name, accept


class Clock:
    """A clock that stands still; it tells Unix seconds."""

    def __init__(self):
        self.time = 1_800_000_000.0

    def __call__(self):
        return self.time


class Work(Base):
    """Tools that wait to be let go."""

    name = ""

    def __init__(self):
        self.go = asyncio.Event()
        self.started = 0
        self.names = []

    @tool(task="required")
    async def once(self) -> str:
        """Work that must not be done twice."""
        self.started += 1
        await self.go.wait()
        return "done"

    @tool(task="required", idempotent=True)
    async def again(self, label: str, ctx: Context) -> str:
        """Work that may be done again."""
        self.started += 1
        self.names.append((await ctx.elicit(Name, "Who?")).name)
        await self.go.wait()
        user = current_user()
        return f"{label} {self.names[-1]} {'nobody' if user is None else (user.id, dict(user.data), current_claims().subject)}"

    @tool(task="manual", idempotent=True)
    async def ordered(self, ctx: Context) -> str:
        """Ask, begin, ask again."""
        self.started += 1
        first = (await ctx.elicit(Name, "Who?")).name
        await ctx.begin_task()
        second = (await ctx.elicit(Name, "And who else?")).name
        await self.go.wait()
        return f"{first} {second} {require_user().id}"


async def test_two_hundred_tasks_at_once(task_store):
    """Each has its own id, record and result."""
    work = Work()
    async with serving(work, tasks=task_store, task_limits=TaskLimits(per_caller=200)) as peer:
        with ann():
            message = peer.message("tools/call", {"name": "once", "arguments": {}})
            body, headers = json.dumps(message).encode(), peer.headers_for(message)
            answers = await asyncio.gather(*(peer.post(body, headers) for _ in range(200)))
            ids = [answer.result["taskId"] for answer in answers]
            assert len(set(ids)) == 200
            work.go.set()
            tasks = peer.tasks
            async with asyncio.timeout(20):
                while tasks.runs:
                    await asyncio.sleep(0.01)
            for task_id in ids[::20]:
                assert (await peer.get(task_id))["result"]["content"] == [{"type": "text", "text": "done"}]
    assert work.started == 200


async def test_a_process_and_a_caller_run_so_many_tasks():
    """`TaskLimits`: above them the model is told, and nothing runs."""
    work = Work()
    async with serving(work, task_limits=TaskLimits(running=4, per_caller=2)) as peer:
        with ann():
            first = await peer.start("once")
            await peer.start("once")
            refused = await peer.call("once")
            assert refused["isError"] is True
            assert refused["content"][0]["text"].startswith("you have 2 running tasks, as many as you may; wait for one to end")
        for _ in range(2):
            await peer.start("once")
        assert (await peer.call("once"))["content"][0]["text"].startswith("this server runs 4 tasks, as many as it may")
        with ann():
            await peer.cancel(first)
            await asyncio.sleep(0.01)
            await peer.start("once")
    assert work.started == 5


async def test_a_full_store_is_told_to_the_model():
    """`MemoryTasks(limit)`."""
    async with serving(Work(), tasks=MemoryTasks(1)) as peer:
        await peer.start("once")
        assert "has no room" in (await peer.call("once"))["content"][0]["text"]


async def test_a_running_task_does_not_expire():
    """SEP-2663, "Tasks": ttlMs may change; it is counted from the last sign of life."""
    work, clock = Work(), Clock()
    async with serving(work, now=clock, task_limits=TaskLimits(ttl_s=60, lease_s=30)) as peer:
        task_id = await peer.start("once")
        assert (await peer.get(task_id))["ttlMs"] == 60_000
        for _ in range(10):
            clock.time += 20
            await peer.tasks._renew()
        assert 260_000 <= (await peer.get(task_id))["ttlMs"] <= 270_000
        work.go.set()
        assert (await peer.end(task_id))["status"] == "completed"
        clock.time += 59
        assert (await peer.get(task_id))["status"] == "completed"
        clock.time += 10
        assert (await peer.ask("tasks/get", {"taskId": task_id})).error["code"] == -32602


async def test_a_graceful_end_fails_what_must_not_run_twice(task_store):
    """The client is told at once, not when a lease has run out."""
    async with serving(Work(), tasks=task_store) as peer:
        task_id = await peer.start("once")
    async with serving(Work(), tasks=task_store) as after:
        found = await after.get(task_id)
    assert (found["status"], found["error"]["code"]) == ("failed", -32603)
    assert "the server was restarted while this task was running" in found["statusMessage"]


async def test_a_graceful_end_hands_over_what_may_run_again(task_store):
    """With the arguments, the answers and the caller it had."""
    first, second = Work(), Work()
    with ann():
        async with serving(first, tasks=task_store) as peer:
            task_id = await peer.start("again", label="x")
            await peer.wait(task_id, "input_required")
            await peer.update(task_id, question_1=accept("Ann"))
            async with asyncio.timeout(5):
                while not first.names:
                    await asyncio.sleep(0.005)
        second.go.set()
        async with serving(second, tasks=task_store) as after:
            found = await after.end(task_id)
    assert found["result"]["content"][0]["text"] == "x Ann ('ann', {'team': 'red'}, 'ann')"
    assert (first.started, second.started, second.names) == (1, 1, ["Ann"])


async def test_what_was_asked_before_the_task_is_not_asked_again(task_store):
    """A manual task that is run again has its first answers too."""
    first, second = Work(), Work()
    with ann():
        async with serving(first, tasks=task_store) as peer:
            asked = await peer.call("ordered")
            retry = {"name": "ordered", "arguments": {}, "requestState": asked["requestState"]}
            retry["inputResponses"] = {"question_1": accept("Ann")}
            task_id = (await peer.ask("tools/call", retry)).result["taskId"]
            await peer.wait(task_id, "input_required")
        second.go.set()
        async with serving(second, tasks=task_store) as after:
            found = await after.wait(task_id, "input_required")
            assert set(found["inputRequests"]) == {"question_2"}
            await after.update(task_id, question_2=accept("Bob"))
            found = await after.end(task_id)
    assert found["result"]["content"][0]["text"] == "Ann Bob ann"


async def test_a_task_whose_tool_is_gone_fails():
    """The new version of a server may lack a tool."""

    class Other(Base):
        @tool(task="optional")
        async def other(self) -> str:
            """Something else."""
            return ""

    store = MemoryTasks()
    async with serving(Work(), tasks=store) as peer:
        task_id = await peer.start("again", label="x")
    async with serving(Other(), tasks=store) as after:
        await after.tasks.sweep()
    assert (await store.find(task_id)).status == "failed"


async def test_whoever_finds_an_abandoned_task_goes_on_with_it(task_store):
    """A crash: the lease runs out, and tasks/get in another process finds that."""
    first, second, clock = Work(), Work(), Clock()
    async with serving(first, tasks=task_store, now=clock) as dead, serving(second, tasks=task_store, now=clock) as alive:
        once, again = await dead.start("once"), await dead.start("again", label="x")
        await dead.wait(again, "input_required")
        clock.time += 30
        assert (await alive.get(once))["status"] == "working"
        clock.time += 1
        assert (await alive.get(once))["status"] == "failed"
        assert (await alive.get(again))["status"] == "input_required"
        await alive.update(again, question_1=accept("Ann"))
        second.go.set()
        assert (await alive.end(again))["result"]["content"][0]["text"] == "x Ann nobody"
        # What the first still does changes nothing.
        before = await alive.get(again)
        first.go.set()
        await asyncio.sleep(0.05)
        assert await alive.get(again) == before
        assert (await alive.get(once))["status"] == "failed"
    assert (first.started, second.started) == (2, 1)


async def test_of_many_that_find_a_task_one_runs_it(task_store):
    """Never run twice at once."""
    works, clock = [Work() for _ in range(6)], Clock()
    async with AsyncExitStack() as stack:
        dead, *others = [await stack.enter_async_context(serving(work, tasks=task_store, now=clock)) for work in works]
        task_id = await dead.start("again", label="x")
        clock.time += 31
        await asyncio.gather(*(other.get(task_id) for other in others))
        await asyncio.gather(*(other.tasks.sweep() for other in others))
        assert sorted(len(other.tasks.runs) for other in others) == [0, 0, 0, 0, 1]
        assert (await task_store.find(task_id)).attempts == 2


async def test_answers_and_cancellations_arrive_without_news(task_store):
    """Nothing depends on the bus: here each process has its own."""
    work = Work()
    async with serving(work, tasks=task_store) as peer, serving(Work(), tasks=task_store) as other:
        asking, waiting = await peer.start("again", label="x"), await peer.start("once")
        await other.wait(asking, "input_required")
        await other.update(asking, question_1=accept("Ann"))
        await other.cancel(waiting)
        assert len(peer.tasks.runs) == 2
        await peer.tasks._renew()
        work.go.set()
        assert (await other.end(asking))["status"] == "completed"
        async with asyncio.timeout(5):
            while peer.tasks.runs:
                await asyncio.sleep(0.01)
        assert (await other.get(waiting))["status"] == "cancelled"


async def test_news_of_a_task_reaches_who_listens():
    """SEP-2663, "Task Status Notifications": complete tasks, as tasks/get would give them."""
    bus, heard = MemoryBus(), []
    stop = bus.listen("news", heard.append)
    work = Work()
    async with serving(work, bus=bus) as peer:
        task_id = await peer.start("again", label="x")
        await peer.wait(task_id, "input_required")
        await peer.update(task_id, question_1=accept("Ann"))
        work.go.set()
        found = await peer.end(task_id)
    stop()
    assert {(news["kind"], news["taskId"]) for news in heard} == {("task", task_id)}
    assert [news["params"]["status"] for news in heard] == ["input_required", "working", "completed"]
    assert heard[-1]["params"] == {key: value for key, value in found.items() if key not in {"resultType", "_meta"}}


async def test_only_the_owner_may_listen():
    """SEP-2663, "Auth binding"."""
    async with serving(Work()) as peer:
        with ann():
            task_id = await peer.start("once")
        owns = partial(owns_task, peer.scope._registry)
        with pytest.raises(MissingCapability):
            await owns(Context(NoLink(None), {}, {}, {}), task_id)
        ctx = open_envelope(peer.message("subscriptions/listen")["params"], NoLink(None))
        seen = {}
        for who in (ann, bob):
            with who():
                seen[who.__name__] = await owns(ctx, task_id), await owns(ctx, "x" * 32), await owns(ctx, "x\0")
    assert seen == {"ann": (True, False, False), "bob": (False, False, False)}


async def test_a_sweep_is_made_once_a_lease():
    """Requests about tasks sweep on the way, and none of them waits for it."""
    store, swept = MemoryTasks(), []
    purge = store.purge

    async def count(now_ms):
        swept.append(now_ms)
        return await purge(now_ms)

    store.purge = count
    async with serving(Work(), tasks=store) as peer:
        for _ in range(3):
            await peer.ask("tasks/get", {"taskId": "x" * 32})
        await asyncio.sleep(0)
        assert len(swept) == 1
        await peer.scope.ready()
        assert len(swept) == 1


async def test_a_record_that_nobody_works_on_is_not_kept_alive():
    """The store was away when the function ended: its lease is renewed, and it has no function any more."""
    store = MemoryTasks()
    async with serving(Work(), tasks=store) as peer:
        task_id = await peer.start("once")
        tasks = peer.tasks
        lost = replace(await store.find(task_id), id="y" * 32)
        await store.create(lost)
        await tasks._renew()
        assert (await store.find("y" * 32)).status == "failed"
        assert (await peer.get(task_id))["status"] == "working"


def test_the_owner_is_who_the_token_speaks_for():
    """A token without a subject is its client's."""
    assert owner_of(None) == ""
    assert owner_of(Claims({"sub": "ann"})) == "ann"
    assert owner_of(Claims({"client_id": "robot"})) == "client:robot"
