"""`/_lazy/preview`: its page, its calls and its frames, by HTTP."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio

import lazyapp.testing
from lazyapp.developing.preview_frame import ASSETS
from lazyapp.testing import Client
from lazyapp.testing.transport import InProcess
from tests.lazyapp.developing.gallery import GalleryMCP, gallery, people

pytestmark = pytest.mark.asyncio(loop_scope="module")

PREVIEW = "/_lazy/preview"


class Visitor:
    """Somebody with the page open."""

    def __init__(self, client: Client, module: GalleryMCP) -> None:
        self.client = client
        self.module = module

    async def post(self, path: str, body: Any, **options: Any) -> Any:
        return await self.client.post(f"{PREVIEW}{path}", json=body, **options)

    async def ask(self, method: str, params: Mapping[str, Any] | None = None, **caller: Any) -> dict[str, Any]:
        body = {"as": {"user": "ada", **caller}, "method": method, "params": params or {}}
        answer = await self.post("/mcp", body)
        assert answer.status == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def call(self, name: str, arguments: Mapping[str, Any] | None = None, **caller: Any) -> dict[str, Any]:
        return await self.ask("tools/call", {"name": name, "arguments": dict(arguments or {})}, **caller)

    async def frame(self, **wanted: Any) -> Any:
        return await self.post("/frames", {"as": {"user": "ada"}, "uri": "ui://gallery/picture", **wanted})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visitor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visitor]:
    folder = tmp_path_factory.mktemp("gallery")
    await people(folder)
    app, module = gallery(folder)
    async with lazyapp.testing.client(app, raise_errors=False) as client:
        yield Visitor(client, module)


async def test_the_page_runs_only_files_of_ours_and_embeds_only_frames_of_ours(visitor: Visitor) -> None:
    """docs/preview.md: what a tool returns is hostile, so the page never evaluates anything."""
    page = await visitor.client.get(PREVIEW)
    assert page.status == 200
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert policy.endswith("frame-src 'self'")
    assert "frame-ancestors 'none'" in policy


async def test_a_call_is_what_a_client_would_be_answered(visitor: Visitor) -> None:
    """MCP 2026-07-28, server/tools, over the application's own endpoint."""
    found = await visitor.call("gallery.show", {"name": "noon"})
    assert found["status"] == 200
    result = found["answer"]["result"]
    assert result["structuredContent"] == {"name": "noon", "seen_by": "ada"}
    assert result["_meta"]["rows"] == ["first", "second"]


async def test_headers_repeat_marked_arguments_and_what_is_told_on_the_way_is_kept(visitor: Visitor) -> None:
    """MCP 2026-07-28, "Custom headers from tool parameters"; notifications/progress."""
    found = await visitor.call("gallery.route", {"region": "Ångström"})
    assert found["answer"]["result"]["content"][0]["text"] == "Ångström by http"
    assert [message["method"] for message in found["before"]] == ["notifications/progress"]


async def test_a_failure_names_the_id_of_its_traceback(visitor: Visitor) -> None:
    """Design, section 3: a failing tool gives the model one safe sentence and an id."""
    found = await visitor.call("gallery.fall")
    assert found["answer"]["result"]["isError"]
    assert len(found["failure"]) == 8
    page = await visitor.client.get(f"/_lazy/errors/{found['failure']}")
    page.see("the frame fell down")
    assert (await visitor.call("gallery.refuse"))["failure"] == ""


async def test_grants_and_scopes_are_those_that_were_chosen(visitor: Visitor) -> None:
    """lazymcp's authorizer and a tool's scopes, by the claims that a token would carry."""
    unknown = await visitor.call("secret.word", user="bob")
    assert unknown["answer"]["error"]["code"] == -32602
    assert "result" in (await visitor.call("secret.word", user="bob", mcps=["secret"]))["answer"]
    assert "error" in (await visitor.call("gallery.show", mcps=[]))["answer"]
    assert (await visitor.call("gallery.publish", scopes=["mcp"]))["status"] == 403
    assert (await visitor.call("gallery.publish"))["answer"]["result"]["content"][0]["text"] == "printed"


@pytest.mark.parametrize("user", ["nobody", "", "eve", "__proto__"])
async def test_nobody_else_is_called_as(visitor: Visitor, user: str) -> None:
    """A user who is not there, or is disabled, gets no token either."""
    answer = await visitor.post("/mcp", {"as": {"user": user}, "method": "tools/list", "params": {}})
    assert answer.status == 422
    assert "nobody here is called" in answer.json()["problem"]


async def test_the_browser_that_leaves_cancels_the_call(visitor: Visitor) -> None:
    """MCP 2026-07-28: a client that disconnects has cancelled."""
    calling = asyncio.create_task(visitor.call("gallery.wait"))
    await visitor.module.waiting.wait()
    calling.cancel()
    await visitor.module.cancelled.wait()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"method": "subscriptions/listen"}', 400),
        (b'{"method": "tools/list", "params": []}', 400),
        (b'{"method": ["tools/list"]}', 400),
        (b'{"as": [1], "method": "tools/list"}', 422),
        (b'{"as": {"user": "\\ud800"}, "method": "tools/list"}', 422),
        (b'{"as": {"user": "ada", "mcps": {}, "scopes": [1]}, "method": "tools/call", "params": {"name": 1}}', 200),
        (b'{"as": {"user": "ada"}, "method": "tools/call", "params": {"name": "gallery.show", "_meta": 1, "arguments": 1}}', 200),
        (b'{"as": {"user": "ada"}, "method": "tools/call", "params": {"name": "\\ud800"}}', 200),
        (b'{"as": {"user": "ada"}, "method": "tools/list", "params": ' + b'{"a":' * 900 + b"1" + b"}" * 901, 422),
        (b"x" * (8 * 1024 * 1024 + 1), 413),
    ],
)
async def test_nothing_that_is_posted_breaks_it(visitor: Visitor, body: bytes, status: int) -> None:
    """Untrusted input gives no 500."""
    answer = await visitor.client.post(f"{PREVIEW}/mcp", content=body, headers={"content-type": "application/json"})
    assert answer.status in (status, 200) if status == 422 and len(body) > 4000 else answer.status == status, answer.text[:300]


async def test_no_form_of_another_site_can_say_the_same(visitor: Visitor) -> None:
    """Fetch, CORS-safelisted request-header: a form cannot send JSON, and another origin is not at home here."""
    text = {"content-type": "text/plain"}
    assert (await visitor.client.post(f"{PREVIEW}/mcp", content=b"{}", headers=text)).status == 415
    foreign = {"origin": "http://localhost:8080", "sec-fetch-site": "same-site"}
    assert (await visitor.post("/mcp", {}, headers=foreign)).status == 404
    assert (await visitor.client.get(f"{PREVIEW}/mcp")).status == 405
    assert (await visitor.client.get(f"{PREVIEW}/elsewhere")).status == 404
    assert (await visitor.client.post(f"{PREVIEW}/callers", data={})).status == 405


async def test_the_frame_has_an_opaque_origin_and_the_policy_that_the_page_asked_for(visitor: Visitor) -> None:
    """SEP-1865, "UI resource metadata": csp becomes the frame's policy."""
    told = (await visitor.frame()).json()
    assert told["csp"]["connect"] == ["https://api.example.com"]
    assert (told["allow"], told["problems"]) == ("geolocation", [])
    frame = await visitor.client.get(told["url"])
    policy = frame.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-forms; frame-ancestors 'self'; default-src 'none'")
    assert "allow-same-origin" not in policy
    assert "connect-src https://api.example.com;" in policy
    assert frame.text.startswith("<!doctype html><script>//")


async def test_without_a_policy_the_frame_is_opaque_all_the_same(visitor: Visitor) -> None:
    """docs/preview.md: CSP on or off."""
    frame = await visitor.client.get((await visitor.frame(csp=False)).json()["url"])
    assert frame.headers["content-security-policy"] == "sandbox allow-scripts allow-forms; frame-ancestors 'self'"


async def test_a_page_that_is_known_is_not_kept_again(visitor: Visitor) -> None:
    """docs/preview.md: the widget is loaded again when its file changes, and only then."""
    digest = (await visitor.frame()).json()["digest"]
    assert "url" not in (await visitor.frame(known=digest)).json()
    assert "url" in (await visitor.frame(known="other")).json()


async def test_what_is_no_page_is_refused_in_words(visitor: Visitor) -> None:
    """Errors are those of resources/read."""
    answer = await visitor.frame(uri="ui://gallery/none")
    assert answer.status == 422
    assert "could not be read" in answer.json()["problem"]


async def test_who_there_is_to_call_as(visitor: Visitor) -> None:
    """The store's users, without those who are locked out; the one of the settings first."""
    known = (await visitor.client.get(f"{PREVIEW}/callers")).json()
    assert known["users"] == [{"id": "ada", "mcps": ["*"]}, {"id": "bob", "mcps": ["gallery"]}]
    assert (known["modules"], known["scopes"]) == (["gallery", "secret"], ["mcp", "prints"])


async def test_without_oauth_nobody_calls(tmp_path: Path) -> None:
    """Design, section 4: no claims, open."""
    app, module = gallery(tmp_path, has_oauth=False)
    async with lazyapp.testing.client(app) as client:
        visitor = Visitor(client, module)
        assert (await visitor.call("gallery.show"))["answer"]["result"]["structuredContent"]["seen_by"] == "nobody"
        assert (await client.get(f"{PREVIEW}/callers")).json()["oauth"] is False


async def test_without_modules_it_says_so(tmp_path: Path) -> None:
    app, _ = gallery(tmp_path, has_oauth=False, mcp=None)
    async with lazyapp.testing.client(app) as client:
        answer = await client.post(f"{PREVIEW}/mcp", json={"method": "tools/list"})
        assert (answer.status, "no MCP modules" in answer.json()["problem"]) == (409, True)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["", "/mcp", "/frames", "/frames/x", "/callers"])
async def test_another_machine_finds_nothing(visitor: Visitor, method: str, path: str) -> None:
    """docs/preview.md: nothing of the preview is reachable from another address."""
    transport = InProcess(visitor.client.app, client=("192.0.2.7", 50000))
    async with httpx2.AsyncClient(transport=transport, base_url=visitor.client.url) as stranger:
        answer = await stranger.request(method, PREVIEW + path, json={"as": {"user": "ada"}, "method": "tools/list"})
    assert (answer.status_code, answer.text) == (404, "Not Found\n")


async def test_a_widget_cannot_ask_what_its_page_asks(visitor: Visitor) -> None:
    """Fetch: a frame of an opaque origin says `Origin: null`, and to the door it is another site."""
    widget = {"origin": "null", "sec-fetch-site": "cross-site"}
    assert (await visitor.post("/mcp", {"as": {"user": "ada"}, "method": "tools/list"}, headers=widget)).status == 404
    url = (await visitor.frame()).json()["url"]
    assert (await visitor.client.get(url, headers={"sec-fetch-site": "cross-site"})).status == 404


@pytest.mark.parametrize("script", sorted(ASSETS.glob("preview*.js")), ids=lambda path: path.name)
async def test_no_script_makes_html_or_code_of_text(script: Path) -> None:
    """docs/preview.md: what tools and widgets send is hostile. Trusted Types, section 4: the sinks of a document."""
    sinks = r"\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|createContextualFragment|eval|Function|document\.write)\b\s*[(=]"
    code = re.sub(r"^\s*//.*$", "", script.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert re.findall(sinks, code) == []
    assert "://" not in code, "nothing is loaded from elsewhere"


@pytest.mark.parametrize("path", ["", "/mcp", "/frames", "/frames/x", "/callers"])
async def test_production_knows_nothing_of_it(tmp_path: Path, path: str) -> None:
    """docs/preview.md: nothing of the preview is reachable in production."""
    app, _ = gallery(tmp_path, has_oauth=False, env="production", origin="https://gallery.example.com", mcp=None)
    async with lazyapp.testing.client(app) as client:
        assert (await client.get(PREVIEW + path)).status == 404
