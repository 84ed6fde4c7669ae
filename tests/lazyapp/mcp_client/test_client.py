"""lazyapp/mcp_client/client.py: one client of a scope, in this process."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel

import lazymcp
from lazyapp.mcp_client.client import MISSING_CAPABILITY, Client, Refused
from lazymcp import Context, Options, ToolError, tool


class Cake(BaseModel):
    layers: int


class BakeryMCP(lazymcp.Base):
    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()

    @tool(task="required")
    async def bake(self, ctx: Context) -> int:
        """Bake a cake, once it is known how many layers it has."""
        first = await ctx.elicit(Cake, "How many layers?")
        second = await ctx.elicit(Cake, "And of the other?")
        return first.layers + second.layers

    @tool(task="required")
    async def burn(self) -> int:
        """Burn a cake."""
        raise ToolError("it is black")

    @tool(task="required")
    async def rise(self) -> int:
        """Wait for the dough."""
        self.begun.set()
        try:
            await asyncio.sleep(600)
        finally:
            self.ended.set()
        return 1

    @tool
    async def taste(self, ctx: Context) -> int:
        """Ask without end."""
        while True:
            await ctx.elicit(Cake, "Another?")


def bakery(**options: Any) -> tuple[BakeryMCP, lazymcp.Scope]:
    module, scope = BakeryMCP(), lazymcp.Scope(Options(**options))
    scope.register(module)
    return module, scope


async def three(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {"action": "accept", "content": {"layers": 3}}


async def test_a_task_is_followed_with_its_questions() -> None:
    """SEP-2663, "Task Polling" and "Task Update Requests"."""
    _, scope = bakery(task_limits=lazymcp.TaskLimits(poll_interval_ms=5))
    result = await Client(scope, answer=three).ask("tools/call", {"name": "bakery.bake", "arguments": {}})
    assert result["structuredContent"] == {"result": 6}
    failed = await Client(scope, answer=three).ask("tools/call", {"name": "bakery.burn", "arguments": {}})
    assert failed["isError"] is True
    await scope.end_tasks()


async def test_a_task_is_cancelled_with_whoever_waits_for_it() -> None:
    """SEP-2663, "Task Cancellation": else it went on with nobody to hear of it."""
    module, scope = bakery(task_limits=lazymcp.TaskLimits(poll_interval_ms=5))
    polled = asyncio.Event()

    class Watched(Client):
        async def _exchange(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
            if method == "tasks/get":
                polled.set()
            return await super()._exchange(method, params)

    call = asyncio.create_task(Watched(scope).ask("tools/call", {"name": "bakery.rise", "arguments": {}}))
    await module.begun.wait()
    await polled.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await module.ended.wait()
    await scope.end_tasks()


async def test_a_question_nobody_answers_is_refused() -> None:
    """MCP 2026-07-28, basic/index: what the client did not declare is not asked."""
    _, scope = bakery()
    with pytest.raises(Refused) as refused:
        await Client(scope).ask("tools/call", {"name": "bakery.taste", "arguments": {}})
    assert refused.value.code == MISSING_CAPABILITY
    assert "elicitation" in refused.value.data["requiredCapabilities"]


async def test_a_tool_that_asks_without_end_is_left() -> None:
    _, scope = bakery()
    with pytest.raises(Refused, match="asks without end"):
        await Client(scope, answer=three).ask("tools/call", {"name": "bakery.taste", "arguments": {}})


async def test_lists_are_read_to_their_last_page() -> None:
    """MCP 2026-07-28, server/utilities/pagination."""
    _, scope = bakery(page_size=2)
    assert await Client(scope).names("tool") == [f"bakery.{name}" for name in ("bake", "burn", "rise", "taste")]
    assert await Client(scope).names("skill") == []


async def test_an_unknown_method_is_refused_with_its_code() -> None:
    _, scope = bakery()
    with pytest.raises(Refused, match="there is no method") as refused:
        await Client(scope).ask("tools/bite", {})
    assert refused.value.code == -32601
