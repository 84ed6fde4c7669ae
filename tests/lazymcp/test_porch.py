"""lazymcp/porch.py: sessions, DELETE and GET as the older revisions know them, over several processes."""

import pytest

from lazymcp.bus import BusUnavailable, MemoryBus
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import MODERN, OLDER, send_raw
from tests.lazymcp.live import call, listen, tell
from tests.lazymcp.older import Alone, Server


async def request(peer, method, **headers):
    """A bare GET or DELETE."""
    usual = {**peer.headers_for({"method": ""}), "accept": "text/event-stream", "content-type": None}
    return await peer.post(b"", {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}, method)


@pytest.mark.parametrize("era", OLDER)
async def test_delete_ends_a_session_in_every_process(era):
    """2025-11-25, basic/transports, "Session management": 404 afterwards; https://github.com/PrefectHQ/fastmcp/issues/1003."""
    server = Server(3, era)
    first, second, unused = await server.meet()
    for peer in (first, second):
        assert (await peer.ask("tools/list")).status == 200
    answer = await request(second, "DELETE")
    assert (answer.status, answer.body) == (204, b"")
    for peer in (first, second, unused):
        answer = await peer.ask("tools/list")
        assert (answer.status, answer.error["code"]) == (404, -32600)
        assert (await request(peer, "GET")).status == 404
        assert (await request(peer, "DELETE")).status == 404
    assert (await server.start().ask("ping")).status == 404, "a process that starts later knows it too"
    assert (await first.initialize()).status == 200
    assert (await first.ask("tools/list")).status == 200, "and the client begins anew"


async def test_what_a_session_waits_for_ends_with_it():
    server = Server()
    peer, other = await server.meet()
    asking, listening = call(peer, "tools/call", {"name": "ask"}), listen(other)
    await asking.start()
    await asking.message()
    await listening.start()
    await listening.event()
    await request(peer, "DELETE")
    assert "ended the session" in (await asking.message())["result"]["content"][0]["text"]
    assert await listening.end() == []
    assert server.topics() == set()


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_who_names_no_session_gets_none(method):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1727: 400 without a session, 404 for an unknown one."""
    server = Server(1)
    (peer,) = server.peers
    answer = await request(peer, method)
    assert (answer.status, answer.error["code"]) == (400, -32600)
    assert "mcp-session-id" not in answer.headers
    answer = await request(peer, method, mcp_session_id="nonsense")
    assert (answer.status, answer.error["code"]) == (404, -32600)
    assert "mcp-session-id" not in answer.headers
    answer = await request(peer, method, mcp_protocol_version="2024-11-05")
    assert (answer.status, answer.error["code"]) == (400, -32600)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("version", [MODERN, "2027-01-01", None])
async def test_today_and_for_browsers_there_is_post_alone(method, version):
    """2026-07-28, basic/transports/streamable-http: GET and DELETE are 405, a session id is ignored. RFC 9110, section 15.5.6."""
    server = Server(1)
    (peer,) = server.peers
    if version is not None:
        await peer.initialize()
    answer = await request(peer, method, mcp_protocol_version=version)
    assert (answer.status, answer.headers["allow"]) == (405, "POST, OPTIONS")
    if version is not None:
        assert (await peer.ask("ping")).status == 200, "and nothing has ended"


async def test_a_get_is_a_stream_or_nothing():
    server = Server(1)
    (peer,) = await server.meet()
    assert (await request(peer, "GET", accept="application/json")).status == 406
    assert (await request(peer, "GET", accept="image/png")).status == 406


async def test_two_session_ids_are_one_too_many():
    """2026-07-28, basic/transports/streamable-http: two readers could each take another one."""
    server = Server(1)
    (peer,) = await server.meet()
    raw = [(name.encode(), value.encode()) for name, value in peer.headers_for({"method": ""}).items()]
    answer = await send_raw(peer.app, [*raw, (b"mcp-session-id", b"x")], [b""], "DELETE")
    assert (answer.status, answer.error["code"]) == (400, -32020)
    assert (await peer.ask("ping")).status == 200


class Away(MemoryBus):
    """A bus whose database is away."""

    is_away = False

    async def publish(self, topic, message):
        if self.is_away:
            raise BusUnavailable("no database")
        await super().publish(topic, message)


async def test_what_cannot_reach_the_others_is_not_said_to_be_done():
    bus = Away()
    server = Server(1, bus=bus)
    (peer,) = await server.meet()
    assert (await peer.ask("ping")).status == 200
    bus.is_away = True
    assert (await request(peer, "DELETE")).status == 503
    message = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    assert (await peer.post(message, peer.headers_for({"method": ""}))).status == 503
    assert (await peer.ask("ping")).status == 200


async def test_no_request_of_a_client_fails_because_the_others_are_away(caplog):
    """The log had a traceback for each, and a stream ended with an error that answers nothing."""
    bus = Alone()
    server = Server(2, bus=bus, more=(AdminMCP(),))
    peers = await server.meet()
    for peer in peers:
        assert (await peer.ask("ping")).status == 200
    bus.is_away = True
    for headers in ({}, {"last_event_id": "abc-1.0"}):
        assert (await request(peers[0], "GET", **headers)).status == 503
    for method, params in (
        ("logging/setLevel", {"level": "error"}),
        ("resources/subscribe", {"uri": "app://admin/users"}),
        ("resources/unsubscribe", {"uri": "app://admin/users"}),
    ):
        answer = await peers[0].ask(method, params)
        assert (answer.status, answer.error["code"]) == (200, -32603)
        assert "try again" in answer.error["message"]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_session_whose_end_did_not_reach_the_others_can_be_ended_again():
    """It was over in one process, which said 404 to the next DELETE, and went on in the others."""
    bus = Alone()
    server = Server(2, bus=bus)
    peers = await server.meet()
    for peer in peers:
        assert (await peer.ask("ping")).status == 200
    bus.is_away = True
    assert (await request(peers[0], "DELETE")).status == 503
    bus.is_away = False
    assert (await request(peers[0], "DELETE")).status == 204
    for peer in peers:
        assert (await peer.ask("ping")).status == 404


async def test_a_request_without_a_session_is_served():
    """https://github.com/datagouv/datagouv-mcp/issues/25; https://github.com/nextcloud/context_agent/issues/227."""
    server = Server(1)
    (peer,) = server.peers
    for method in ("tools/list", "ping"):
        answer = await peer.ask(method)
        assert answer.result is not None
        assert "session" not in answer.body.decode()
    await tell(peer, {"method": "notifications/initialized"})
    await tell(peer, {"method": "notifications/cancelled", "params": {"requestId": 7}})
    await tell(peer, {"id": "0" * 32, "result": {}})
    answer = await peer.ask("logging/setLevel", {"level": "debug"})
    assert (answer.status, answer.error["code"]) == (400, -32600)


async def test_nothing_is_kept_for_a_session_that_only_calls_tools():
    """Design, section 4: session ids are self-contained."""
    server = Server(2)
    peers = await server.meet()
    for peer in peers * 2:
        assert (await peer.ask("tools/call", {"name": "talk"}, headers={"accept": "application/json"})).result
        assert (await peer.ask("tools/list")).result
    await tell(peers[0], {"method": "notifications/initialized"})
    for peer in peers:
        desk = peer.app._porch.desk
        assert (len(desk.known), desk.calls, desk.journals._kept) == (0, {}, {})
    assert server.topics() == set()
