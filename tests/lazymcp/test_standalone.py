"""`Scope.asgi()` in applications that know nothing of lazymcp: design, section 2, "lazymcp works alone"."""

import pytest
from fastapi import APIRouter, FastAPI
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from lazymcp import Base, Options, Scope, tool
from tests.flows.served import served
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


def under_a_path():
    return Starlette(routes=[Mount("/tools", routes=[Route("/mcp", endpoint())])]), "/tools/mcp"


def as_a_mount():
    app = FastAPI()
    app.mount("/mcp", endpoint())
    return app, "/mcp/"


def as_a_mount_below():
    return Starlette(routes=[Mount("/a", app=Starlette(routes=[Mount("/b", endpoint())]))]), "/a/b/"


def beside_pages():
    app = FastAPI()
    app.add_route("/mcp", endpoint())
    return app, "/mcp"


def in_a_router():
    app, router = FastAPI(), APIRouter()
    router.add_route("/mcp", endpoint())
    app.include_router(router, prefix="/api")
    return app, "/api/mcp"


def alone():
    return endpoint(), "/anything"


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
@pytest.mark.parametrize("build", [under_a_path, as_a_mount, as_a_mount_below, beside_pages, in_a_router, alone])
async def test_the_official_client_is_served_wherever_it_is_put(build, mode):
    """Design, section 2: mounted in any ASGI application, on a real server that runs no lifespan."""
    app, path = build()
    async with served(app) as origin, Client(streamable_http_client(origin + path), mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["sum.add"]
        assert (await client.call_tool("sum.add", {"a": 2, "b": 40})).structured_content == {"result": 42}


async def test_an_application_with_a_lifespan_of_its_own_goes_on(build):
    """The endpoint needs no lifespan, and takes part in one that a server hands it."""
    async with served(build(), lifespan="on") as origin, Client(streamable_http_client(f"{origin}/mcp")) as client:
        assert (await client.call_tool("sum.add", {"a": 1, "b": 1})).structured_content == {"result": 2}


async def test_two_scopes_stand_side_by_side():
    """Nothing is global: each scope has its own modules."""

    class TimeMCP(Base):
        @tool
        def now(self) -> str:
            """Tell the time."""
            return "noon"

    other = Scope()
    other.register(TimeMCP())
    app = Starlette(routes=[Route("/sums", endpoint()), Route("/times", other.asgi())])
    async with served(app) as origin:
        for path, expected in [("/sums", "sum.add"), ("/times", "time.now")]:
            async with Client(streamable_http_client(origin + path)) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == [expected]
