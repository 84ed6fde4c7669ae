import json
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference
from sqlalchemy.ext.asyncio import create_async_engine

import lazyauth
import lazymcp
from app import VIEWS
from app.mcps.admin_mcp import AdminMCP
from app.services.accounts import open_accounts
from lazyview import Views
from tests.app.migrated import migrate

ADMIN = lazyauth.User("admin")


@pytest.fixture
async def accounts(sqlite_url):
    engine = create_async_engine(sqlite_url)
    await migrate(engine)
    async for accounts in open_accounts(engine):
        yield accounts
    await engine.dispose()


@pytest.fixture
def scope(accounts):
    scope = lazymcp.Scope(lazymcp.Options(views=lazymcp.view_renderer(Views([VIEWS]))))
    scope.register(AdminMCP(accounts))
    return scope


@asynccontextmanager
async def connected(scope, user):
    """The official client, talking to the module in this process as somebody or nobody."""
    endpoint = scope.asgi()

    async def app(asgi_scope, receive, send):
        if user is None:
            return await endpoint(asgi_scope, receive, send)
        with lazyauth.signed_in(user):
            return await endpoint(asgi_scope, receive, send)

    async with (
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http,
        Client(streamable_http_client("http://localhost/mcp", http_client=http)) as client,
    ):
        yield client


def text_of(result):
    return result.contents[0].text


async def test_the_module_is_called_admin_and_offers_what_the_home_page_says(scope):
    """issue 2, "The example app": two tools, two resources, a prompt, a skill, a dashboard."""
    assert scope.summary() == [lazymcp.ModuleSummary("admin", tools=2, resources=2, prompts=1, skills=1, apps=1)]


async def test_users_are_counted_for_the_model_and_listed_for_the_page(scope):
    """The promise "Export MCP Apps": structuredContent is concise, rows go to _meta."""
    async with connected(scope, ADMIN) as client:
        everyone = await client.call_tool("admin.user_count")
        active = await client.call_tool("admin.user_count", {"active": True})
    assert everyone.structured_content == {"count": 3}
    assert active.structured_content == {"count": 2}
    assert active.meta["rows"] == [{"email": "ada@example.com", "active": True}, {"email": "grace@example.com", "active": True}]


async def test_a_report_is_the_same_in_the_other_spelling(scope):
    seen = []

    async def progress(done, total, message):
        seen.append((done, total))

    async with connected(scope, ADMIN) as client:
        report = await client.call_tool("admin.user_report", {"active": False}, progress_callback=progress)
    assert report.structured_content == {"count": 1}
    assert seen == [(1, 2)]


async def test_nobody_counts_without_signing_in(scope):
    """The promise "Define a module": the tool itself asks for a user."""
    async with connected(scope, None) as client:
        for tool in ("admin.user_count", "admin.user_report"):
            refused = await client.call_tool(tool)
            assert refused.is_error
            assert refused.content[0].text == "sign in required"


async def test_users_are_resources(scope):
    async with connected(scope, ADMIN) as client:
        users = await client.read_resource("app://admin/users")
        ada = await client.read_resource("app://admin/users/ADA%40example.com")
        for unknown in ("eve%40example.com", "nobody", "%00"):
            with pytest.raises(MCPError):
                await client.read_resource(f"app://admin/users/{unknown}")
    assert [row["email"] for row in json.loads(text_of(users))] == ["ada@example.com", "alan@example.com", "grace@example.com"]
    assert json.loads(text_of(ada)) == {"email": "ada@example.com", "active": True}


async def test_the_address_of_a_user_completes_while_it_is_typed(scope):
    """MCP, server/utilities/completion."""
    user = ResourceTemplateReference(type="ref/resource", uri="app://admin/users/{email}")
    async with connected(scope, ADMIN) as client:
        offered = {typed: await client.complete(user, {"name": "email", "value": typed}) for typed in ("A", "gr", "x")}
    assert {typed: found.completion.values for typed, found in offered.items()} == {
        "A": ["ada@example.com", "alan@example.com"],
        "gr": ["grace@example.com"],
        "x": [],
    }


async def test_the_prompt_takes_a_date_or_does_without(scope):
    async with connected(scope, ADMIN) as client:
        plain = await client.get_prompt("admin.audit")
        dated = await client.get_prompt("admin.audit", {"since": "Monday"})
    assert plain.messages[0].content.text == "Summarise the admin audit events since yesterday."
    assert dated.messages[0].content.text == "Summarise the admin audit events since Monday."


async def test_the_skill_brings_its_supporting_file(scope):
    """The promise "Export skills"."""
    async with connected(scope, ADMIN) as client:
        skill = text_of(await client.read_resource("skill://admin/oncall/SKILL.md"))
        support = text_of(await client.read_resource("skill://admin/oncall/references/escalation.md"))
    assert "name: oncall" in skill
    assert "references/escalation.md" in skill
    assert support.startswith("# Escalation")


async def test_the_dashboard_is_one_whole_page(scope):
    """The promise "Export MCP Apps": rendered from app/views/mcp/admin/dashboard, in the layout mcp_app."""
    async with connected(scope, ADMIN) as client:
        page = (await client.read_resource("ui://admin/dashboard")).contents[0]
    assert page.mime_type == "text/html;profile=mcp-app"
    assert page.text.lstrip().startswith("<!doctype html>")
    assert "const lazy =" in page.text
    assert 'lazy.call("admin.user_count"' in page.text
    assert page.meta["ui"]["domain"] == "https://mcp.example.com"
