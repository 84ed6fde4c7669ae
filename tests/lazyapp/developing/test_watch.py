"""lazyapp/developing/watch.py: each request is written down once it is answered."""

import asyncio
import json
from typing import Any

import pytest

from lazyapp.developing.memory import Memory, Request
from lazyapp.developing.watch import BODY, Watch, asked
from lazyapp.secret_words import MASK
from lazymcp.failures import pages_of
from tests.lazyapp.developing.panel_site import opened

ORIGIN = "http://localhost:3000"


async def watched(
    app: Any, path: str = "/notes", *, method: str = "GET", query: bytes = b"", body: bytes = b"", oauth: tuple[str, ...] = ()
) -> Request | None:
    """What is remembered of one request."""
    memory = Memory()
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": []}
    messages = [{"type": "http.request", "body": body[at : at + 1000], "more_body": True} for at in range(0, len(body), 1000)]

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        pass

    await Watch(app, memory, origin=ORIGIN, mcp=("/mcp",), oauth=oauth)(scope, receive, send)
    return memory.requests[-1] if memory.requests else None


async def good(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def test_a_page_is_remembered_without_its_secrets():
    found = await watched(good, query=b"page=2&reset_token=abc&q=%3Cb%3E")
    assert found is not None
    assert (found.kind, found.method, found.path, found.status) == ("page", "GET", "/notes", 204)
    assert found.query == (("page", "2"), ("reset_token", MASK), ("q", "<b>"))
    assert found.ms >= 0


async def test_of_a_login_only_what_is_no_secret_is_remembered():
    """RFC 6749, section 10.12; RFC 7636, section 7.2: state and challenge bind one login."""
    query = b"response_type=code&state=s3cret&code_challenge=c&code_challenge_method=S256&login_hint=ada&scope=mcp"
    found = await watched(good, "/oauth/authorize", query=query, oauth=("/oauth/authorize",))
    assert found is not None
    assert found.kind == "oauth"
    assert dict(found.query) == {
        "response_type": "code",
        "state": MASK,
        "code_challenge": MASK,
        "code_challenge_method": "S256",
        "login_hint": MASK,
        "scope": "mcp",
    }


@pytest.mark.parametrize(
    ("sent", "call", "name"),
    [
        ({"method": "tools/call", "params": {"name": "notes.count"}}, "tools/call", "notes.count"),
        ({"method": "resources/read", "params": {"uri": "notes://all"}}, "resources/read", "notes://all"),
        ({"method": "tools/list"}, "tools/list", ""),
        ({"method": "tools/call", "params": {"name": 7}}, "tools/call", ""),
        ({"method": "tools/call", "params": []}, "tools/call", ""),
        ({"method": 7}, "", ""),
        ([], "", ""),
        (None, "", ""),
    ],
)
async def test_a_call_is_remembered_with_its_method_and_name(sent, call, name):
    found = await watched(good, "/mcp", method="POST", body=json.dumps(sent).encode())
    assert found is not None
    assert (found.kind, found.call, found.name) == ("mcp", call, name)


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 60_000, b'"' + b"x" * (BODY * 2) + b'"', b"\xff\xfe"])
async def test_what_cannot_be_read_is_a_request_like_others(body):
    found = await watched(good, "/mcp", method="POST", body=body)
    assert found is not None
    assert (found.status, found.call) == (204, "")


async def test_no_more_of_a_body_is_held_than_is_needed():
    held: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await good(scope, receive, send)
        here = asked.get()
        assert here is not None
        held.append(len(here.body))

    await watched(app, "/mcp", method="POST", body=b"x" * (BODY + 5000))
    await watched(app, "/upload", method="POST", body=b"x" * 5000)
    assert held == [BODY, 0]


async def test_what_breaks_is_remembered_and_breaks_on():
    async def bad(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("no")

    memory = Memory()
    scope = {"type": "http", "method": "GET", "path": "/notes", "query_string": b"", "headers": []}
    with pytest.raises(RuntimeError):
        await Watch(bad, memory, origin=ORIGIN)(scope, None, None)  # type: ignore[arg-type]
    assert [found.status for found in memory.requests] == [0]
    assert (asked.get(), pages_of.get()) == (None, "")


async def test_whoever_looks_leaves_no_trace():
    assert await watched(good, "/_lazy/requests") is None
    assert await watched(good, "/_lazybones") is not None


async def test_what_is_no_request_passes():
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    memory = Memory()
    for kind in ("lifespan", "websocket"):
        await Watch(app, memory, origin=ORIGIN)({"type": kind, "path": "/x"}, None, None)  # type: ignore[arg-type]
    assert (seen, list(memory.requests)) == (["lifespan", "websocket"], [])


async def test_requests_at_once_are_told_apart(tmp_path):
    async with opened(tmp_path) as site:
        await asyncio.gather(*(site.call("tools/call", {"name": "notes.count", "arguments": {"tag": str(n)}}) for n in range(5)))
        page = await site.page("/_lazy/errors")
        assert all(f"&#39;{number}&#39;" in page for number in range(5))
