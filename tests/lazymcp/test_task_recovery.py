"""What becomes of a task when the process that runs it ends, gracefully or not; with every store."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from lazyauth import current_user
from lazymcp import Base, Context, tool
from lazymcp.bus import MemoryBus
from lazymcp.task_store import MemoryTasks
from tests.lazymcp.asking_peer import accept
from tests.lazymcp.task_peer import Name, ann, serving
from tests.lazymcp.test_tasks import Clock, Work


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
            await peer.update(task_id, question_1=accept(name="Ann"))
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
            retry["inputResponses"] = {"question_1": accept(name="Ann")}
            task_id = (await peer.ask("tools/call", retry)).result["taskId"]
            await peer.wait(task_id, "input_required")
        second.go.set()
        async with serving(second, tasks=task_store) as after:
            found = await after.wait(task_id, "input_required")
            assert set(found["inputRequests"]) == {"question_2"}
            await after.update(task_id, question_2=accept(name="Bob"))
            found = await after.end(task_id)
    assert found["result"]["content"][0]["text"] == "Ann Bob ann"


async def test_a_question_that_is_another_now_is_asked_anew():
    """A yes to one question is none to another; what waits under the old one is taken back."""

    class Moody(Base):
        name = ""

        def __init__(self, what):
            self.what = what

        @tool(task="required", idempotent=True)
        async def delete(self, ctx: Context) -> str:
            """Delete."""
            first = await ctx.elicit(Name, f"Delete {self.what}?")
            return f"{first.name} {(await ctx.elicit(Name, f'Really {self.what}?')).name}"

    store = MemoryTasks()
    async with serving(Moody("three files"), tasks=store) as peer:
        task_id = await peer.start("delete")
        await peer.wait(task_id, "input_required")
        await peer.update(task_id, question_1=accept(name="yes"))
        async with asyncio.timeout(5):
            while "question_2" not in (await peer.get(task_id)).get("inputRequests", {}):
                await asyncio.sleep(0)
    async with serving(Moody("five files"), tasks=store) as after:
        async with asyncio.timeout(5):
            while "question_1~2" not in (found := await after.get(task_id)).get("inputRequests", {}):
                await asyncio.sleep(0)
        assert found["inputRequests"]["question_1~2"]["params"]["message"] == "Delete five files?"
        await after.update(task_id, **{"question_1~2": accept(name="no")})
        async with asyncio.timeout(5):
            while "question_2~2" not in (found := await after.get(task_id)).get("inputRequests", {}):
                await asyncio.sleep(0)
        assert set(found["inputRequests"]) == {"question_2~2"}
        await after.update(task_id, **{"question_2~2": accept(name="never")})
        assert (await after.end(task_id))["result"]["content"][0]["text"] == "no never"


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
        await alive.update(again, question_1=accept(name="Ann"))
        second.go.set()
        assert (await alive.end(again))["result"]["content"][0]["text"] == "x Ann nobody"
        # What the first still does changes nothing.
        before = await alive.get(again)
        first.go.set()
        await asyncio.sleep(0.05)
        assert await alive.get(again) == before
        assert (await alive.get(once))["status"] == "failed"
    assert (first.started, second.started) == (2, 1)


async def test_a_task_of_nobody_does_not_go_on_as_whoever_finds_it():
    """Ann's request finds it, and the task must not see or do what only she may."""

    class Open(Base):
        name = ""

        def __init__(self):
            self.go = asyncio.Event()

        @tool(task="required", idempotent=True)
        async def who(self) -> str:
            """Tell who is signed in."""
            await self.go.wait()
            return str(current_user())

    store, module = MemoryTasks(), Open()
    async with serving(Open(), tasks=store) as peer:
        task_id = await peer.start("who")
    with ann():
        async with serving(module, tasks=store) as after:
            assert (await after.ask("tasks/get", {"taskId": task_id})).error["code"] == -32602
            module.go.set()
            async with asyncio.timeout(5):
                while not (found := await store.find(task_id)).is_over:
                    await asyncio.sleep(0.005)
    assert found.outcome["content"][0]["text"] == "None"


@pytest.mark.parametrize("name", ["once", "again"])
async def test_a_process_does_not_take_over_what_it_runs_itself(name, task_store):
    """The clock was set, or something held up the loop for longer than a lease: the function is there all the same."""
    work, clock = Work(), Clock()
    async with serving(work, tasks=task_store, now=clock) as peer:
        task_id = await peer.start(name, **({"label": "x"} if name == "again" else {}))
        clock.time += 31
        await asyncio.gather(peer.get(task_id), peer.get(task_id), peer.tasks.sweep())
        assert (await peer.get(task_id))["status"] in ("working", "input_required")
        await peer.tasks._renew()
        assert (await task_store.find(task_id)).lease_ms == (clock.time + 30) * 1000
        if name == "again":
            await peer.wait(task_id, "input_required")
            await peer.update(task_id, question_1=accept(name="Ann"))
        work.go.set()
        assert (await peer.end(task_id))["status"] == "completed"
    assert work.started == 1


async def test_a_beat_does_not_give_away_what_is_being_taken_over():
    """Between the record and the function lies the news of it, which may take a while to send."""

    class SlowBus(MemoryBus):
        def __init__(self):
            super().__init__()
            self.publishing, self.may_publish = asyncio.Event(), asyncio.Event()

        async def publish(self, topic, message):
            self.publishing.set()
            await self.may_publish.wait()
            await super().publish(topic, message)

    store, first, second, bus = MemoryTasks(), Work(), Work(), SlowBus()
    async with serving(Work(), tasks=store) as gone:
        task_id = await gone.start("again", label="x")
    async with serving(first, tasks=store, bus=bus) as peer, serving(second, tasks=store) as other:
        finding = asyncio.create_task(peer.get(task_id))
        await bus.publishing.wait()
        beat = asyncio.create_task(peer.tasks._renew())
        await asyncio.sleep(0)
        bus.may_publish.set()
        await asyncio.gather(finding, beat)
        await other.wait(task_id, "input_required")
        assert (await store.find(task_id)).runner == peer.tasks.runner
    assert (first.started, second.started) == (1, 0)


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
        await other.update(asking, question_1=accept(name="Ann"))
        await other.cancel(waiting)
        assert len(peer.tasks.runs) == 2
        await peer.tasks._renew()
        work.go.set()
        assert (await other.end(asking))["status"] == "completed"
        async with asyncio.timeout(5):
            while peer.tasks.runs:
                await asyncio.sleep(0.01)
        assert (await other.get(waiting))["status"] == "cancelled"


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
