"""lazymcp/legacy_streams.py: GET of older clients, from any process."""

import asyncio

import pytest

from lazymcp.exchange import Exchange
from lazymcp.legacy_streams import _Resuming
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import OLDER
from tests.lazymcp.live import call, listen, tell
from tests.lazymcp.older import Alone, Server

URI = "app://admin/users/ada@example.com"
POLLING = OLDER[0]


async def listening(peer, **headers):
    """A GET whose stream is open."""
    stream = listen(peer, **headers)
    status, sent = await stream.start()
    assert (status, sent["content-type"], sent["x-accel-buffering"]) == (200, "text/event-stream", "no")
    assert "mcp-session-id" not in sent
    assert (await stream.event()).comment is not None
    return stream


@pytest.mark.parametrize("era", OLDER)
async def test_changes_reach_the_stream_from_any_process(era):
    """2025-11-25, server/tools, "List Changed Notification", and its like."""
    server = Server(2, era)
    peers = await server.meet()
    stream = await listening(peers[0])
    for scope in server.scopes:
        await scope.notify_tools_changed()
        assert (await stream.message())["method"] == "notifications/tools/list_changed"
        await scope.notify_prompts_changed()
        assert (await stream.message())["method"] == "notifications/prompts/list_changed"
        await scope.notify_resources_changed()
        assert (await stream.message())["method"] == "notifications/resources/list_changed"
    stream.leave()
    await asyncio.wait_for(stream.task, 10)
    assert server.topics() == set()


@pytest.mark.parametrize("before", [True, False])
async def test_a_resource_is_heard_of_while_it_is_subscribed_to(before):
    """2025-11-25, server/resources, "Subscriptions": the request may reach another process than the stream."""
    server = Server(2, more=(AdminMCP(),))
    peers = await server.meet()
    if not before:
        stream = await listening(peers[0])
    assert (await peers[1].ask("resources/subscribe", {"uri": URI})).result == {}
    if before:
        stream = await listening(peers[0])
    await server.scopes[1].notify_resource_updated(URI)
    await server.scopes[1].notify_resource_updated("app://admin/other")
    updated = await stream.message()
    assert (updated["method"], updated["params"]) == ("notifications/resources/updated", {"uri": URI})
    await peers[1].ask("resources/unsubscribe", {"uri": URI})
    await server.scopes[1].notify_resource_updated(URI)
    await server.scopes[1].notify_tools_changed()
    assert (await stream.message())["method"] == "notifications/tools/list_changed"
    stream.leave()
    await asyncio.wait_for(stream.task, 10)


async def test_who_may_not_see_a_resource_any_more_hears_nothing_of_it():
    allowed = {"admin", ""}
    server = Server(1, more=(AdminMCP(),), authorizer=lambda claims, module: module in allowed)
    (peer,) = await server.meet()
    await peer.ask("resources/subscribe", {"uri": URI})
    stream = await listening(peer)
    allowed.remove("admin")
    await server.scopes[0].notify_resource_updated(URI)
    await server.scopes[0].notify_tools_changed()
    assert (await stream.message())["method"] == "notifications/tools/list_changed"
    stream.leave()
    await asyncio.wait_for(stream.task, 10)


@pytest.mark.parametrize("process", [0, 1])
async def test_a_message_goes_out_on_one_stream_only(process):
    """2025-11-25, basic/transports, "Multiple Connections": the stream that was opened last, in whatever process."""
    server = Server()
    peers = await server.meet()
    first = await listening(peers[0])
    second = await listening(peers[process])
    assert await first.end() == []
    await server.scopes[0].notify_tools_changed()
    assert (await second.message())["method"] == "notifications/tools/list_changed"
    other = Server(1, bus=server.bus)
    (stranger,) = await other.meet()
    third = await listening(stranger)
    await server.scopes[0].notify_prompts_changed()
    assert (await second.message())["method"] == (await third.message())["method"] == "notifications/prompts/list_changed"
    for stream in (second, third):
        stream.leave()
        await asyncio.wait_for(stream.task, 10)


async def test_the_server_ends_its_streams():
    """https://github.com/modelcontextprotocol/python-sdk/issues/2150: no stream is cut off in the middle."""
    server = Server()
    peers = await server.meet()
    streams = [await listening(peers[0]), call(peers[1], "tools/call", {"name": "poll"})]
    event_id = (await first_event(streams[1])).id
    streams.append(await listening(peers[0], last_event_id=event_id))
    for scope in server.scopes:
        scope.end_streams()
        scope.end_streams()
    for stream in (streams[0], streams[2]):
        assert await stream.end() == []
    server.workers[1].go_on.set()
    await asyncio.wait_for(streams[1].task, 10)


async def first_event(stream):
    assert (await stream.start())[0] == 200
    event = await stream.event()
    assert event.id
    assert event.data == ""
    return event


@pytest.mark.parametrize("process", [0, 1])
async def test_a_client_that_is_sent_away_gets_its_answer_from_any_process(process):
    """2025-11-25, basic/transports: first an id without data, then `retry`, the end, and the rest by Last-Event-ID. SEP-1699."""
    server = Server()
    peers = await server.meet()
    worker = server.workers[0]
    polling = call(peers[0], "tools/call", {"name": "poll", "arguments": {"times": 2}})
    first = await first_event(polling)
    assert [event.retry for event in await left_of(polling)] == [50]
    again = await listening(peers[process], last_event_id=first.id)
    worker.started.clear()
    worker.go_on.set()
    (retry,) = await again.end()
    assert retry.retry == 50
    again = await listening(peers[process], last_event_id=first.id)
    worker.go_on.set()
    (answer,) = await again.end()
    assert answer.message["result"]["content"][0]["text"] == "done"
    assert answer.id != first.id
    await asyncio.wait_for(polling.task, 10)
    for peer in peers:
        (told,) = await (await listening(peer, last_event_id=first.id)).end()
        assert told == answer, "and again, for as long as it is kept"
        assert await (await listening(peer, last_event_id=answer.id)).end() == []
    assert server.topics() == set()


async def left_of(stream):
    """What is left of a stream whose request goes on."""
    found = []
    while (event := await stream.event()) is not None:
        found.append(event)
    return found


@pytest.mark.parametrize("era", OLDER)
@pytest.mark.parametrize("process", [0, 1])
async def test_what_a_lost_connection_missed_is_told_again(era, process):
    """2025-11-25, basic/transports: a disconnect is no cancellation; messages that would have come after the last are replayed."""
    server = Server(2, era)
    peers = await server.meet()
    work = call(peers[0], "tools/call", {"name": "wait", "arguments": {"talk": True}})
    await work.start()
    while not (begun := await work.event()).data:
        assert era == POLLING, "older clients know no event without data"
    work.leave()
    server.workers[0].go_on.set()
    await asyncio.wait_for(work.task, 10)
    assert not server.workers[0].cancelled.is_set()
    rest = await (await listening(peers[process], last_event_id=begun.id)).end()
    assert [event.message.get("params", {}).get("data") or event.message["result"]["content"][0]["text"] for event in rest] == [
        "let on",
        "done",
    ]


async def test_a_client_that_comes_back_takes_the_stream_with_it():
    """2025-11-25, basic/transports: no message goes out on two streams."""
    server = Server()
    peers = await server.meet()
    work = call(peers[0], "tools/call", {"name": "wait", "arguments": {"talk": True}})
    await work.start()
    while not (begun := await work.event()).data:
        pass
    again = await listening(peers[1], last_event_id=begun.id)
    server.workers[0].go_on.set()
    assert [event.message.get("id") for event in await again.end()] == [None, 7]
    assert await work.end() == []


async def test_a_question_waits_for_a_client_that_comes_back():
    server = Server()
    peers = await server.meet()
    asking = call(peers[0], "tools/call", {"name": "ask"})
    first = await first_event(asking)
    asking.leave()
    again = await listening(peers[1], last_event_id=first.id)
    question = await again.message()
    await tell(peers[1], {"id": question["id"], "result": {"roots": ["r"]}})
    assert "'r'" in (await again.message())["result"]["content"][0]["text"]
    assert await again.end() == []
    await asyncio.wait_for(asking.task, 10)


@pytest.mark.parametrize("event_id", ["nonsense", "a-1.0", ".", "a.-1", "a.\u0661", "a." + "9" * 99, "é.1", "a.1.x"])
async def test_what_nobody_has_is_not_waited_for(event_id, monkeypatch):
    monkeypatch.setattr("lazymcp.legacy_streams.FOUND_S", 0.02)
    server = Server()
    peers = await server.meet()
    answer = await peers[0].post(b"", {**peers[0].headers_for({"method": ""}), "last-event-id": event_id}, "GET")
    assert (answer.status, answer.error["code"]) == (400, -32600)
    assert server.topics() == set()


async def test_nobody_reads_the_stream_of_another_session(monkeypatch):
    monkeypatch.setattr("lazymcp.legacy_streams.FOUND_S", 0.02)
    server = Server()
    peers = await server.meet()
    work = call(peers[0], "tools/call", {"name": "wait", "arguments": {"talk": True}})
    first = await first_event(work)
    mine = dict(peers[0].headers)
    await peers[0].initialize()
    answer = await peers[0].post(b"", {**peers[0].headers_for({"method": ""}), "last-event-id": first.id}, "GET")
    assert answer.status == 400
    assert mine != peers[0].headers
    server.workers[0].go_on.set()
    await asyncio.wait_for(work.task, 10)


async def test_closing_the_stream_means_nothing_to_others():
    """`Context.close_stream` has no effect where a client could not come back."""
    server = Server(1, OLDER[1])
    (peer,) = server.peers
    server.workers[0].go_on.set()
    for headers in ({}, {"accept": "application/json"}):
        work = asyncio.create_task(peer.ask("tools/call", {"name": "poll"}, headers=headers))
        await server.workers[0].started.wait()
        server.workers[0].go_on.set()
        answer = await asyncio.wait_for(work, 10)
        assert answer.headers["content-type"] == "application/json"
        server.workers[0].started.clear()
        await server.meet()


async def test_a_stream_whose_process_died_ends(monkeypatch):
    """Nothing says so but silence."""
    server = Server()
    peers = await server.meet()
    work = call(peers[0], "tools/call", {"name": "poll"})
    first = await first_event(work)
    monkeypatch.setattr("lazymcp.streams.KEEP_ALIVE_S", 1)
    again = await listening(peers[1], last_event_id=first.id)
    monkeypatch.setattr(peers[0].app._porch.desk, "_read_out", lambda *_: None)
    assert all(event.comment for event in await again.end())
    work.task.cancel()
    await asyncio.wait([work.task])


async def test_a_stream_that_is_read_again_outlives_a_bus_that_is_away(monkeypatch):
    """The task that keeps it alive died of it, unheard of until the log had its traceback."""
    bus = Alone()
    server = Server(1, bus=bus)
    (peer,) = await server.meet()
    work = call(peer, "tools/call", {"name": "poll"})
    first = await first_event(work)
    monkeypatch.setattr("lazymcp.streams.KEEP_ALIVE_S", 1)
    again = await listening(peer, last_event_id=first.id)
    bus.is_away = True
    assert (await again.event()).comment
    bus.is_away = False
    server.workers[0].go_on.set()
    assert [event.message["id"] for event in await again.end() if event.data] == [7]
    await asyncio.wait_for(work.task, 10)


async def test_what_waits_for_a_slow_reader_who_came_back_is_bounded(monkeypatch):
    """The tool goes on at its own speed: all that it said was kept for a client that read nothing of it."""
    monkeypatch.setattr("lazymcp.legacy_streams.MAX_STREAM_BYTES", 2_000)
    server = Server(1)
    rest = _Resuming(server.scopes[0]._registry, Exchange({}, None, None, None), None, 0)
    for place in range(1, 1_000):
        rest.hear({"event": f"id: s.{place}\ndata: {'x' * 80}\n\n", "place": place})
    assert sum(map(len, rest._events)) <= 2_000
    rest.hear({"event": "y" * 5_000, "place": 1_000})
    assert list(rest._events) == ["y" * 5_000]
