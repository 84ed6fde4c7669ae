"""A module with one of everything, spelled with specs, judged by the official client, in both eras, without a web framework.

`lazymcp` stands alone here: the scope is an ASGI application, the transport is in memory, and who is signed in is said by the test.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp.client
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

import lazyauth
import lazymcp
from lazymcp import AppSpec, Options, PromptSpec, RegistrationError, ResourceSpec, Scope, ToolSpec
from lazyview import Views
from tests.flows.python_clients import plain
from tests.flows.seed_module import AdminMCP


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "oncall"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: oncall\ndescription: What to do when the pager rings.\n---\nBreathe.\n")
    (folder / "references" / "phones.md").write_text("112\n")
    return folder


@pytest.fixture
def views(tmp_path: Path) -> Views:
    folder = tmp_path / "views" / "mcp" / "admin"
    folder.mkdir(parents=True)
    (folder / "dashboard.html.j2").write_text("<h1>Dashboard</h1>")
    return Views([tmp_path / "views"])


Serve = Callable[..., Any]


@pytest.fixture(params=["auto", "legacy"])
def served_with(request: pytest.FixtureRequest, skill: Path, views: Views) -> Serve:
    """A client of the module, for a user with the claims that are given; None: nobody has signed in and nothing was validated."""

    @asynccontextmanager
    async def serve(claims: dict[str, Any] | None, **options: Any) -> AsyncIterator[mcp.client.Client]:
        scope = Scope(Options(views=lazymcp.view_renderer(views), **options))
        scope.register(AdminMCP(skill))
        endpoint = scope.asgi()

        async def app(asgi: Any, receive: Any, send: Any) -> None:
            if claims is None:
                return await endpoint(asgi, receive, send)
            with lazyauth.signed_in(lazyauth.User("ada"), lazyauth.Claims(claims)):
                return await endpoint(asgi, receive, send)

        transport = httpx2.ASGITransport(app)
        async with (
            httpx2.AsyncClient(transport=transport) as http,
            mcp.client.Client(streamable_http_client("http://localhost/mcp", http_client=http), mode=request.param) as client,
        ):
            yield client

    return serve


EVERYTHING = {"sub": "ada", "mcps": ["*"]}


@pytest.mark.requirement("SEED-9")
async def test_a_tool_asks_who_is_signed_in(served_with):
    async with served_with(EVERYTHING) as client:
        called = plain(await client.call_tool("admin.user_count", {"active": True}))
        assert called["structuredContent"] == {"count": 2}
    async with served_with(None) as client:
        called = plain(await client.call_tool("admin.user_count", {}))
        assert called["isError"]
        assert "sign in" in called["content"][0]["text"].lower()


@pytest.mark.requirement("SEED-8", "SEED-10", "SEED-11", "SEED-22")
async def test_a_tool_is_named_typed_and_linked_by_its_spec(served_with):
    async with served_with(EVERYTHING) as client:
        tools = {tool["name"]: tool for tool in plain(await client.list_tools())["tools"]}
    assert tools.keys() == {f"admin.{name}" for name in ("user_count", "dashboard_rows", "dynamic", "transport", "purge")}
    count = tools["admin.user_count"]
    assert count["description"] == "Count users."
    assert count["inputSchema"]["properties"]["active"]["type"] == "boolean", "one parameter called params is flattened"
    assert count["outputSchema"]["properties"]["count"]["type"] == "integer"
    assert count["_meta"]["ui"]["resourceUri"] == "ui://admin/dashboard"
    assert tools["admin.dynamic"]["outputSchema"]["properties"] == {"anything": {"type": "string"}}


@pytest.mark.requirement("SEED-17", "SEED-19")
async def test_resources_are_listed_and_read(served_with):
    async with served_with(EVERYTHING) as client:
        listed = {entry["uri"]: entry for entry in plain(await client.list_resources())["resources"]}
        users, about = (
            plain(await client.read_resource("app://admin/users")),
            plain(await client.read_resource("app://admin/about")),
        )
    assert listed["app://admin/users"]["mimeType"] == "application/json"
    assert listed["app://admin/users"]["description"] == "Current user summary."
    (content,) = users["contents"]
    assert (content["mimeType"], json.loads(content["text"])) == ("application/json", {"count": 3})
    assert about["contents"][0]["text"] == "about"


@pytest.mark.requirement("SEED-18", "SEED-19")
async def test_prompts_are_messages_or_made_from_arguments(served_with):
    async with served_with(EVERYTHING) as client:
        names = [prompt["name"] for prompt in plain(await client.list_prompts())["prompts"]]
        fixed, made = plain(await client.get_prompt("admin.audit")), plain(await client.get_prompt("admin.greet", {"who": "Ada"}))
    assert sorted(names) == ["admin.audit", "admin.greet"]
    assert fixed["messages"] == [{"role": "user", "content": {"type": "text", "text": "Summarize the latest admin audit events."}}]
    assert made["messages"][0]["content"]["text"] == "Greet Ada."


@pytest.mark.requirement("SEED-20", "SEED-21")
async def test_a_folder_is_a_skill(served_with):
    async with served_with(EVERYTHING) as client:
        index = json.loads(plain(await client.read_resource("skill://index.json"))["contents"][0]["text"])
        manual = plain(await client.read_resource("skill://admin/oncall/SKILL.md"))["contents"][0]["text"]
        phones = plain(await client.read_resource("skill://admin/oncall/references/phones.md"))["contents"][0]["text"]
    assert "skill://admin/oncall/SKILL.md" in json.dumps(index)
    assert manual.endswith("Breathe.\n")
    assert phones == "112\n"


@pytest.mark.requirement("SEED-4", "SEED-23", "SEED-24", "SEED-25")
async def test_an_app_is_a_rendered_view_with_its_policy_in_list_and_read(served_with):
    async with served_with(EVERYTHING) as client:
        listed = {entry["uri"]: entry for entry in plain(await client.list_resources())["resources"]}
        (read,) = plain(await client.read_resource("ui://admin/dashboard"))["contents"]
    assert read["mimeType"] == listed["ui://admin/dashboard"]["mimeType"] == "text/html;profile=mcp-app"
    assert "<h1>Dashboard</h1>" in read["text"]
    assert read["text"].lstrip().lower().startswith("<!doctype html>"), "it wears the layout mcp_app"
    for place in (listed["ui://admin/dashboard"], read):
        ui = place["_meta"]["ui"]
        assert ui["domain"] == "https://mcp.example.com"
        assert ui["csp"]["connectDomains"] == ["https://api.example.com"]
        assert ui["csp"]["resourceDomains"] == ["https://static.example.com"]
        assert place["_meta"]["openai/widgetDomain"] == "https://mcp.example.com"
        assert place["_meta"]["openai/widgetCSP"]["connect_domains"] == ["https://api.example.com"]


@pytest.mark.requirement("SEED-24", "SEED-25")
async def test_a_page_may_be_static_and_an_empty_policy_is_a_policy(served_with):
    async with served_with(EVERYTHING) as client:
        (read,) = plain(await client.read_resource("ui://admin/static"))["contents"]
    assert read["text"] == "<!doctype html><title>Static</title>"
    assert read["_meta"]["ui"]["csp"]["connectDomains"] == []
    assert read["_meta"]["ui"]["csp"]["resourceDomains"] == []


@pytest.mark.requirement("SEED-26", "SEED-27", "SEED-28")
async def test_what_only_the_page_sees_travels_in_meta(served_with):
    async with served_with(EVERYTHING) as client:
        called = plain(await client.call_tool("admin.dashboard_rows", {}))
    assert called["structuredContent"] == {"count": 2}
    assert json.loads(called["content"][0]["text"]) == {"count": 2}
    assert called["_meta"]["rows"] == ["ada", "grace"]


@pytest.mark.requirement("SEED-29")
@pytest.mark.parametrize(
    ("claims", "sees"),
    [(None, True), ({"mcps": ["admin"]}, True), ({"mcps": ["*"]}, True), ({"mcps": ["other"]}, False), ({}, False)],
)
async def test_the_mcps_claim_opens_modules(served_with, claims, sees):
    async with served_with(claims if claims is None else {"sub": "ada", **claims}) as client:
        assert bool(plain(await client.list_tools())["tools"]) is sees
        if not sees:
            with pytest.raises(MCPError):
                await client.call_tool("admin.dashboard_rows", {})


@pytest.mark.requirement("SEED-30")
async def test_an_authorizer_replaces_the_rule(served_with):
    def authorizer(claims: lazyauth.Claims | None, module: str) -> bool:
        return claims is not None and claims.has_scope(f"mcp:{module}")

    async with served_with({"sub": "ada", "scope": "mcp:admin"}, authorizer=authorizer) as client:
        assert plain(await client.list_tools())["tools"]
    async with served_with(EVERYTHING, authorizer=authorizer) as client:
        assert not plain(await client.list_tools())["tools"]


@pytest.mark.requirement("SEED-31")
async def test_a_tool_decides_about_the_operation_itself(served_with):
    async with served_with(EVERYTHING) as client:
        assert plain(await client.call_tool("admin.purge", {}))["isError"]
    async with served_with({**EVERYTHING, "scope": "mcp:admin"}) as client:
        assert plain(await client.call_tool("admin.purge", {}))["content"][0]["text"] == "purged"


@pytest.mark.requirement("SEED-6")
async def test_a_module_knows_its_transport(served_with):
    async with served_with(None, endpoint="https://example.com/mcp") as client:
        called = plain(await client.call_tool("admin.transport", {}))
    assert called["content"][0]["text"] == "http https://example.com/mcp"


@pytest.mark.requirement("SEED-12")
@pytest.mark.parametrize("kind", ["tool", "resource", "prompt", "app"])
def test_nothing_is_published_without_a_description(kind):
    class BareMCP(lazymcp.Base):
        async def bare(self) -> str:
            return "bare"

    specs = {
        "tool": lambda self: ToolSpec(fn=self.bare),
        "resource": lambda self: ResourceSpec(uri="app://bare", read=self.bare),
        "prompt": lambda self: PromptSpec(fn=self.bare),
        "app": lambda self: AppSpec(html="<!doctype html>"),
    }
    setattr(BareMCP, f"bare_{kind}", specs[kind])
    with pytest.raises(RegistrationError, match=r"test_seed\w*\.py:\d+: .* has no description"):
        Scope().register(BareMCP())


@pytest.mark.requirement("SEED-5i")
def test_modules_are_registered_before_serving(skill):
    scope = Scope()
    scope.asgi()
    with pytest.raises(RegistrationError):
        scope.register(AdminMCP(skill))
