"""lazymcp/widget.js with the official host: npm's @modelcontextprotocol/client and the AppBridge of ext-apps, in Chromium."""

import asyncio
import shutil
import subprocess
from pathlib import Path
from typing import Annotated, Any

import pytest
import pytest_asyncio
from pydantic import BaseModel

from lazymcp import AppCSP, AppSpec, Base, Options, Scope, WidgetOnly, resource, tool, view_renderer
from lazyview import Views
from tests.flows.node import packages
from tests.flows.served import served
from tests.lazymcp.chromium import find_chromium, visit

HERE = Path(__file__).parent / "bridge"
#: Exact versions: what is judged is our script, not what was published today.
PACKAGES = (
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/core@2.4.0",
    "@modelcontextprotocol/ext-apps@2.0.4",
    "@modelcontextprotocol/server@2.4.0",
    "esbuild@0.28.2",
    "zod@4.6.7",
)


class Cart(BaseModel):
    count: int
    rows: Annotated[list[str], WidgetOnly] = []


class ShopMCP(Base):
    @tool(ui="ui://shop/cart")
    async def cart(self, number: int) -> Cart:
        """Show the cart."""
        return Cart(count=number, rows=["tea"])

    @tool(visibility=["app"])
    async def remove(self, number: int) -> dict[str, int]:
        """Remove an item, by its button."""
        return {"left": number - 1}

    @resource("app://shop/terms")
    async def terms(self) -> str:
        """The terms."""
        return "No returns."

    def cart_app(self) -> AppSpec:
        return AppSpec(
            desc="The cart.", title="Cart", view="cart", use_layout=True, display_modes=["inline", "fullscreen"], csp=AppCSP()
        )


@pytest.fixture(scope="module")
def script(request: pytest.FixtureRequest) -> str:
    """The host's script, bundled for a browser."""
    find_chromium()
    assert request.config.cache is not None
    node, folder = packages(request.config.cache, PACKAGES)
    shutil.copy(HERE / "host.mjs", folder)
    command = [node, "node_modules/esbuild/bin/esbuild", "host.mjs", "--bundle", "--format=esm", "--log-level=warning"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def log(script: str, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the host was told, in order."""
    scope = Scope(Options(views=view_renderer(Views([HERE]))))
    scope.register(ShopMCP())
    page = '<!doctype html><meta charset="utf-8"><body><script type="module" src="/host.js"></script>'
    files = {"/": ("text/html", page), "/host.js": ("text/javascript", script)}
    profile = tmp_path_factory.mktemp("chromium")
    async with served(scope.asgi()) as origin:
        found: list[dict[str, Any]] = await asyncio.to_thread(visit, files, profile, f"?mcp={origin}/mcp")
    return found


def told(log, kind):
    """What the host was told of this kind, by the bridge or by the page."""
    return [entry["value"] for entry in log if entry["kind"] == kind]


def said(log, kind):
    return [entry["value"] for entry in told(log, "said") if entry["kind"] == kind]


def test_the_official_host_has_nothing_to_complain_of(log):
    assert told(log, "broken") + told(log, "error") == []


def test_the_host_sees_the_tools_of_pages_and_the_page(log):
    """SEP-1865, "Client<>Server Capability Negotiation", with the official client."""
    assert told(log, "tools") == [["shop.cart", "shop.remove"]]
    assert told(log, "mimeType") == [True]


def test_the_page_introduces_itself(log):
    """SEP-1865, lifecycle: ui/initialize with what the page can do, then ui/notifications/initialized."""
    assert told(log, "app") == [[{"name": "Cart", "version": "1.0.0"}, {"availableDisplayModes": ["inline", "fullscreen"]}]]


def test_arguments_and_result_reach_the_page(log):
    """SEP-1865: tool-input-partial, tool-input, tool-result with its `_meta`."""
    assert said(log, "input") == [{"args": {"number": 1}, "partial": True}, {"args": {"number": 12}, "partial": False}]
    assert said(log, "result") == [{"data": {"count": 12}, "rows": ["tea"], "text": '{"count":12}', "isError": False}]


def test_the_page_wears_what_the_host_tells(log):
    """SEP-1865, "Theming" and "Host Context"."""
    assert said(log, "looks") == [["dark", "inline", "7px", "rgb(1, 2, 3)", 1]]
    assert said(log, "context") == [["dark", "inline", "shop.cart"], ["light", "fullscreen", "shop.cart"]]


def test_the_page_calls_tools_and_reads_resources_of_its_server(log):
    """SEP-1865: tools/call and resources/read from the page, over the host, to us and back."""
    assert said(log, "called") == [{"left": 2}]
    (failed,) = said(log, "failed")
    assert failed["isError"]
    assert said(log, "refused")[0][0] == -32602
    assert said(log, "read") == ["No returns."]


def test_the_page_asks_its_host(log):
    """SEP-1865: ui/open-link, ui/message, ui/update-model-context, ui/request-display-mode."""
    assert told(log, "link") == ["https://example.com/", "https://forbidden.example.com/"]
    assert said(log, "refused")[1] == "the host refused ui/open-link"
    assert told(log, "message") == [{"role": "user", "content": [{"type": "text", "text": "Buy it"}]}]
    assert told(log, "model") == [{"content": [{"type": "text", "text": "One item"}], "structuredContent": {"items": 1}}]
    assert told(log, "mode") == ["fullscreen"]
    assert said(log, "mode") == [["fullscreen", "fullscreen", "light"]]


def test_the_size_is_told_and_the_end_is_waited_for(log):
    """SEP-1865: ui/notifications/size-changed, ui/notifications/request-teardown, ui/resource-teardown."""
    heights = [size["height"] for size in told(log, "size")]
    assert heights[-1] >= heights[0] + 500
    assert said(log, "leaving") == [True]
    assert told(log, "teardown") == [{}]
