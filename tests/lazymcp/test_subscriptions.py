"""`subscriptions/listen`, over HTTP and stdio. MCP 2026-07-28, basic/patterns/subscriptions."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest

from lazymcp import Base, MemoryBus, tool
from lazymcp.subscriptions import MAX_LENGTH, MAX_WATCHED
from tests.lazymcp.asgi_peer import OLDER, Peer, send_raw
from tests.lazymcp.listening import KEY, LISTS, granted, listening, scope_with, subscription_of

USERS, ONE = "app://admin/users", "app://admin/users/ada@example.com"


@pytest.fixture
def scope():
    return scope_with()


@pytest.fixture
def peer(scope):
    return Peer(scope.asgi())


@pytest.mark.parametrize("request_id", ["listen-1", 0, 42, "42", "", 2**53 - 1])
async def test_every_message_bears_the_id_of_the_request_in_its_own_type(scope, peer, request_id):
    """basic/patterns/subscriptions, "Notification tagging"."""
    async with listening(peer, LISTS | {"resourceSubscriptions": [USERS]}, request_id) as ear:
        messages = [await ear.next()]
        for notify in (scope.notify_tools_changed, scope.notify_prompts_changed, scope.notify_resources_changed):
            await notify()
        await scope.notify_resource_updated(USERS)
        messages += [await ear.next() for _ in range(4)]
        scope.end_streams()
        messages += await ear.rest()
    assert [message.get("method", "result") for message in messages] == [
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
        "result",
    ]
    assert messages[4]["params"]["uri"] == USERS
    assert messages[-1]["id"] == request_id
    assert messages[-1]["result"]["resultType"] == "complete"
    for message in messages:
        assert (subscription_of(message), type(subscription_of(message))) == (request_id, type(request_id))


async def test_it_is_a_stream_from_the_first_byte(peer):
    """basic/transports/streamable-http: a listen stream is never one JSON object."""
    async with listening(peer, {}) as ear:
        assert await granted(ear) == {}
        headers = dict(ear.start["headers"])
        assert ear.start["status"] == 200
        assert headers[b"content-type"] == b"text/event-stream"
        assert headers[b"x-accel-buffering"] == b"no"


async def test_who_takes_no_stream_is_told_so(peer):
    answer = await peer.ask("subscriptions/listen", {"notifications": {}}, headers={"accept": "application/json"})
    assert answer.status == 400
    assert "the Accept header must allow text/event-stream" in answer.error["message"]


@pytest.mark.parametrize("name", list(LISTS))
async def test_nothing_outside_the_filter_is_sent(scope, peer, name):
    """basic/patterns/subscriptions: a server sends no type that was not asked for."""
    async with listening(peer, {name: True}) as ear:
        assert await granted(ear) == {name: True}
        await scope.notify_resource_updated(USERS)
        for notify in (scope.notify_tools_changed, scope.notify_prompts_changed, scope.notify_resources_changed):
            await notify()
        scope.end_streams()
        kind = name.removesuffix("ListChanged")
        assert [message.get("method") for message in await ear.rest()] == [f"notifications/{kind}/list_changed", None]


async def test_only_what_the_server_offers_is_acknowledged():
    class ToolsMCP(Base):
        @tool
        async def hello(self) -> str:
            """Say hello."""
            return "hello"

    async with listening(Peer(scope_with(ToolsMCP()).asgi()), LISTS | {"someExtension": {"x": 1}}) as ear:
        assert await granted(ear) == {"toolsListChanged": True}


async def test_a_type_that_is_declined_is_left_out(peer):
    async with listening(peer, {"toolsListChanged": False, "promptsListChanged": True}) as ear:
        assert await granted(ear) == {"promptsListChanged": True}


async def test_resources_are_watched_by_their_uri_and_unknown_ones_left_out(scope, peer):
    wish = {
        "resourceSubscriptions": [
            ONE,
            "app://admin/nothing",
            USERS,
            USERS,
            "",
            "skill://index.json",
            "skill://admin/oncall/SKILL.md",
        ]
    }
    async with listening(peer, wish) as ear:
        assert await granted(ear) == {"resourceSubscriptions": [ONE, USERS, "skill://index.json", "skill://admin/oncall/SKILL.md"]}
        await scope.notify_resource_updated("app://admin/users/bob@example.com")
        await scope.notify_resource_updated("app://admin/nothing")
        await scope.notify_resource_updated(ONE)
        assert (await ear.next())["params"]["uri"] == ONE


async def test_one_stream_watches_a_bounded_number_of_resources(peer):
    wish = {"resourceSubscriptions": [f"app://admin/users/{number}" for number in range(MAX_WATCHED + 1)]}
    async with listening(peer, wish) as ear:
        assert await granted(ear) == {"resourceSubscriptions": wish["resourceSubscriptions"][:MAX_WATCHED]}


MALFORMED = [
    None,
    "tools",
    [],
    {"toolsListChanged": "yes"},
    {"toolsListChanged": 1},
    {"toolsListChanged": None},
    {"resourceSubscriptions": USERS},
    {"resourceSubscriptions": [1]},
    {"resourceSubscriptions": {}},
    {"taskIds": [None]},
    {"taskIds": "1"},
]


@pytest.mark.parametrize("wish", MALFORMED)
async def test_a_malformed_filter_is_refused(peer, wish):
    answer = await peer.ask("subscriptions/listen", {"notifications": wish})
    assert (answer.status, answer.error["code"]) == (400, -32602)


async def test_a_filter_is_needed(peer):
    assert (await peer.ask("subscriptions/listen")).error["code"] == -32602


@pytest.mark.parametrize("era", OLDER)
async def test_older_revisions_have_no_such_method(scope, era):
    peer = Peer(scope.asgi(), era)
    await peer.initialize()
    assert (await peer.ask("subscriptions/listen", {"notifications": {}})).error["code"] == -32601


async def test_discover_offers_what_can_be_heard(peer):
    offered = (await peer.ask("server/discover")).result["capabilities"]
    assert offered["tools"] == offered["prompts"] == {"listChanged": True}
    assert offered["resources"] == {"listChanged": True, "subscribe": True}


async def test_a_client_that_leaves_ends_its_stream_silently(scope, peer):
    async with listening(peer, LISTS) as ear:
        await ear.next()
        ear.leave()
        await asyncio.wait_for(ear.task, 5)
        await scope.notify_tools_changed()
        assert ear.sent.empty()
    assert scope._registry.news._audiences == {}
    assert scope._registry.streams._decks == {}


async def test_a_slow_reader_holds_one_item_a_thing_and_hears_the_newest(scope, peer):
    async with listening(peer, LISTS | {"resourceSubscriptions": [USERS]}) as slow, listening(peer, LISTS, 2) as quick:
        await slow.next()
        await quick.next()
        slow.reads.clear()
        for _ in range(500):
            await scope.notify_tools_changed()
            assert (await quick.next())["method"] == "notifications/tools/list_changed"
            await scope.notify_resource_updated(USERS)
        slow.reads.set()
        scope.end_streams()
        found = [message.get("method") for message in await slow.rest()]
    # One was on its way when the client stopped reading.
    assert found == [
        "notifications/tools/list_changed",
        "notifications/resources/updated",
        "notifications/tools/list_changed",
        None,
    ]


async def test_a_client_that_reads_nothing_does_not_hold_up_the_end(scope, peer, monkeypatch):
    monkeypatch.setattr("lazymcp.pen.LAST_WORD_S", 0.05)
    async with listening(peer, LISTS) as ear:
        await ear.next()
        ear.reads.clear()
        await scope.notify_tools_changed()
        await asyncio.sleep(0)
        scope.end_streams()
        await asyncio.wait_for(ear.task, 5)


async def test_news_before_the_acknowledgement_waits_for_it(scope, peer):
    """basic/patterns/subscriptions: nothing precedes the acknowledgement."""
    async with listening(peer, LISTS) as ear:
        ear.reads.clear()
        await until(lambda: scope._registry.news._audiences)
        await scope.notify_tools_changed()
        ear.reads.set()
        assert [(await ear.next())["method"] for _ in range(2)] == [
            "notifications/subscriptions/acknowledged",
            "notifications/tools/list_changed",
        ]


async def test_two_thousand_listeners_hear_one_change_while_requests_are_answered(scope, peer):
    async with AsyncExitStack() as stack:
        ears = [await stack.enter_async_context(listening(peer, LISTS, number)) for number in range(2_000)]
        for ear in ears:
            await ear.next_chunk()
        await scope.notify_tools_changed()
        answers = [await peer.ask("tools/call", {"name": "admin.user_count"}) for _ in range(3)]
        assert all(answer.result["structuredContent"] == {"count": 3} for answer in answers)
        assert sum(not ear.sent.empty() for ear in ears) < 2_000, "requests are answered in between"
        for number, ear in enumerate(ears):
            chunk = await ear.next_chunk()
            assert b"tools/list_changed" in chunk
            assert b'"%s":%d}' % (KEY.encode(), number) in chunk
        scope.end_streams()
        for ear in ears:
            await asyncio.wait_for(ear.task, 10)


async def test_another_process_on_the_same_bus_may_tell():
    bus = MemoryBus()
    web, worker = scope_with(bus=bus), scope_with(bus=bus)
    async with listening(Peer(web.asgi()), LISTS) as ear:
        await ear.next()
        await worker.notify_prompts_changed()
        assert (await ear.next())["method"] == "notifications/prompts/list_changed"


async def test_a_tool_in_a_thread_may_tell(scope, peer):
    async with listening(peer, LISTS) as ear:
        await ear.next()
        await asyncio.to_thread(lambda: asyncio.run(scope.notify_tools_changed()))
        assert (await ear.next())["method"] == "notifications/tools/list_changed"


async def test_what_a_newer_process_tells_is_passed_over(peer):
    bus = MemoryBus()
    scope = scope_with(bus=bus)
    async with listening(Peer(scope.asgi()), LISTS) as ear:
        await ear.next()
        await bus.publish("news", {"kind": "something new"})
        await scope.notify_tools_changed()
        assert (await ear.next())["method"] == "notifications/tools/list_changed"


async def test_a_bus_that_is_away_harms_nobody_who_tells(caplog):
    from lazymcp import BusUnavailable

    class Broken(MemoryBus):
        async def publish(self, topic, message, /):
            await super().publish(topic, message)
            raise BusUnavailable("the database is away")

    scope = scope_with(bus=Broken())
    async with listening(Peer(scope.asgi()), LISTS) as ear:
        await ear.next()
        await scope.notify_tools_changed()
        assert (await ear.next())["method"] == "notifications/tools/list_changed"
    assert "subscribers in other processes did not hear that tools changed: the database is away" in caplog.text


async def test_a_stream_is_found_by_its_method_header_and_needs_no_name(peer):
    """basic/transports/streamable-http: Mcp-Name is for three methods, and this is none of them."""
    message = peer.message("subscriptions/listen", {"notifications": {}})
    headers = peer.headers_for(message) | {"mcp-method": "tools/list"}
    raw = [(name.encode(), value.encode()) for name, value in headers.items() if value is not None]
    assert (await send_raw(peer.app, raw, [json.dumps(message).encode()])).error["code"] == -32020


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


async def test_others_are_answered_while_a_thousand_rights_are_looked_at(peer):
    """One request held up the whole server for half a minute, with long URIs and three templates."""
    uris = [f"app://admin/users/{number}@example.com" for number in range(MAX_WATCHED)]
    async with listening(peer, {"resourceSubscriptions": uris}) as ear:
        await asyncio.sleep(0)
        assert (await peer.ask("tools/list")).result
        assert ear.sent.empty()
        assert len((await granted(ear))["resourceSubscriptions"]) == MAX_WATCHED


async def test_a_name_that_is_too_long_to_be_kept_is_left_out(peer):
    """basic/patterns/subscriptions, "Acknowledgment": what is not granted is not acknowledged."""
    fits, bursts = (f"app://admin/users/{'a' * (MAX_LENGTH - len('app://admin/users/') + more)}" for more in (0, 1))
    async with listening(peer, {"resourceSubscriptions": [bursts, fits]}) as ear:
        assert await granted(ear) == {"resourceSubscriptions": [fits]}
