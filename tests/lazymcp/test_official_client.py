"""The official SDK's client, unmodified, over a real uvicorn and over stdio, once for each era."""

import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from lazymcp import Scope
from tests.flows.served import served
from tests.lazymcp.admin_module import AdminMCP

MODES = ["legacy", "auto", "2026-07-28"]
ROOT = Path(__file__).parents[2]


async def tour(client):
    """What a client does with a server that it meets."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools["admin.user_count"].output_schema["type"] == "object"
    result = await client.call_tool("admin.user_count", {"active": True})
    assert result.structured_content == {"count": 2}
    assert [row["email"] for row in result.meta["rows"]] == ["ada@example.com", "é@example.com"]
    seen = []

    async def on_progress(progress, total, message):
        seen.append((progress, total))

    report = await client.call_tool("admin.user_report", {}, progress_callback=on_progress)
    assert report.structured_content == {"count": 3}
    assert seen == [(1, 2)]
    assert (await client.call_tool("admin.user_count", {"activ": True})).is_error
    (page,) = (await client.read_resource("ui://admin/dashboard")).contents
    assert page.mime_type == "text/html;profile=mcp-app"
    assert page.meta["ui"]["domain"] == "https://mcp.example.com"
    assert (await client.read_resource("app://admin/users/bob@example.com")).contents
    assert (await client.list_resource_templates()).resource_templates
    assert (await client.read_resource("skill://admin/oncall/SKILL.md")).contents[0].text.startswith("---")
    prompt = await client.get_prompt("admin.audit", {"since": "May"})
    assert prompt.messages[0].content.text == "Summarise the admin audit events since May."


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_client_is_at_home_over_http(mode):
    scope = Scope()
    scope.register(AdminMCP())
    async with served(scope.asgi()) as origin, Client(streamable_http_client(f"{origin}/mcp"), mode=mode) as client:
        await tour(client)


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_client_is_at_home_over_stdio(mode):
    imports = "import asyncio; from lazymcp import Scope; from tests.lazymcp.admin_module import AdminMCP"
    program = f"{imports}; s = Scope(); s.register(AdminMCP()); print('stray'); asyncio.run(s.serve_stdio())"
    parameters = StdioServerParameters(command=sys.executable, args=["-c", program], cwd=ROOT)
    with Path("/dev/null").open("w") as nowhere:
        async with Client(stdio_client(parameters, errlog=nowhere), mode=mode) as client:
            await tour(client)
