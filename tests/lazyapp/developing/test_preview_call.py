"""lazyapp/developing/preview_call.py: one request to an endpoint, and every kind of answer."""

import json
from typing import Any

import pytest

from lazyapp.developing.preview_call import MAX_ANSWER_BYTES, ask

RESULT = {"jsonrpc": "2.0", "id": 0, "result": {"content": []}}


def answering(body: bytes, kind: str = "application/json", status: int = 200) -> Any:
    """An endpoint that answers this, with the id that was asked in the place of 0; it keeps what it was sent."""

    async def endpoint(scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        endpoint.asked = (dict(scope["headers"]), json.loads(message["body"]))  # type: ignore[attr-defined]
        number = str(endpoint.asked[1]["id"]).encode()  # type: ignore[attr-defined]
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", kind.encode())]})
        await send({"type": "http.response.body", "body": body.replace(b'"id": 0', b'"id": ' + number), "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return endpoint


async def asked(endpoint: Any, method: str = "tools/list", params: Any = None, schema: Any = None) -> Any:
    async def gone() -> Any:
        return {"type": "http.disconnect"}

    return await ask(endpoint, method, params or {}, schema or {}, host=b"localhost:3000", receive=gone)


async def test_it_says_what_a_host_of_mcp_apps_says() -> None:
    """MCP 2026-07-28, per-request metadata and routing headers; SEP-1865, negotiation."""
    endpoint = answering(json.dumps(RESULT).encode())
    found = await asked(endpoint, "resources/read", {"uri": "ui://bücher"})
    headers, message = endpoint.asked
    assert (headers[b"mcp-method"], headers[b"mcp-name"]) == (b"resources/read", b"=?base64?dWk6Ly9iw7xjaGVy?=")
    capabilities = message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    assert capabilities["extensions"] == {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
    assert capabilities["elicitation"] == {"form": {}, "url": {}}
    assert found.message["result"] == {"content": []}


async def test_marked_arguments_are_repeated_in_headers() -> None:
    """MCP 2026-07-28, "Custom headers from tool parameters": strings, numbers, within objects; what is absent stays so."""
    marked = {"type": "integer", "x-mcp-header": "Shard"}
    schema = {
        "properties": {
            "where": {"properties": {"shard": marked}},
            "flag": {"x-mcp-header": "Flag"},
            "none": {"x-mcp-header": "None"},
        }
    }
    endpoint = answering(json.dumps(RESULT).encode())
    await asked(endpoint, "tools/call", {"name": "t", "arguments": {"where": {"shard": 7}, "flag": True, "none": None}}, schema)
    headers = endpoint.asked[0]
    assert (headers[b"mcp-param-shard"], headers[b"mcp-param-flag"]) == (b"7", b"true")
    assert b"mcp-param-none" not in headers


async def test_a_stream_is_read_to_its_answer() -> None:
    """MCP 2026-07-28, streamable HTTP: comments and notifications come before it."""
    told = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
    stream = f": alive\n\ndata: {json.dumps(told)}\n\ndata:\n\nevent: message\ndata: {json.dumps(RESULT)}\n\n"
    found = await asked(answering(stream.encode(), "text/event-stream; charset=utf-8"))
    assert (found.before, found.message["result"]) == ((told,), {"content": []})


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (b"no", "text/plain", "HTTP 502 without a message"),
        (b"[]", "application/json", "HTTP 502 without a message"),
        (b"", "text/event-stream", "HTTP 502 without a message"),
        (b"x" * (MAX_ANSWER_BYTES + 1), "application/json", "larger than"),
    ],
)
async def test_what_is_no_answer_is_told_in_words(body: bytes, kind: str, words: str) -> None:
    """A middleware may answer in the endpoint's place, and a tool may answer more than a page can show."""
    found = await asked(answering(body, kind, 502))
    assert words in found.message["error"]["message"]


@pytest.mark.parametrize(
    "message",
    [
        {
            "result": {
                "isError": True,
                "content": [1, {"text": 2}, {"text": "tool a failed; the details are in the server's log under 0badcafe"}],
            }
        },
        {"error": {"code": -32603, "message": "app ui://a failed; the details are in the server's log under 0badcafe"}},
    ],
)
async def test_the_id_of_a_failure_is_read_where_it_stands(message: Any) -> None:
    """`lazymcp.failures` writes it into the one sentence that a client is told."""
    found = await asked(answering(json.dumps({"jsonrpc": "2.0", "id": 0, **message}).encode()))
    assert found.failure == "0badcafe"
