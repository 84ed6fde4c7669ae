"""lazymcp/conversation.py: older clients over stdio, through `Scope.serve_stdio` on real pipes."""

import asyncio
import json

import pytest

from lazymcp import Base, Context, Options, Scope, resource, tool
from tests.lazymcp.asgi_peer import MODERN, OLDER
from tests.lazymcp.asgi_peer import Peer as Writer
from tests.lazymcp.stdio_peer import over_pipes


class Talks(Base):
    name = ""

    def __init__(self):
        self.started = asyncio.Event()
        self.go_on = asyncio.Event()

    @resource("app://watched")
    async def watched(self) -> str:
        """Changes."""
        return "watched"

    @tool
    async def ask(self, ctx: Context) -> str:
        """Ask for the roots."""
        return str(await ctx.link.request("roots/list", {}))

    @tool
    async def talk(self, ctx: Context) -> str:
        """Say something at each level, and hang up."""
        for level in ("debug", "info", "error"):
            await ctx.log(level, level)
        await ctx.close_stream()
        return "said"

    @tool
    async def ask_late(self, ctx: Context) -> str:
        """Ask, once let on."""
        self.is_over = ctx.link._connection.over.is_set
        await self.wait()
        return await self.ask(ctx)

    @tool
    async def wait(self) -> str:
        """Wait to be let on."""
        self.started.set()
        await self.go_on.wait()
        return "done"


class Client:
    """An older client at the other end of the pipes."""

    def __init__(self, peer, scope, module, era):
        self.peer, self.scope, self.module, self.era = peer, scope, module, era
        self._writer = Writer(None, era)

    def ask(self, request_id, method, params=None, era=None):
        writer = self._writer if era is None else Writer(None, era)
        self.peer.send({**writer.message(method, params), "id": request_id})

    def call(self, request_id, name):
        self.ask(request_id, "tools/call", {"name": name})

    async def initialize(self):
        self.ask(0, "initialize", {"protocolVersion": self.era, "capabilities": {"roots": {}}, "clientInfo": {"name": "x"}})
        answer = await self.peer.read()
        self.peer.notify("notifications/initialized")
        return answer["result"]

    async def result(self):
        """The text of the next message, a tool's result."""
        return (await self.peer.read())["result"]["content"][0]["text"]


@pytest.fixture(params=OLDER)
async def client(request):
    scope, module = Scope(Options(question_timeout_s=5)), Talks()
    scope.register(module)
    peer = await over_pipes()
    peer.task = asyncio.create_task(scope.serve_stdio(peer.reader, peer.writer))
    yield Client(peer, scope, module, request.param)
    await peer.close()


async def test_the_handshake_offers_what_works(client):
    """2025-11-25, basic/lifecycle, "Capability negotiation"."""
    offered = (await client.initialize())["capabilities"]
    assert offered["logging"] == {}
    assert offered["tools"] == {"listChanged": True}
    assert offered["resources"] == {"subscribe": True, "listChanged": True}


async def test_a_question_is_answered_by_its_id(client):
    """2025-11-25, basic/transports, "stdio": requests go both ways."""
    await client.initialize()
    client.call(1, "ask")
    client.call(2, "ask")
    first, second = await client.peer.read(), await client.peer.read()
    assert first["id"] != second["id"]
    for question, name in ((second, "second"), (first, "first")):
        client.peer.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [name]}})
        assert name in await client.result()
    client.peer.send({"jsonrpc": "2.0", "id": first["id"], "result": {}}, {"jsonrpc": "2.0", "id": 99, "result": {}})
    client.call(3, "ask")
    question = await client.peer.read()
    client.peer.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no roots here"}})
    assert "no roots here" in await client.result()


async def test_a_level_holds_for_the_connection(client):
    await client.initialize()
    for level, expected in ((None, ["info", "error"]), ("error", ["error"]), ("debug", ["debug", "info", "error"])):
        if level is not None:
            client.ask(1, "logging/setLevel", {"level": level})
            assert (await client.peer.read())["result"] == {}
        client.call(2, "talk")
        heard = [(await client.peer.read())["params"]["level"] for _ in expected]
        assert heard == expected
        assert await client.result() == "said"
    client.ask(3, "logging/setLevel", {"level": "loud"})
    assert (await client.peer.read())["error"]["code"] == -32602


async def test_changes_are_told_between_the_answers(client):
    """2025-11-25, server/resources and server/tools: notifications, once the handshake is over."""
    await client.scope.notify_tools_changed()
    await client.initialize()
    client.ask(1, "resources/subscribe", {"uri": "app://nothing"})
    assert (await client.peer.read())["error"]["code"] == -32002
    client.ask(2, "resources/subscribe", {"uri": "app://watched"})
    assert (await client.peer.read()) == {"jsonrpc": "2.0", "id": 2, "result": {}}
    await client.scope.notify_resource_updated("app://watched")
    updated = await client.peer.read()
    assert (updated["method"], updated["params"]) == ("notifications/resources/updated", {"uri": "app://watched"})
    client.ask(3, "resources/unsubscribe", {"uri": "app://watched"})
    assert (await client.peer.read())["result"] == {}
    client.ask(4, "resources/unsubscribe", {"uri": None})
    assert (await client.peer.read())["error"]["code"] == -32602
    await client.scope.notify_resource_updated("app://watched")
    await client.scope.notify_prompts_changed()
    assert (await client.peer.read())["method"] == "notifications/prompts/list_changed"


async def test_subscriptions_of_a_connection_are_bounded(client, monkeypatch):
    monkeypatch.setattr("lazymcp.conversation.MAX_SUBSCRIPTIONS", 0)
    client.ask(2, "resources/subscribe", {"uri": "app://watched"})
    assert (await client.peer.read())["error"]["code"] == -32602


async def test_the_end_of_the_input_ends_what_waits_for_the_client_and_nothing_else(client):
    """2025-11-25, basic/lifecycle, "Shutdown"; facts of today's `subscriptions/listen` on the same connection."""
    await client.initialize()
    listen = {"notifications": {"toolsListChanged": True}}
    client.ask("s", "subscriptions/listen", listen, era=MODERN)
    assert (await client.peer.read())["method"] == "notifications/subscriptions/acknowledged"
    client.call(1, "ask")
    assert (await client.peer.read())["method"] == "roots/list"
    client.call(2, "wait")
    await client.module.started.wait()
    client.peer.end_input()
    assert "without an answer" in await client.result()
    assert not client.peer.task.done()
    client.module.go_on.set()
    assert await client.result() == "done"
    await asyncio.wait_for(client.peer.task, 10)
    assert [json.loads(line) for line in await client.peer.rest()] == []
    assert client.scope._registry.news._audiences == {}


async def test_a_question_after_the_end_of_the_input_is_not_put(client):
    await client.initialize()
    client.call(1, "ask_late")
    await client.module.started.wait()
    client.peer.end_input()
    while not client.module.is_over():
        await asyncio.sleep(0.001)
    client.module.go_on.set()
    assert "closed its end" in await client.result()


async def test_a_cancelled_request_asks_no_more(client):
    await client.initialize()
    client.call(1, "ask")
    question = await client.peer.read()
    client.peer.notify("notifications/cancelled", requestId=1)
    client.peer.send({"jsonrpc": "2.0", "id": question["id"], "result": {}})
    client.ask(2, "ping")
    assert (await client.peer.read()) == {"jsonrpc": "2.0", "id": 2, "result": {}}
