"""lazymcp/http.py: MCP 2026-07-28 and older, basic/transports/streamable-http, rung by rung."""

import asyncio
import json

import pytest

from lazymcp import Scope
from lazymcp.http import Endpoint
from lazymcp.protocol import CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY, VERSION_KEY
from lazymcp.registry import Registry
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import ERAS, MODERN, OLDER, read_answer, send_raw, served

CALL = {"name": "admin.user_count"}


@pytest.fixture
def peer():
    return served(AdminMCP())


@pytest.fixture(params=ERAS)
def any_peer(request):
    return served(AdminMCP(), era=request.param)


async def post(peer, body, **headers):
    """Send a body as it stands, with the headers of a `tools/call`, some of them replaced (None leaves one out)."""
    usual = peer.headers_for(peer.message("tools/call", CALL))
    return await peer.post(body, {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}})


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH", "TRACE", "QUERY"])
async def test_only_post_is_served(peer, method):
    """2026-07-28: GET and DELETE are 405."""
    answer = await peer.post(b"", {"host": "localhost"}, method)
    assert (answer.status, answer.headers["allow"]) == (405, "POST, OPTIONS")


@pytest.mark.parametrize(
    ("kind", "status"), [(None, 400), ("text/plain", 415), ("application/json; charset=latin-1", 415), ("", 415)]
)
async def test_a_body_is_json(peer, kind, status):
    assert (await post(peer, b"{}", content_type=kind)).status == status


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])
async def test_the_content_type_may_have_parameters(any_peer, kind):
    assert (await any_peer.ask("tools/call", CALL, headers={"content-type": kind})).result


@pytest.mark.parametrize(
    "accept", [None, "", "*/*", "application/*", "application/json", "text/html, */*;q=0.1", "application/json;q=1"]
)
async def test_accept_is_read_leniently(any_peer, accept):
    """https://github.com/modelcontextprotocol/python-sdk/issues/2349."""
    answer = await any_peer.ask("tools/call", CALL, headers={"accept": accept})
    assert answer.headers["content-type"] == "application/json"


async def test_who_accepts_only_a_stream_gets_one(any_peer):
    answer = await any_peer.ask("tools/call", CALL, headers={"accept": "text/event-stream"})
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.result["structuredContent"] == {"count": 3}


async def test_who_accepts_neither_is_told_so(any_peer):
    assert (await any_peer.ask("tools/call", CALL, headers={"accept": "text/html"})).status == 406


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"a":NaN}', -32700),
        (b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', -32600),
        (b'"x"', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":[]}', -32700),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', -32602),
    ],
)
async def test_what_is_not_a_request_is_400(any_peer, body, code):
    """JSON-RPC 2.0, section 5.1."""
    answer = await post(any_peer, body)
    assert (answer.status, answer.error["code"]) == (400, code)


async def test_an_error_bears_the_id_that_could_be_read(peer):
    """2026-07-28, basic/index: errors echo the id."""
    answer = await post(peer, b'{"jsonrpc":"2.0","id":"abc","method":5}')
    assert answer.messages[0]["id"] == "abc"


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {VERSION_KEY: MODERN},
        {CAPABILITIES_KEY: {}},
        {VERSION_KEY: 5, CAPABILITIES_KEY: {}},
        {VERSION_KEY: MODERN, CAPABILITIES_KEY: []},
        {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, CLIENT_KEY: "me"},
        {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, LOG_LEVEL_KEY: "loud"},
        {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, LOG_LEVEL_KEY: ["info"]},
        {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, "progressToken": 1.5},
        "me",
        None,
    ],
)
async def test_the_envelope_is_required(peer, meta):
    """2026-07-28, basic/index: 400 and -32602."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**CALL, "_meta": meta}}
    answer = await post(peer, json.dumps(message).encode())
    assert (answer.status, answer.error["code"]) == (400, -32602)


async def test_the_client_need_not_present_itself(peer):
    message = peer.message("tools/call", CALL)
    del message["params"]["_meta"][CLIENT_KEY]
    assert (await post(peer, json.dumps(message).encode())).status == 200


async def test_another_version_is_refused_with_those_we_know(peer):
    """2026-07-28, basic/versioning."""
    answer = await peer.ask("tools/call", CALL, headers={"mcp-protocol-version": "2099-01-01"}, **{VERSION_KEY: "2099-01-01"})
    assert (answer.status, answer.error["code"]) == (400, -32022)
    assert answer.error["data"] == {"supported": [MODERN], "requested": "2099-01-01"}


@pytest.mark.parametrize("method", ["initialize", "ping", "server/discover", "tools/list"])
async def test_the_body_decides_the_era(peer, method):
    """Proxies add headers of today to classic traffic (plain-mcp 0.6.0): without an envelope they decide nothing."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"protocolVersion": OLDER[0]}}
    headers = {"mcp-method": method, "mcp-protocol-version": None}
    answer = await peer.post(json.dumps(message).encode(), {**peer.headers_for(message), **headers})
    assert answer.status == 200
    message["params"]["_meta"] = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
    answer = await peer.post(json.dumps(message).encode(), {**peer.headers_for(message), **headers})
    assert (answer.status, answer.error["code"]) == (400, -32020), "now it is a request of today, whose version header is missing"


async def test_a_notification_is_accepted(any_peer):
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/nothing"):
        message = any_peer.message(method)
        del message["id"]
        answer = await any_peer.post(json.dumps(message).encode(), any_peer.headers_for(message))
        assert (answer.status, answer.body) == (202, b"")


async def test_a_response_is_accepted_from_older_clients_only():
    """2026-07-28: clients send no responses."""
    for era in ERAS:
        answer = await post(served(AdminMCP(), era=era), b'{"jsonrpc":"2.0","id":1,"result":{}}')
        assert answer.status == (400 if era == MODERN else 202)


async def test_a_body_may_be_as_large_as_the_options_say():
    peer = served(AdminMCP(), max_body_bytes=500)
    body = json.dumps(peer.message("tools/call", CALL)).encode()
    full = body + b" " * (500 - len(body))
    assert (await post(peer, full)).status == 200
    assert (await post(peer, full + b" ")).status == 413
    for length in ("501", "9" * 5000):
        assert (await post(peer, b"", content_length=length)).status == 413, "before a byte is read"
    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(peer.message("tools/call", CALL)).items()]
    assert (await send_raw(peer.app, headers, [full[:250], full[250:]])).status == 200
    assert (await send_raw(peer.app, headers, [b" " * 300, b" " * 300, b" " * 300])).status == 413


async def test_a_body_that_stalls_is_cut_off():
    """Design, section 4."""
    registry = Registry(Scope().options)
    registry.close()
    for first in ([], [{"type": "http.request", "body": b"{", "more_body": True}]):
        sent = []

        async def receive(first=first):
            if first:
                return first.pop()
            return await asyncio.Event().wait()

        async def send(message, sent=sent):
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        await Endpoint(registry, body_timeout_s=0.01)({"type": "http", "method": "POST", "headers": headers}, receive, send)
        assert read_answer(sent).status == 408


async def test_a_client_that_leaves_while_sending_is_let_go(peer):
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    await peer.app({"type": "http", "method": "POST", "headers": headers}, receive, send)
    assert sent == []


async def test_options_is_free_and_pages_of_this_machine_may_call(peer):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1079: preflights come without a token and without a body."""
    asked = {"access-control-request-headers": "content-type,mcp-param-region, x-other"}
    answer = await peer.post(b"", {"host": "localhost:3000", "origin": "http://localhost:6274", **asked}, "OPTIONS")
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == "http://localhost:6274"
    allowed = answer.headers["access-control-allow-headers"].split(", ")
    assert {"authorization", "mcp-method", "mcp-session-id", "last-event-id", "mcp-param-region"} <= set(allowed)
    assert set(answer.headers["access-control-allow-methods"].split(", ")) == {"POST", "GET", "DELETE", "OPTIONS"}
    assert "x-other" not in allowed
    answer = await peer.ask("tools/call", CALL, headers={"origin": "http://localhost:6274"})
    assert answer.headers["access-control-allow-origin"] == "http://localhost:6274"
    assert "mcp-session-id" in answer.headers["access-control-expose-headers"]
    assert answer.headers["vary"] == "origin"


async def test_what_is_not_http_is_declined(peer):
    sent = []

    async def send(message):
        sent.append(message["type"])

    events = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive():
        return events.pop(0)

    await peer.app({"type": "lifespan"}, receive, send)
    await peer.app({"type": "websocket"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete", "websocket.close"]


async def test_our_own_mistakes_are_told_by_an_id(caplog):
    def authorizer(claims, module):
        raise ZeroDivisionError

    answer = await served(AdminMCP(), authorizer=authorizer).ask("tools/list")
    assert (answer.status, answer.error["code"]) == (200, -32603)
    (record,) = caplog.records
    assert record.args[1] in answer.error["message"]
    assert record.exc_info[0] is ZeroDivisionError


async def test_a_foreign_page_cannot_even_read_the_refusal(peer):
    """Fetch standard, "CORS protocol": the header that lets a page read an answer is for the pages that may call."""
    answer = await peer.ask("tools/call", CALL, headers={"origin": "https://evil.example.com"})
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
