"""lazymcp/legacy_desk.py: what older clients set, cancel and subscribe to works on any process."""

import asyncio
import json

import pytest

from lazymcp import legacy
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import OLDER
from tests.lazymcp.live import call, tell
from tests.lazymcp.older import Server

URI = "app://admin/users/ada@example.com"


def levels(answer):
    return [message["params"]["level"] for message in answer.messages[:-1]]


@pytest.mark.parametrize("era", OLDER)
async def test_a_log_level_holds_for_the_session_on_every_process(era):
    """2025-11-25, server/utilities/logging."""
    server = Server(2, era)
    peers = await server.meet()
    for peer in peers:
        assert levels(await peer.ask("tools/call", {"name": "talk"})) == ["info", "warning", "error"]
    assert (await peers[0].ask("logging/setLevel", {"level": "error"})).result == {}
    for peer in [*peers, server.start()]:
        assert levels(await peer.ask("tools/call", {"name": "talk"})) == ["error"]
    await peers[1].initialize()
    assert levels(await peers[1].ask("tools/call", {"name": "talk"})) == ["info", "warning", "error"]


@pytest.mark.parametrize("level", ["loud", None, 5, ["info"], "INFO"])
async def test_a_level_that_is_none_is_refused(level):
    """2025-11-25, server/utilities/logging, "Error Handling": -32602."""
    (peer,) = await Server(1).meet()
    assert (await peer.ask("logging/setLevel", {"level": level})).error["code"] == -32602


@pytest.mark.parametrize("process", [0, 1])
async def test_a_request_is_cancelled_from_any_process(process):
    """2025-11-25, basic/utilities/cancellation: work ends, and no response follows."""
    server = Server()
    peers = await server.meet()
    worker = server.workers[0]
    work = call(peers[0], "tools/call", {"name": "wait", "arguments": {"talk": True}}, request_id="r-1")
    await work.start()
    assert (await work.message())["params"]["data"] == "begun"
    for odd in ("r-2", 1, None, 1.0, ["r-1"]):
        await tell(peers[process], {"method": "notifications/cancelled", "params": {"requestId": odd}})
    assert not worker.cancelled.is_set()
    await tell(peers[process], {"method": "notifications/cancelled", "params": {"requestId": "r-1", "reason": "enough"}})
    assert await work.end() == []
    assert worker.cancelled.is_set()
    assert peers[0].app._porch.desk.calls == {}


@pytest.mark.parametrize(("accept", "status"), [("text/event-stream", 200), ("application/json", 202)])
async def test_a_cancelled_request_that_had_said_nothing_ends_without_a_message(accept, status):
    server = Server(1)
    (peer,) = await server.meet()
    peer.headers = {**peer.headers, "accept": accept}
    work = call(peer, "tools/call", {"name": "wait"})
    await server.workers[0].started.wait()
    await tell(peer, {"method": "notifications/cancelled", "params": {"requestId": 7}})
    assert (await work.start())[0] == status
    assert [event.data for event in await work.end() if event.data] == []


async def test_nobody_cancels_for_another_session():
    server = Server(1)
    (peer,) = await server.meet()
    work = call(peer, "tools/call", {"name": "wait"})
    await server.workers[0].started.wait()
    mine = peer.headers
    await peer.initialize()
    await tell(peer, {"method": "notifications/cancelled", "params": {"requestId": 7}})
    peer.headers = {}
    await tell(peer, {"method": "notifications/cancelled", "params": {"requestId": 7}})
    peer.headers = mine
    server.workers[0].go_on.set()
    assert (await work.start())[0] == 200
    await asyncio.wait_for(work.task, 10)
    assert not server.workers[0].cancelled.is_set()


async def test_subscribing_needs_a_resource_that_the_caller_may_read():
    """2025-11-25, server/resources: unknown ones are -32002."""
    hidden = Server(1, more=(AdminMCP(),), authorizer=lambda claims, module: module != "admin")
    open_ = Server(1, more=(AdminMCP(),))
    refused = [(hidden, URI, -32002), (open_, "app://nothing", -32002), (open_, 5, -32602), (open_, "a" * 3000, -32602)]
    for server, uri, code in refused:
        (peer,) = await server.meet()
        assert (await peer.ask("resources/subscribe", {"uri": uri})).error["code"] == code
    (peer,) = await open_.meet()
    assert (await peer.ask("resources/subscribe", {"uri": URI})).result == {}
    assert (await peer.ask("resources/unsubscribe", {"uri": URI})).result == {}
    assert (await peer.ask("resources/unsubscribe", {"uri": "app://never"})).result == {}
    assert (await peer.ask("resources/unsubscribe", {})).error["code"] == -32602


async def test_subscriptions_of_a_session_are_bounded(monkeypatch):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1283."""
    monkeypatch.setattr("lazymcp.legacy_desk.MAX_SUBSCRIPTIONS", 1)
    (peer,) = await Server(1, more=(AdminMCP(),)).meet()
    assert (await peer.ask("resources/subscribe", {"uri": URI})).result == {}
    assert (await peer.ask("resources/subscribe", {"uri": URI.replace("ada", "bob")})).error["code"] == -32602
    assert legacy.MAX_SUBSCRIPTIONS == 1_000


async def test_nothing_large_is_carried_to_every_process_for_a_client():
    """Each of 4 MB went through a table of the database, and into every process."""
    server = Server(2)
    peers = await server.meet()
    assert (await peers[0].ask("ping")).status == 200
    carried = []
    server.bus.listen("older", carried.append)
    await tell(peers[0], {"method": "notifications/cancelled", "params": {"requestId": "x" * 1_000_000}})
    answer = await peers[0].ask("resources/unsubscribe", {"uri": "x" * 1_000_000})
    assert answer.error["code"] == -32602
    assert carried == []


class Strict:
    """A web server whose client does not read what came before: a part of an answer is written once it does, or never."""

    def __init__(self):
        self.is_waited_for, self.reads = asyncio.Event(), asyncio.Event()
        self.sent = []

    async def __call__(self, message):
        self.is_waited_for.set()
        await self.reads.wait()
        if not self.sent and message["type"] != "http.response.start":
            raise RuntimeError(f"expected http.response.start, but got {message['type']}")
        self.sent.append(message)


async def test_a_request_is_cancelled_while_its_answer_cannot_begin(caplog):
    """A client that sends requests one after the other and reads nothing made the server log a traceback."""
    (peer,) = await Server(1).meet()
    server = Strict()
    message = {**peer.message("tools/call", {"name": "wait", "arguments": {"talk": True}}), "id": "r-1"}
    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items() if value is not None]
    incoming = asyncio.Queue()
    incoming.put_nowait({"type": "http.request", "body": json.dumps(message).encode()})
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
    request = asyncio.create_task(peer.app(scope, incoming.get, server))
    await server.is_waited_for.wait()
    await tell(peer, {"method": "notifications/cancelled", "params": {"requestId": "r-1"}})
    server.reads.set()
    await asyncio.wait_for(request, 10)
    assert [sent["type"].rpartition(".")[2] for sent in server.sent] == ["start", "body", "body"]
    assert peer.app._porch.desk.journals._kept.keys() == peer.app._porch.desk.journals._finished.keys()
    assert caplog.records == []
