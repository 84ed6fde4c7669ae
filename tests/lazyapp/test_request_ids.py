"""lazyapp/request_ids.py: each request has an id, the proxy's where it is to be believed, and its answer says it."""

import asyncio
import logging
from typing import Any

import pytest
from fastapi.testclient import TestClient

import lazyapp
import lazymcp
from lazyapp.request_ids import RequestIds, every_request_is_logged, request_id
from lazyapp.settings import Settings

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def ask(peer: tuple[str, int] | None, proxies: str, **headers: str) -> str:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return RequestIds(proxies).of({"type": "http", "headers": raw, "client": peer})


@pytest.mark.parametrize(
    ("peer", "proxies"),
    [
        (("10.0.0.7", 4711), "10.0.0.7"),
        (("10.0.0.7", 4711), "192.0.2.1, 10.0.0.0/8"),
        (("fd00::1", 4711), "fd00::/8"),
        (("203.0.113.9", 0), "10.0.0.7"),  # the server took the visitor's address from a proxy that it trusts
        (("unix", 4711), "*"),
        (None, "*"),
    ],
)
def test_a_trusted_proxy_names_the_request(peer, proxies):
    assert ask(peer, proxies, x_request_id="abc-12345") == "abc-12345"
    assert ask(peer, proxies, traceparent=TRACE) == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert ask(peer, proxies, x_request_id="abc-12345", traceparent=TRACE) == "abc-12345"


@pytest.mark.parametrize(
    ("peer", "proxies"),
    [(("203.0.113.9", 4711), "10.0.0.0/8"), (("10.0.0.7", 4711), ""), (None, "10.0.0.7"), (("nonsense", 1), "10.0.0.0/8, junk")],
)
def test_a_stranger_does_not(peer, proxies):
    """He would write into our log under the id of somebody else."""
    assert len({ask(peer, proxies, x_request_id="abc-12345", traceparent=TRACE) for _ in range(3)}) == 3


@pytest.mark.parametrize("given", ["short", "x" * 129, "two words", "line\nend", '<b>"quoted"</b>', "ä" * 10])
def test_what_could_change_a_log_line_is_not_taken(given):
    assert ask(("10.0.0.7", 1), "*", x_request_id=given) != given


@pytest.mark.parametrize("given", ["00-" + "0" * 32 + "-00f067aa0ba902b7-01", "junk", TRACE.upper(), TRACE + "x"])
def test_what_is_no_trace_names_nothing(given):
    """W3C Trace Context, section 3.2.2."""
    assert len(ask(("10.0.0.7", 1), "*", traceparent=given)) == 16


def test_an_id_is_made_once_a_request():
    ids, scope = RequestIds(), {"type": "http", "headers": [], "client": None}
    assert ids.of(scope) == ids.of(scope) != ids.of({**scope, "lazyapp.request_id": None})


async def test_what_is_sent_is_left_as_it_is_but_for_the_header():
    """A prepared message is sent many times, and is nobody's to change."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    ids, scope = RequestIds(), {"type": "http", "headers": [], "lazyapp.request_id": "mine-1234"}
    prepared = {"type": "http.response.start", "status": 200, "headers": ((b"a", b"b"),)}
    own = {"type": "http.response.start", "status": 200, "headers": [(b"x-request-id", b"own")]}
    body = {"type": "http.response.body"}
    for message in (prepared, own, body):
        await ids.tell(scope, send, message)
    assert sent[0]["headers"] == [(b"a", b"b"), (b"x-request-id", b"mine-1234")]
    assert prepared["headers"] == ((b"a", b"b"),)
    assert sent[1:] == [own, body]


class Ids(lazymcp.Base):
    name = ""

    @lazymcp.tool
    async def which(self) -> str:
        """Tell the id."""
        return await asyncio.create_task(asyncio.to_thread(lambda: str(request_id())))


def test_every_path_has_one_and_it_ends_with_the_request(tmp_path):
    """docs/logs.md: pages, files, `/mcp` and refusals alike. What a request starts inherits it."""
    config = lazyapp.Config(name="shop", mcp=lambda ctx, scope: scope.register(Ids()))
    settings = Settings(env="test", root=tmp_path, given_public_url="http://testserver", forwarded_allow_ips="*")
    app = lazyapp.App(config, settings=settings)

    @app.get("/which")
    async def which() -> str | None:
        return request_id()

    with TestClient(app) as client:
        found = client.get("/which")
        assert found.json() == found.headers["x-request-id"]
        assert client.get("/which", headers={"X-Request-Id": "abc-12345"}).json() == "abc-12345"
        assert client.get("/missing").headers["x-request-id"]
        assert client.get("/which", headers={"Host": "evil.example"}).headers["x-request-id"]
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "which", "arguments": {}, "_meta": meta}}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "which"}
        told = client.post("/mcp", json=call, headers=headers)
        assert told.json()["result"]["content"][0]["text"] == told.headers["x-request-id"]
        assert len(told.headers["x-request-id"]) == 16
    assert request_id() is None


@pytest.mark.parametrize(("level", "said"), [(logging.INFO, True), (logging.WARNING, False)])
def test_an_exact_path_says_the_id_under_an_access_log(tmp_path, level, said):
    """docs/logs.md: it stands in a line of that; without one only pages say it."""
    settings = Settings(env="test", root=tmp_path, given_public_url="http://testserver")
    access = logging.getLogger("uvicorn.access")
    before, handler = access.level, logging.NullHandler()
    access.addHandler(handler)
    access.setLevel(level)
    try:
        with TestClient(lazyapp.App(lazyapp.Config(name="shop"), settings=settings)) as client:
            assert ("x-request-id" in client.get("/livez").headers) is said
            assert client.get("/missing").headers["x-request-id"]
    finally:
        access.setLevel(before)
        access.removeHandler(handler)


def test_an_access_log_without_a_handler_logs_nothing():
    """`uvicorn.run(access_log=False)` takes its handlers away and leaves the level."""
    access = logging.getLogger("uvicorn.access")
    before, access.propagate = (access.level, access.propagate), False
    handlers, access.handlers = access.handlers, []
    access.setLevel(logging.INFO)
    try:
        assert not every_request_is_logged()
    finally:
        access.handlers = handlers
        access.setLevel(before[0])
        access.propagate = before[1]
