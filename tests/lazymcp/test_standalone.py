"""`Scope.asgi()` in applications that know nothing of lazymcp: design, section 2, "lazymcp works alone"."""

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Route

from lazymcp import Base, Options, Scope, tool
from tests.lazymcp.asgi_peer import ERAS, Peer, read_answer


class SumMCP(Base):
    @tool
    async def add(self, a: int, b: int) -> int:
        """Add two numbers."""
        return a + b


def endpoint(**options):
    scope = Scope(Options(**options))
    scope.register(SumMCP())
    return scope.asgi()


def fastapi_route(**options):
    app = FastAPI()
    app.add_route("/mcp", endpoint(**options))
    return app


def starlette_route(**options):
    return Starlette(routes=[Route("/mcp", endpoint(**options))])


def starlette_added(**options):
    app = Starlette()
    app.add_route("/mcp", endpoint(**options))
    return app


@pytest.fixture(params=[starlette_route, starlette_added, fastapi_route])
def build(request):
    return request.param


async def send(app, method, path="/mcp", body=b"", **headers):
    """One request as a server makes it, without the lifespan that a server would also run."""
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in {"host": "localhost:3000", **headers}.items()]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "method": method, "path": path}
    scope |= {"raw_path": path.encode(), "root_path": "", "query_string": b"", "headers": raw, "server": ("localhost", 3000)}
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def collect(message):
        sent.append(message)

    await app(scope, receive, collect)
    return read_answer(sent)


class Mounted(Peer):
    """A client of an endpoint that stands behind another application's router."""

    async def post(self, body, headers, method="POST"):
        given = {name.replace("-", "_"): value for name, value in headers.items() if value is not None}
        return await send(self.app, method, body=body, **given)


@pytest.mark.parametrize("era", ERAS)
async def test_tools_are_called_without_lifespan_and_without_redirect(build, era):
    peer = Mounted(build(), era)
    if era != ERAS[0]:
        assert (await peer.initialize()).status == 200
    answer = await peer.ask("tools/call", {"name": "sum.add", "arguments": {"a": 2, "b": 40}})
    assert (answer.status, answer.result["structuredContent"]) == (200, {"result": 42})


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT"])
async def test_other_methods_are_refused_by_us_in_json(build, method):
    """MCP 2026-07-28, basic/transports/streamable-http: 405 where no stream is offered."""
    answer = await send(build(), method, accept="text/event-stream")
    assert (answer.status, answer.headers["allow"]) == (405, "POST, OPTIONS")
    assert answer.error["code"] == -32600


async def test_a_preflight_is_answered(build):
    """Fetch standard, "CORS-preflight request"."""
    answer = await send(build(), "OPTIONS", origin="http://localhost:6274", access_control_request_method="POST")
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == "http://localhost:6274"
    assert "POST" in answer.headers["access-control-allow-methods"]


async def test_another_host_is_served_when_it_is_named(build):
    """`Options.allowed_hosts`: without it, loopback names only, against DNS rebinding."""
    assert (await send(build(), "OPTIONS", host="tools.example.com")).status == 421
    assert (await send(build(allowed_hosts=("tools.example.com",)), "OPTIONS", host="tools.example.com")).status == 204
