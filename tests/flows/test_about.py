"""The MCP server about the application, on a real `lazyapp serve`: for the official client here, and for nobody else."""

import subprocess
import sys
from pathlib import Path

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.flows.serving import PASSWORD, ROOT, SECRET_KEY, Server, environment_for, free_port

PATH = "/_lazy/mcp"
LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}
#: RFC 7239 and the habits of tunnels; DNS rebinding; Fetch Metadata.
STRANGERS = (
    {"X-Forwarded-For": "203.0.113.7"},
    {"Forwarded": "for=203.0.113.7"},
    {"CF-Connecting-IP": "203.0.113.7"},
    {"Host": "example.com"},
    {"Host": "rebound.example.com:80"},
    {"Origin": "https://example.com"},
    {"Origin": "http://localhost:1"},
    {"Sec-Fetch-Site": "cross-site"},
)


async def test_an_agent_finds_out_what_went_wrong(tmp_path: Path) -> None:
    """docs/about.md: an MCP server about the app itself. The official Python client, without a login."""
    with Server(tmp_path / "log", {}) as server:
        async with httpx2.AsyncClient(base_url=server.url) as browser:
            assert (await browser.get("/accounts/x/enable")).status_code in (404, 405)
        async with Client(f"{server.url}{PATH}") as agent:
            told = await agent.call_tool("list_requests", {"errors_only": True})
            assert "/accounts/x/enable" in str(told.structured_content)
            called = await agent.call_tool("call_tool", {"tool": "admin.user_count"})
            assert called.structured_content["structured"] == {"count": 3}
            rows = await agent.call_tool("query_database", {"sql": "select email from accounts order by email"})
            assert rows.structured_content["rows"][0] == ["ada@example.com"]
            refused = await agent.call_tool("query_database", {"sql": "with d as (delete from accounts returning 1) select 1"})
            assert refused.is_error
            settings = str((await agent.call_tool("list_settings", {})).structured_content)
            assert PASSWORD not in settings
            assert SECRET_KEY not in settings


async def test_nobody_else_is_told_that_it_is_there(tmp_path: Path) -> None:
    """docs/about.md: it is not there for another address. DNS rebinding; Fetch Metadata Request Headers, section 2.4."""
    with Server(tmp_path / "log", {}) as server:
        async with httpx2.AsyncClient(base_url=server.url) as client:
            assert (await client.post(PATH, json=LIST, headers=HEADERS)).status_code == 200
            for stranger in STRANGERS:
                answer = await client.post(PATH, json=LIST, headers=HEADERS | stranger)
                assert answer.status_code in (404, 421), stranger
                assert "list_errors" not in answer.text


async def test_production_does_not_have_it(tmp_path: Path) -> None:
    """docs/about.md: nothing of it is reachable in production."""
    port = free_port()
    database = f"sqlite:///{tmp_path / 'app.db'}"
    environment = {"LAZYAPP_ENV": "production", "DATABASE_URL": database, "PUBLIC_URL": f"http://localhost:{port}"}
    with Server(tmp_path / "log", environment, options=("--production",), port=port) as server:
        async with httpx2.AsyncClient(base_url=server.url) as client:
            assert (await client.get("/accounts")).status_code == 200
            for path in (PATH, f"{PATH}/", "/_lazy", "/_lazy/docs", "/_lazy/docs/tools.md"):
                assert (await client.post(path, json=LIST, headers=HEADERS)).status_code in (404, 405), path
                assert (await client.get(path)).status_code == 404, path


async def test_a_local_process_tells_what_it_can(tmp_path: Path) -> None:
    """MCP 2026-07-28, basic/transports/stdio; docs/about.md, "Over stdio"."""
    environment = environment_for({"DATABASE_URL": f"sqlite:///{tmp_path / 'app.db'}"})
    process = StdioServerParameters(
        command=sys.executable, args=["-m", "lazyapp", "mcp", "stdio", "--about"], cwd=ROOT, env=environment
    )
    async with Client(stdio_client(process)) as agent:
        assert "accounts#index" in str((await agent.call_tool("list_routes", {})).structured_content)
        called = await agent.call_tool("call_tool", {"tool": "admin.user_count"})
        assert called.structured_content["structured"] == {"count": 3}
        assert (await agent.call_tool("get_page", {"path": "/accounts"})).structured_content["status"] == 200
        errors = await agent.call_tool("list_errors", {})
        assert errors.is_error
        assert "/_lazy/mcp" in errors.content[0].text


def test_production_has_no_local_process_about_itself(tmp_path: Path) -> None:
    """docs/about.md: nothing of it in production."""
    environment = environment_for({"LAZYAPP_ENV": "production", "DATABASE_URL": f"sqlite:///{tmp_path / 'app.db'}"})
    command = [sys.executable, "-m", "lazyapp", "mcp", "stdio", "--about"]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--about is for development" in done.stderr
