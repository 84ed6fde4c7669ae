"""The official Python SDK's client and FastMCP's on their tours."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal

import fastmcp
import mcp_types as types
from fastmcp.client.elicitation import ElicitResult as FastMCPElicitResult
from fastmcp.skills import SkillsClientExtension
from mcp.client import Client, ClientExtension
from mcp.client.extension import ClaimContext, ResultClaim
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged

from tests.conformance.tour import CAPITAL, DECLINED, ROOT, WATCHED, Tour, filled

TASKS = "io.modelcontextprotocol/tasks"
HEARD_TIMEOUT_S = 10


class TaskCreated(types.Result):
    """A tool's answer that it goes on as a task. SEP-2663."""

    result_type: Literal["task"] = "task"
    task_id: str


class TaskParams(types.RequestParams):
    task_id: str


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class TaskState(types.Result):
    status: str
    result: types.CallToolResult | None = None


class Tasks(ClientExtension):
    """The tasks extension as a user of the SDK adds it: wait until the task is over."""

    identifier = TASKS

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=TaskCreated, resolve=self.finish)]

    async def finish(self, created: TaskCreated, ctx: ClaimContext) -> types.CallToolResult:
        while True:
            request = GetTask(params=TaskParams(task_id=created.task_id))
            state = await ctx.session.send_request(request, TaskState)
            if state.status not in {"working", "input_required"}:
                assert state.result is not None, state
                return state.result
            await asyncio.sleep(0.05)


class Ears:
    """What was announced, without what is said twice."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._complete = asyncio.Event()

    def hear(self, what: str) -> None:
        if what not in self.heard:
            self.heard.append(what)
        if len(self.heard) == 2:
            self._complete.set()

    async def all(self) -> list[str]:
        """Both announcements, or what there was of them."""
        async with asyncio.timeout(HEARD_TIMEOUT_S):
            await self._complete.wait()
        return self.heard


async def sdk_tour(url: str, mode: str) -> Tour:
    """`mode` is the SDK's word: `auto` asks for 2026-07-28 first, `legacy` is the older handshake."""
    ears, logged = Ears(), []

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        logged.append(params.data)

    async def message(incoming: Any) -> None:
        if isinstance(incoming, types.ToolListChangedNotification):
            ears.hear("tools")
        elif isinstance(incoming, types.ResourceUpdatedNotification):
            ears.hear(str(incoming.params.uri))

    client = Client(
        url,
        mode=mode,
        sampling_callback=_sample,
        elicitation_callback=_elicit,
        list_roots_callback=_roots,
        logging_callback=log,
        log_level="debug",
        message_handler=message,
        extensions=[Tasks()] if mode == "auto" else None,
    )
    async with client:
        if mode == "legacy":
            await client.set_logging_level("debug")
        await client.list_tools()  # the client learns which arguments go into headers

        async def call(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> str:
            return _text(await client.call_tool(name, arguments or {}, **more))

        tour = await _asked(call)
        tour.progress = await _progress(call, "progress_callback")
        await call("test_tool_with_logging")
        tour.logged = logged
        prompt = await client.get_prompt("test_input_required_result_prompt")
        tour.prompted = prompt.messages[0].content.text
        ref = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        tour.completed = (await client.complete(ref, {"name": "arg1", "value": "p"})).completion.values
        tour.heard = await _listened(client, ears, call)
        if mode == "auto":
            tour.task = await call("slow_compute", {"seconds": 0.1, "label": "tour"})
        return tour


async def _listened(client: Client, ears: Ears, call: Callable[..., Any]) -> list[str]:
    """What the client hears of two changes: on a subscription, or on the stream of an older session."""

    async def change() -> None:
        await call("test_trigger_tool_change")
        await call("test_touch_watched_resource")

    if client.protocol_version != "2026-07-28":
        await client.subscribe_resource(WATCHED)
        await change()
        return await ears.all()
    async with client.listen(tools_list_changed=True, resource_subscriptions=[WATCHED]) as subscription:
        await change()
        async for event in subscription:
            ears.hear("tools" if isinstance(event, ToolsListChanged) else event.uri if isinstance(event, ResourceUpdated) else "")
            if len(ears.heard) == 2:
                return await ears.all()
    return ears.heard


async def fastmcp_tour(url: str, mode: str) -> Tour:
    """FastMCP's client knows skills, and no subscriptions of 2026-07-28."""
    logged: list[str] = []

    async def log(message: types.LoggingMessageNotificationParams) -> None:
        logged.append(message.data)

    async def elicit(message: str, response_type: Any, params: types.ElicitRequestParams, context: Any) -> Any:
        if message == DECLINED:
            return FastMCPElicitResult(action="decline")
        return filled(params.requested_schema)

    async def sample(messages: Any, params: Any, context: Any) -> str:
        return CAPITAL

    client = fastmcp.Client(
        url,
        mode=mode,
        roots=[ROOT],
        sampling_handler=sample,
        elicitation_handler=elicit,
        log_handler=log,
        extensions=[SkillsClientExtension()] if mode == "auto" else None,
    )
    async with client:
        await client.list_tools()

        async def call(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> str:
            return _text(await client.call_tool_mcp(name, arguments or {}, **more))

        tour = await _asked(call)
        tour.progress = await _progress(call, "progress_handler")
        if mode == "legacy":
            await client.set_logging_level("debug")
            await call("test_tool_with_logging")
            tour.logged = logged
        else:
            skills = await client.list_skills()
            # Reading compares every file with its digest, and the frontmatter with what was listed.
            tour.skills = [(await client.read_skill(skill.uri)).frontmatter.root["name"] for skill in skills]
        tour.prompted = (await client.get_prompt("test_input_required_result_prompt")).messages[0].content.text
        ref = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        tour.completed = (await client.complete(ref, {"name": "arg1", "value": "p"})).values
        return tour


async def _asked(call: Callable[..., Any]) -> Tour:
    """What the tools answer that ask the client."""
    return Tour(
        sampled=await call("test_input_required_result_sampling"),
        rooted=await call("test_input_required_result_list_roots"),
        elicited=await call("test_elicitation", {"message": "Who are you?"}),
        declined=await call("test_elicitation", {"message": DECLINED}),
        several=await call("test_input_required_result_multiple_inputs"),
        rounds=await call("test_input_required_result_multi_round"),
        header=await call("test_x_mcp_header", {"region": "Île-de-France"}),
    )


async def _progress(call: Callable[..., Any], parameter: str) -> list[float]:
    seen: list[float] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    await call("test_tool_with_progress", **{parameter: progressed})
    return seen


async def _elicit(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    if params.message == DECLINED:
        return types.ElicitResult(action="decline")
    return types.ElicitResult(action="accept", content=filled(params.requested_schema))


async def _sample(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    return types.CreateMessageResult(role="assistant", content=types.TextContent(text=CAPITAL), model="hers")


async def _roots(context: Any) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root(uri=ROOT)])


def _text(result: types.CallToolResult) -> str:
    assert not result.is_error, result
    return str(result.content[0].text)
