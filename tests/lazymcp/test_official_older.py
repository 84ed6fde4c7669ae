"""The official SDK's client in its older mode, over a real uvicorn with either parser: everything that is longer than a request."""

import asyncio

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from lazymcp import Base, Context, Options, Scope, resource, tool
from lazymcp.bus import MemoryBus
from tests.flows.served import served

# The SDK says it of logging and of resource subscriptions, which older clients use all the same.
pytestmark = pytest.mark.filterwarnings("ignore:.*as of 2026-07-28")


class Everything(Base):
    """Asks, tells and changes."""

    name = ""

    def __init__(self):
        self.go_on = asyncio.Event()
        self.cancelled = asyncio.Event()

    @resource("app://watched")
    async def watched(self) -> str:
        """Changes."""
        return "watched"

    @tool
    async def ask(self, method: str, params: dict[str, object], ctx: Context) -> str:
        """Ask the client."""
        return str(await ctx.link.request(method, params))

    @tool
    async def talk(self, ctx: Context) -> str:
        """Report and log."""
        await ctx.progress(1, 2, "half")
        await ctx.log("working", "warning", "talk")
        return "said"

    @tool
    async def poll(self, ctx: Context) -> str:
        """Send the client away."""
        await ctx.close_stream(retry_ms=10)
        await self.go_on.wait()
        return "after all"

    @tool
    async def wait(self, ctx: Context) -> str:
        """Wait for ever."""
        await ctx.log("waiting")
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return "never"


@pytest.fixture(params=["httptools", "h11"])
async def server(request):
    """Two processes' worth of endpoints behind one origin, taking turns."""
    modules, apps = [], []
    bus = MemoryBus()
    scopes = [Scope(Options(secret="secret", bus=bus)) for _ in range(2)]
    for scope in scopes:
        modules.append(Everything())
        scope.register(modules[-1])
        apps.append(scope.asgi())
    turn = 0

    async def app(asgi_scope, receive, send):
        nonlocal turn
        turn += 1
        await apps[turn % 2](asgi_scope, receive, send)

    async with served(app, http=request.param) as origin:
        yield f"{origin}/mcp", scopes, modules
        for scope in scopes:
            scope.end_streams()


class Said:
    """What the client was told."""

    def __init__(self):
        self.messages = asyncio.Queue()
        self.logs = []

    async def on_message(self, message):
        if not isinstance(message, Exception):
            self.messages.put_nowait(message)

    async def on_log(self, params):
        self.logs.append((params.level, params.logger, params.data))


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def sample(context, params):
    return types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text="Hm."), model="m")


def client(url, said):
    return Client(
        streamable_http_client(url),
        mode="legacy",
        message_handler=said.on_message,
        logging_callback=said.on_log,
        elicitation_callback=elicit,
        sampling_callback=sample,
    )


async def test_the_client_is_asked(server):
    url, _, _ = server
    async with client(url, Said()) as session:
        form = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
        answer = await session.call_tool("ask", {"method": "elicitation/create", "params": form})
        assert "Ada" in answer.content[0].text
        prompt = {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 5}
        answer = await session.call_tool("ask", {"method": "sampling/createMessage", "params": prompt})
        assert "Hm." in answer.content[0].text
        answer = await session.call_tool("ask", {"method": "roots/list", "params": {}})
        assert answer.is_error, "it said that it has none"


async def test_the_client_hears_what_a_request_has_to_say(server):
    url, _, _ = server
    said, seen = Said(), []

    async def on_progress(progress, total, message):
        seen.append((progress, total, message))

    async with client(url, said) as session:
        await session.set_logging_level("warning")
        assert not (await session.call_tool("talk", {}, progress_callback=on_progress)).is_error
        await session.set_logging_level("error")
        assert not (await session.call_tool("talk", {}, progress_callback=on_progress)).is_error
    assert seen == [(1, 2, "half")] * 2
    assert said.logs == [("warning", "talk", "working")]


async def test_the_client_hears_what_changes(server):
    url, scopes, _ = server
    said = Said()
    async with client(url, said) as session:
        await session.subscribe_resource("app://watched")
        while not any(scope._registry.news._audiences for scope in scopes):
            await asyncio.sleep(0.01)
        for scope in scopes:
            await scope.notify_resource_updated("app://watched")
            message = await asyncio.wait_for(said.messages.get(), 10)
            assert message.params.uri == "app://watched"
            await scope.notify_tools_changed()
            message = await asyncio.wait_for(said.messages.get(), 10)
            assert message.method == "notifications/tools/list_changed"
        await session.unsubscribe_resource("app://watched")
        await scopes[0].notify_resource_updated("app://watched")
        await scopes[0].notify_prompts_changed()
        message = await asyncio.wait_for(said.messages.get(), 10)
        assert message.method == "notifications/prompts/list_changed"


async def test_the_client_comes_back_for_its_answer(server):
    url, _, modules = server
    async with client(url, Said()) as session:
        for module in modules:
            asyncio.get_running_loop().call_later(0.2, module.go_on.set)
        answer = await asyncio.wait_for(session.call_tool("poll", {}), 15)
        assert answer.content[0].text == "after all"


async def test_the_client_gives_up(server):
    url, _, modules = server
    said = Said()
    async with client(url, said) as session:
        work = asyncio.create_task(session.call_tool("wait", {}))
        while not said.logs:
            await asyncio.sleep(0.01)
        work.cancel()
        ends = [asyncio.create_task(module.cancelled.wait()) for module in modules]
        done, waiting = await asyncio.wait(ends, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        assert done
        assert not (await session.call_tool("talk", {})).is_error
