"""`lazyapp mcp stdio`, started by the official client as a desktop program would start it."""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import mcp.client
import pytest
from mcp.client.stdio import StdioServerParameters

from tests.flows.journey import TOOL
from tests.flows.python_clients import plain, sdk_journey
from tests.flows.serving import ROOT, environment_for

NOISY = '''
"""A module whose author debugs by print."""
import lazymcp
from lazymcp import tool

print("importing")


class NoisyMCP(lazymcp.Base):
    @tool
    def shout(self, word: str) -> str:
        """Shout a word."""
        print("shouting", word)
        print('{"jsonrpc": "2.0", "id": 1, "result": {}}', flush=True)
        return word.upper()
'''


ALONE = '''
import asyncio, sys
import lazymcp
from lazymcp import Context, tool


class LocalMCP(lazymcp.Base):
    @tool
    def about(self, ctx: Context) -> list[str]:
        """About this process."""
        return [ctx.transport, str(ctx.endpoint), *({"lazyapp", "fastapi", "lazyoauth"} & sys.modules.keys())]


scope = lazymcp.Scope()
scope.register(LocalMCP())
asyncio.run(scope.serve_stdio())
'''


@asynccontextmanager
async def stdio_client(folder: Path, variables: Mapping[str, str], mode: str = "auto") -> AsyncIterator[mcp.client.Client]:
    """The official client, and `lazyapp mcp stdio` as its child."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "lazyapp", "mcp", "stdio"], cwd=folder, env=environment_for(variables)
    )
    async with mcp.client.Client(command, mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_same_module_is_served_over_stdio(sqlite_url, mode):
    """The promise "Standalone stdio transport"; issue 2."""
    async with stdio_client(ROOT, {"DATABASE_URL": sqlite_url}, mode) as client:
        (await sdk_journey(client)).check()


async def test_a_stray_print_does_no_harm(application, sqlite_url):
    """The promise "Standalone stdio transport": stdout is the protocol's alone."""
    (application / "app" / "mcps" / "noisy_mcp.py").write_text(NOISY)
    async with stdio_client(application, {"DATABASE_URL": sqlite_url}) as client:
        assert TOOL in [tool["name"] for tool in plain(await client.list_tools())["tools"]]
        for word in ("one", "two"):
            assert plain(await client.call_tool("noisy.shout", {"word": word}))["content"][0]["text"] == word.upper()


async def test_a_short_script_is_a_server_and_knows_its_transport(tmp_path):
    """The promise "Standalone stdio transport": no lazyapp, no HTTP, no OAuth."""
    (tmp_path / "local.py").write_text(ALONE)
    script = StdioServerParameters(command=sys.executable, args=["local.py"], cwd=tmp_path, env=environment_for({}))
    async with mcp.client.Client(script) as client:
        called = plain(await client.call_tool("local.about", {}))
    assert called["structuredContent"]["result"] == ["stdio", "None"]
