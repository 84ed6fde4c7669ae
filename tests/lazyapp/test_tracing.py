"""lazyapp/tracing.py: where tracing is set up, requests, functions of modules and views have spans; elsewhere nothing is."""

import asyncio
from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import pytest
from fastapi import Depends
from fastapi.testclient import TestClient
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import lazyapp
import lazymcp
from lazyapp.settings import Settings
from lazyapp.tracing import spans
from lazymcp import Context, ToolError, tool

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OTHER = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What is exported while a provider is set up, for this test alone: the public way sets it up once a process."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield exporter
    provider.shutdown()


def stamp() -> str:
    return "stamped"


class Shop(lazymcp.Base):
    name = "shop"

    @tool
    async def buy(self, word: str, by: Annotated[str, Depends(stamp)]) -> str:
        """Buy."""
        return by

    @tool
    async def refuse(self) -> str:
        """Refuse."""
        raise ToolError("the secret of the shop")

    @tool
    async def ask(self, ctx: Context) -> str:
        """Ask."""
        await ctx.elicit_url("https://example.com/pay", "Pay.")
        return "paid"

    @lazymcp.resource("app://shop/{item}")
    async def item(self, item: str) -> str:
        """One item."""
        return item


class PagesController(lazyapp.Controller):
    layout = None

    async def index(self) -> dict[str, Any]:
        return {}


def make(tmp_path: Any) -> lazyapp.App:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.html.j2").write_text("hello")
    config = lazyapp.Config(
        name="shop",
        views=tmp_path,
        drawer=lambda routes: routes.resources("pages", PagesController, only=["index"]),
        mcp=lambda ctx, scope: scope.register(Shop()),
    )
    return lazyapp.App(config, settings=Settings(env="test", root=tmp_path, given_public_url="http://testserver"))


def call(client: TestClient, method: str, named: str, params: dict[str, Any], **meta: Any) -> Any:
    capabilities = {"elicitation": {"form": {}, "url": {}}}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        **meta,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        "Mcp-Name": named,
        "traceparent": f"00-{OTHER}-b7ad6b7169203331-01",
    }
    return client.post("/mcp?code=secret", json=body, headers=headers).json()


def named(exported: InMemorySpanExporter, name: str) -> ReadableSpan:
    (found,) = (span for span in exported.get_finished_spans() if span.name == name)
    return found


def trace_of(span: ReadableSpan) -> str:
    return format(span.get_span_context().trace_id, "032x")


def test_a_call_is_a_span_within_its_request_and_says_no_secret(tmp_path, exported):
    """OpenTelemetry, semantic conventions for MCP. RFC 9700, section 4.3.2: no query string; nor what was said, sent or raised."""
    with TestClient(make(tmp_path)) as client:
        arguments = {"name": "shop.buy", "arguments": {"word": "secret"}}
        assert call(client, "tools/call", "shop.buy", arguments)["result"]["content"][0]["text"] == "stamped"
        call(client, "tools/call", "shop.refuse", {"name": "shop.refuse", "arguments": {}})
        call(client, "resources/read", "app://shop/secret", {"uri": "app://shop/secret"})
    bought, refused = named(exported, "tools/call shop.buy"), named(exported, "tools/call shop.refuse")
    assert dict(bought.attributes or {}) == {"mcp.method.name": "tools/call", "gen_ai.tool.name": "shop.buy"}
    assert trace_of(bought) == OTHER
    assert bought.parent is not None
    request = next(span for span in exported.get_finished_spans() if span.get_span_context().span_id == bought.parent.span_id)
    assert request.name == "POST /mcp"
    assert (refused.status.status_code.name, (refused.attributes or {})["error.type"]) == ("ERROR", "ToolError")
    read = named(exported, "resources/read app://shop/{item}")
    assert (read.attributes or {})["mcp.resource.uri"] == "app://shop/{item}"
    assert "secret" not in "".join(span.to_json() for span in exported.get_finished_spans())


def test_the_trace_in_a_message_goes_before_that_of_its_request(tmp_path, exported):
    """MCP 2026-07-28, basic/index; the request is linked."""
    with TestClient(make(tmp_path)) as client:
        arguments = {"name": "shop.buy", "arguments": {"word": "x"}}
        call(client, "tools/call", "shop.buy", arguments, traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")
    bought = named(exported, "tools/call shop.buy")
    assert trace_of(bought) == TRACE
    assert [format(link.context.trace_id, "032x") for link in bought.links] == [OTHER]


def test_a_question_to_the_client_is_no_failure(tmp_path, exported):
    with TestClient(make(tmp_path)) as client:
        told = call(client, "tools/call", "shop.ask", {"name": "shop.ask", "arguments": {}})
        assert told["result"]["resultType"] == "input_required"
    assert named(exported, "tools/call shop.ask").status.status_code.name == "UNSET"


def test_a_page_is_a_span_with_its_route_and_its_view(tmp_path, exported):
    """docs/logs.md, "Traces": FastAPI's own support, and spans for views."""
    with TestClient(make(tmp_path)) as client:
        assert "hello" in client.get("/pages?code=secret").text
    view = named(exported, "render pages/index")
    assert trace_of(view) == trace_of(named(exported, "GET /pages"))
    assert "secret" not in "".join(span.to_json() for span in exported.get_finished_spans())


def test_without_a_provider_nothing_stands_in_any_path(tmp_path):
    """Design, section 9: off costs nothing; test_logs.py counts the steps to a tool."""
    assert spans() is None
    app = make(tmp_path)

    @asynccontextmanager
    async def opened() -> Any:
        async with app.router.lifespan_context(app):
            yield

    async def main() -> None:
        async with opened():
            assert app._traced is None
            assert app.views.around is None

    asyncio.run(main())


def test_what_was_set_up_for_a_run_ends_with_it(tmp_path, exported):
    app = make(tmp_path)
    with TestClient(app):
        assert app._traced
        assert app.views.around
    assert app._traced is None
    assert app.views.around is None
