"""The tasks of a process: limits, leases, what happens when a process ends, and news."""

import asyncio
import json
from functools import partial

import pytest

from lazyauth import current_claims, current_user, require_user
from lazymcp import Base, Context, Options, Scope, tool
from lazymcp.bus import MemoryBus
from lazymcp.errors import MissingCapability
from lazymcp.no_link import NoLink
from lazymcp.options import TaskLimits
from lazymcp.protocol import CAPABILITIES_KEY, open_envelope
from lazymcp.task_methods import owns_task
from lazymcp.task_store import MemoryTasks
from tests.lazymcp.asking_peer import accept
from tests.lazymcp.listening import listening
from tests.lazymcp.stdio_peer import over_pipes
from tests.lazymcp.task_peer import Name, TaskPeer, ann, bob, serving


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


async def test_news_of_a_task_reaches_who_listens():
    """SEP-2663, "Task Status Notifications": complete tasks, as tasks/get would give them."""
    bus, heard = MemoryBus(), []
    stop = bus.listen("news", heard.append)
    work = Work()
    async with serving(work, bus=bus) as peer:
        task_id = await peer.start("again", label="x")
        await peer.wait(task_id, "input_required")
        await peer.update(task_id, question_1=accept(name="Ann"))
        work.go.set()
        found = await peer.end(task_id)
    stop()
    assert {(news["kind"], news["taskId"]) for news in heard} == {("task", task_id)}
    assert [news["params"]["status"] for news in heard] == ["input_required", "working", "completed"]
    assert heard[-1]["params"] == {key: value for key, value in found.items() if key not in {"resultType", "_meta"}}


async def test_a_listener_hears_of_its_tasks_until_they_are_over():
    """SEP-2663, "Task Status Notifications": the ids that are granted, then complete tasks; no progress, no log messages."""
    work = Work()
    async with serving(work) as peer:
        with ann():
            task_id, other = await peer.start("again", label="x"), await peer.start("once")
            await peer.wait(task_id, "input_required")
            wish = {"taskIds": [task_id, "x" * 32]}
            async with listening(peer, wish, logLevel="debug") as ear:
                assert (await ear.next())["params"]["notifications"]["taskIds"] == [task_id]
                await peer.cancel(other)
                await peer.update(task_id, question_1=accept(name="Ann"))
                heard = [await ear.next()]
                work.go.set()
                heard.append(await ear.next())
                found = await peer.end(task_id)
        assert {message["method"] for message in heard} == {"notifications/tasks"}
        assert [message["params"]["status"] for message in heard] == ["working", "completed"]
        assert heard[-1]["params"]["result"] == found["result"]


async def test_listening_to_tasks_needs_the_extension_and_the_owner():
    """SEP-2663, "Task Status Notifications": -32021, naming the extension; somebody else's id is left out."""
    async with serving(Work()) as peer:
        with ann():
            task_id = await peer.start("once")
        wish = {"taskIds": [task_id]}
        refused = await peer.ask("subscriptions/listen", {"notifications": wish}, **{CAPABILITIES_KEY: {}})
        assert (refused.status, refused.error["code"]) == (400, -32021)
        with bob():
            async with listening(peer, wish) as ear:
                assert not (await ear.next())["params"]["notifications"].get("taskIds")


async def test_a_local_client_has_tasks_too_and_they_end_with_it():
    """stdio: the same methods; when the input ends, so does what runs."""
    store = MemoryTasks()
    scope = Scope(Options(tasks=store))
    scope.register(Work())
    peer, line = TaskPeer(None), await over_pipes()
    served = asyncio.create_task(scope.serve_stdio(line.reader, line.writer))
    line.send(peer.message("tools/call", {"name": "once", "arguments": {}}) | {"id": 1})
    created = (await line.read())["result"]
    assert created["resultType"] == "task"
    line.send(peer.message("tasks/get", {"taskId": created["taskId"]}) | {"id": 2})
    assert (await line.read())["result"]["status"] == "working"
    line.end_input()
    await asyncio.wait_for(served, 10)
    assert (await store.find(created["taskId"])).status == "failed"
    await line.close()


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
