"""Clauses of MCP 2026-07-28, basic/patterns, and of SEP-2663 that no single file keeps: who speaks first, what is left."""

import asyncio
import gc

import pytest

from lazymcp import Base, Context, Scope, tool
from lazymcp.local import Connection
from lazymcp.methods import METHODS
from lazymcp.protocol import CAPABILITIES_KEY, LOG_LEVEL_KEY, TASKS_EXTENSION
from tests.lazymcp.asgi_peer import MODERN, Peer
from tests.lazymcp.fuzzed import Rich
from tests.lazymcp.listening import LISTS, listening
from tests.lazymcp.wire import judge

ABLE = {"elicitation": {"form": {}, "url": {}}, "roots": {}, "sampling": {}, "extensions": {TASKS_EXTENSION: {}}}
QUESTIONS = {"elicitation/create", "sampling/createMessage", "roots/list"}


class Chatty(Base):
    name = ""

    def __init__(self):
        self.go_on = asyncio.Event()

    @tool(task="required")
    async def chat(self, ctx: Context) -> str:
        """Report and log while it works as a task."""
        for count in range(3):
            await ctx.progress(count)
            await ctx.log(count, "error")
        await self.go_on.wait()
        await ctx.progress(9)
        return "done"


def scope_of(*modules):
    scope = Scope()
    scope.register(*modules)
    return scope


@pytest.fixture
def scope():
    return scope_of(Rich())


@pytest.mark.requirement("MCP-PATTERNS-1", "MCP-MRTR-1", "MCP-MRTR-4", "MCP-HTTP-8", "MCP-STDIO-3")
@pytest.mark.parametrize("name", ["ask", "folders"])
async def test_a_server_of_today_starts_no_request(scope, name):
    """basic/patterns: what it wants of the client stands in the result, over HTTP and over stdio."""
    peer = Peer(scope.asgi())
    answer = await peer.ask("tools/call", {"name": name}, headers={"accept": "text/event-stream"}, **{CAPABILITIES_KEY: ABLE})
    said = []

    async def send(message):
        said.append(message)

    local = await Connection(scope._registry).handle(peer.message("tools/call", {"name": name}, **{CAPABILITIES_KEY: ABLE}), send)
    judge(MODERN, local, "tools/call")
    assert said == []
    for result in (answer.result, local["result"]):
        assert result["resultType"] == "input_required"
        assert {question["method"] for question in result["inputRequests"].values()} <= QUESTIONS
    assert [message for message in answer.messages if "method" in message] == []


@pytest.mark.requirement("MCP-MRTR-2")
def test_three_methods_may_ask_and_no_other():
    """basic/patterns/mrtr, "Supported Requests"."""
    assert {name for name, row in METHODS.items() if row.may_ask} == {"tools/call", "prompts/get", "resources/read"}


@pytest.mark.requirement("MCP-MRTR-10")
async def test_nothing_is_kept_of_a_question_that_nobody_answers(scope):
    """basic/patterns/mrtr: the client may never come back."""
    peer = Peer(scope.asgi())
    before = asyncio.all_tasks()

    async def ask(times):
        for _ in range(times):
            assert (await peer.ask("tools/call", {"name": "ask"}, **{CAPABILITIES_KEY: ABLE})).result[
                "resultType"
            ] == "input_required"
        gc.collect()
        return len(gc.get_objects())

    count = await ask(10)
    assert await ask(100) - count < 100
    assert asyncio.all_tasks() == before


@pytest.mark.requirement("MCP-CANCEL-1", "MCP-CANCEL-2", "MCP-CANCEL-4")
async def test_a_subscription_that_the_server_ends_is_ended_by_its_result(scope):
    """basic/patterns/subscriptions, "Graceful Closure"; the page on cancellation would have a notification before it."""
    async with listening(Peer(scope.asgi()), LISTS, "sub") as ear:
        told = [await ear.next()]
        scope.end_streams()
        told += await ear.rest()
    assert [message.get("method", "result") for message in told] == ["notifications/subscriptions/acknowledged", "result"]
    assert (told[-1]["id"], told[-1]["result"]["resultType"]) == ("sub", "complete")


@pytest.mark.requirement("MCP-TASKS-19")
async def test_a_task_says_nothing_but_its_status_to_who_listens():
    """SEP-2663, "Task Status Notifications": no progress and no log message, although the call asked for both."""
    module = Chatty()
    scope = scope_of(module)
    peer = Peer(scope.asgi())
    meta = {CAPABILITIES_KEY: ABLE}
    made = await peer.ask("tools/call", {"name": "chat"}, progressToken="t", **{**meta, LOG_LEVEL_KEY: "debug"})
    task_id = made.result["taskId"]
    assert [message for message in made.messages if "method" in message] == []
    wish = {**LISTS, "taskIds": [task_id]}
    async with listening(peer, wish, "sub", **meta) as ear:
        told = [await ear.next()]
        module.go_on.set()
        while told[-1].get("params", {}).get("status") != "completed":
            told.append(await ear.next())
    assert {message["method"] for message in told} == {"notifications/subscriptions/acknowledged", "notifications/tasks"}
