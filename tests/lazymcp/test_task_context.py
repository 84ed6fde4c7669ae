"""What a tool sees and can do before it is a task, and as one."""

import asyncio

from lazymcp.protocol import CAPABILITIES_KEY
from tests.lazymcp.task_peer import ann, serving
from tests.lazymcp.test_task_run import Work


async def test_a_task_knows_who_asked_and_what_the_request_was():
    """Context variables and headers outlive the request."""
    async with serving(Work()) as peer:
        peer.headers["x-trace"] = "t-1"
        with ann():
            found = await peer.end(await peer.start("look"))
    assert found["result"]["content"] == [{"type": "text", "text": "ann ann http t-1 True"}]


async def test_progress_and_log_become_the_status_message():
    """SEP-2663: no progress or log notification belongs to a task; its status message is for people."""
    work = Work()
    async with serving(work) as peer:
        answer = await peer.ask("tools/call", {"name": "tell", "arguments": {}}, progressToken=1)
        assert len(answer.messages) == 1
        task_id = answer.result["taskId"]
        async with asyncio.timeout(5):
            while (await peer.get(task_id)).get("statusMessage") != "one":
                await asyncio.sleep(0.005)
        run = peer.tasks.runs[task_id]
        # Said within the same second: kept for the next write.
        await run.flush()
        assert (await peer.get(task_id))["statusMessage"] == "two"
        run._say_at = 0.0
        work.go.set()
        async with asyncio.timeout(5):
            while (await peer.get(task_id))["statusMessage"] != "almost there":
                await asyncio.sleep(0.005)
        work.cancelled.set()
        assert "statusMessage" not in await peer.end(task_id)


async def test_a_tool_may_ask_before_there_is_a_task_and_inside_it():
    """SEP-2663, "Task Creation": rounds of questions come first; no requestState reaches the task."""
    work = Work()
    async with serving(work) as peer:
        first = await peer.call("ordered")
        assert (first["resultType"], set(first["inputRequests"])) == ("input_required", {"who"})
        assert "taskId" not in first
        retry = {"name": "ordered", "arguments": {}, "requestState": first["requestState"]}
        retry["inputResponses"] = {"who": {"action": "accept", "content": {"name": "Ann"}}}
        created = (await peer.ask("tools/call", retry)).result
        assert (created["resultType"], work.seen, work.runs) == ("task", [True], 2)
        assert not {"requestState", "inputRequests", "result"} & created.keys()
        work.go.set()
        found = await peer.wait(created["taskId"], "input_required")
        assert "requestState" not in found
        await peer.update(created["taskId"], size={"action": "accept", "content": {"name": "XL"}})
        assert (await peer.end(created["taskId"]))["result"]["content"] == [{"type": "text", "text": "Ann XL"}]


async def test_begin_task_tells_when_there_will_be_none():
    """A tool that can do without goes on in its request."""
    work = Work()
    work.go.set()
    async with serving(work) as peer:
        only_forms = {CAPABILITIES_KEY: {"elicitation": {}}}
        first = (await peer.ask("tools/call", {"name": "ordered", "arguments": {}}, **only_forms)).result
        retry = {"name": "ordered", "arguments": {}, "requestState": first["requestState"]}
        retry["inputResponses"] = {"who": {"action": "accept", "content": {"name": "Ann"}}}
        found = (await peer.ask("tools/call", retry, **only_forms)).result
    assert (found["content"], work.seen) == ([{"type": "text", "text": "Ann any"}], [False])


async def test_begin_task_is_for_tools_that_say_so(caplog):
    """A mistake of the developer: the log says what to do."""
    async with serving(Work()) as peer:
        assert (await peer.call("plain"))["isError"] is True
    assert '@tool(task="manual")' in caplog.text
