"""lazymcp/stdio.py: the promise "Standalone stdio transport", rule by rule; MCP, basic/transports/stdio."""

import asyncio
import json

import pytest

from lazymcp import jsonrpc, stdio
from lazymcp.errors import InvalidParams
from tests.lazymcp.stdio_peer import echo, over_pipes, over_sockets


@pytest.fixture(params=[over_pipes, over_sockets], ids=["files", "streams"])
async def peer(request):
    peer = await request.param()
    yield peer
    await peer.close()


@pytest.mark.parametrize("request_id", [0, 1, -7, 2**70, "", "1", "é"])
async def test_ids_come_back_as_they_were_given(peer, request_id):
    """Promised: preserves numeric and string request IDs."""
    peer.serve(echo)
    peer.ask(request_id, x=1)
    assert await peer.end() == [{"jsonrpc": "2.0", "id": request_id, "result": {"x": 1}}]


async def test_notifications_are_never_answered(peer):
    """Promised: suppresses notification responses. JSON-RPC 2.0, section 4.1."""

    async def handle(message, send):
        if message["method"] == "fail":
            raise InvalidParams("no")
        if message["method"] == "explode":
            raise ZeroDivisionError
        return await echo(message, send)

    peer.serve(handle)
    for method in ("fine", "fail", "explode", "notifications/cancelled"):
        peer.notify(method)
    peer.send({"jsonrpc": "2.0", "method": "broken", "params": [1]}, {"jsonrpc": "1.0", "method": "old"})
    peer.ask("last")
    assert [message["id"] for message in await peer.end()] == ["last"]


async def test_responses_reach_the_handler(peer):
    """MCP 2025-11-25: the server may ask the client."""
    seen = asyncio.Queue()

    async def handle(message, send):
        seen.put_nowait(message)

    peer.serve(handle)
    answer = {"jsonrpc": "2.0", "id": "s1", "result": {"ok": True}}
    peer.send(answer)
    assert await asyncio.wait_for(seen.get(), 20) == answer
    assert await peer.end() == []


async def test_a_hundred_requests_are_at_work_at_a_time(peer):
    """Promised: requests run concurrently; here the last one lets all others go."""
    gate = asyncio.Event()

    async def handle(message, send):
        if message["id"] == 99:
            gate.set()
        await gate.wait()
        return await echo(message, send)

    peer.serve(handle)
    for number in range(100):
        peer.ask(number, n=number)
    answers = await peer.end()
    assert sorted(answer["id"] for answer in answers) == list(range(100))
    assert all(answer["result"] == {"n": answer["id"]} for answer in answers)


async def test_a_cancelled_request_is_not_answered(peer):
    """Promised: requests can be cancelled with notifications/cancelled. MCP, basic/utilities/cancellation."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def handle(message, send):
        if message["method"] == "echo":
            return await echo(message, send)
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await send({"jsonrpc": "2.0", "method": "too late"})
            ended.set()
        return jsonrpc.result(message["id"], "too late")

    peer.serve(handle)
    peer.ask(1, "wait")
    await begun.wait()
    peer.notify("notifications/cancelled", requestId=1, reason="enough")
    await ended.wait()
    peer.ask(1, again=True)
    assert await peer.end() == [{"jsonrpc": "2.0", "id": 1, "result": {"again": True}}]


async def test_a_request_is_cancelled_before_it_begins(peer):
    """The two lines may come in one read."""
    seen = []

    async def handle(message, send):
        seen.append(message["id"])
        return await echo(message, send)

    peer.serve(handle)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    peer.send(
        {"jsonrpc": "2.0", "id": 1, "method": "a", "params": {}}, cancel, {"jsonrpc": "2.0", "id": 2, "method": "b", "params": {}}
    )
    assert [message["id"] for message in await peer.end()] == [2]
    assert seen == [2]


async def test_a_request_that_is_named_like_a_cancellation_is_a_request(peer):
    """JSON-RPC 2.0, section 4.1: what has an id is answered, and it is no notification that cancels."""

    async def handle(message, send):
        if message["id"] == 1:
            await held.wait()
        return {"jsonrpc": "2.0", "id": message["id"], "result": {}}

    held = asyncio.Event()
    peer.serve(handle)
    peer.ask(1)
    peer.ask(2, "notifications/cancelled", requestId=1)
    assert (await peer.read())["id"] == 2
    held.set()
    assert (await peer.read())["id"] == 1


@pytest.mark.parametrize("request_id", [7, "1", 1.0, True, None, [], {}])
async def test_only_the_request_that_is_named_is_cancelled(peer, request_id):
    """MCP, basic/utilities/cancellation: unknown ids are ignored; 1, "1", 1.0 and true are four things."""
    begun = asyncio.Event()

    async def handle(message, send):
        begun.set()
        await asyncio.sleep(0)
        return await echo(message, send)

    peer.serve(handle)
    peer.ask(1)
    peer.notify("notifications/cancelled", requestId=request_id)
    assert [message["id"] for message in await peer.end()] == [1]


async def test_the_end_of_the_input_drains_what_is_pending(peer):
    """Promised: closing stdin drains pending requests."""
    begun, gate = asyncio.Event(), asyncio.Event()

    async def handle(message, send):
        begun.set()
        await gate.wait()
        return await echo(message, send)

    peer.serve(handle)
    peer.ask(1)
    await begun.wait()
    peer.end_input()
    await asyncio.sleep(0.05)
    assert not peer.task.done()
    gate.set()
    await asyncio.wait_for(peer.task, 20)
    assert (await peer.read())["id"] == 1


async def test_a_subscription_does_not_keep_a_server_alive(peer):
    """MCP 2026-07-28, basic/transports/stdio: the server exits when its input ends."""
    ended = asyncio.Event()

    async def handle(message, send):
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    peer.serve(handle)
    peer.ask("sub", "subscriptions/listen")
    assert await peer.end() == []
    await asyncio.wait_for(ended.wait(), 20)


async def test_handlers_may_end_a_subscription_gracefully(peer):
    """MCP 2026-07-28, basic/patterns/subscriptions: a result ends it."""
    closing = asyncio.Event()

    async def handle(message, send):
        await closing.wait()
        return jsonrpc.result(message["id"], {"resultType": "complete"})

    peer.serve(handle, at_eof=closing.set)
    peer.ask("sub", "subscriptions/listen")
    assert await peer.end() == [{"jsonrpc": "2.0", "id": "sub", "result": {"resultType": "complete"}}]


async def test_a_handler_can_end_only_its_own_request(peer):
    """python-sdk issue 2610: a CancelledError in a tool must not end the loop; neither must anything else."""

    async def handle(message, send):
        match message["method"]:
            case "error":
                raise RuntimeError("secret")
            case "cancelled":
                raise asyncio.CancelledError
            case "exit":
                raise SystemExit(3)
            case "interrupt":
                raise KeyboardInterrupt
            case "generator":
                raise GeneratorExit
            case "group":
                raise BaseExceptionGroup("x", [SystemExit(3), ValueError()])
            case "mcp":
                raise InvalidParams("no such tool", {"name": "x"})
            case "unserialisable":
                return jsonrpc.result(message["id"], object())
            case "self":
                asyncio.current_task().cancel()
                await asyncio.sleep(0)
            case "nothing":
                return None
        return await echo(message, send)

    peer.serve(handle)
    methods = ["error", "cancelled", "exit", "interrupt", "generator", "group", "mcp", "unserialisable", "self", "nothing", "echo"]
    for method in methods:
        peer.ask(method, method)
    answers = {answer["id"]: answer for answer in await peer.end()}
    internal = {"code": -32603, "message": "internal error"}
    assert {name: answer["error"] for name, answer in answers.items() if "error" in answer} == {
        "mcp": {"code": -32602, "message": "no such tool", "data": {"name": "x"}},
        **dict.fromkeys(set(methods) - {"mcp", "nothing", "echo"}, internal),
    }
    assert "nothing" not in answers
    assert answers["echo"]["result"] == {}


async def test_what_is_no_message_is_refused_and_the_next_is_served(peer):
    """JSON-RPC 2.0, section 5.1; errors echo the id whenever it could be read."""
    peer.serve(echo)
    peer.write(b"\n  \r\n{nonsense\n[]\n\xff\n")
    peer.write(b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1,"a":2}}\n')
    peer.send({"jsonrpc": "2.0", "id": 2, "method": 5}, {"jsonrpc": "2.0", "id": None, "method": "x"})
    peer.write(b'{"jsonrpc":"2.0","id":3,"method":"x","params":{}}\r\n')
    answers = await peer.end()
    assert [(a["id"], a.get("error", {}).get("code")) for a in answers] == [
        (None, -32700),
        (None, -32600),
        (None, -32700),
        (1, -32700),
        (2, -32600),
        (None, -32600),
        (3, None),
    ]


async def test_an_id_at_work_cannot_be_used_again(peer):
    """MCP, basic/index: the id must not have been used before; two answers could not be told apart."""
    gate = asyncio.Event()

    async def handle(message, send):
        await gate.wait()
        return await echo(message, send)

    peer.serve(handle)
    peer.ask(1, n=1)
    peer.ask(1, n=2)
    assert (await peer.read())["error"]["code"] == -32600
    gate.set()
    assert await peer.end() == [{"jsonrpc": "2.0", "id": 1, "result": {"n": 1}}]


async def test_a_line_that_is_too_long_is_refused_and_the_next_is_served(peer, monkeypatch):
    """Promised: accepts incoming messages up to 64 MiB."""
    assert stdio.MAX_LINE == 64 * 1024 * 1024
    monkeypatch.setattr(stdio, "MAX_LINE", 1000)
    peer.serve(echo)
    fitting = json.dumps({"jsonrpc": "2.0", "id": "fits", "method": "x", "params": {"a": ""}}).encode()
    peer.write(fitting.replace(b'""', b'"' + b"x" * (1000 - len(fitting)) + b'"') + b"\n")
    assert (await peer.read())["id"] == "fits"
    peer.ask("big", text="x" * 200_000)
    refused = await peer.read()
    assert (refused["id"], refused["error"]["code"]) == ("big", -32600)
    peer.write(b"x" * 200_000 + b"\n")
    assert (await peer.read())["id"] is None
    peer.ask("next")
    assert [message["id"] for message in await peer.end()] == ["next"]


async def test_the_last_line_needs_no_end(peer):
    """printf '{...}' | server."""
    peer.serve(echo)
    peer.write(b'{"jsonrpc":"2.0","id":1,"method":"x","params":{}}')
    assert [message["id"] for message in await peer.end()] == [1]
