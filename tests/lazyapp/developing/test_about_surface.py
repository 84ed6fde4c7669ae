"""lazyapp/developing/about_surface.py: what an application offers to AI clients, and calls of its tools."""

from pathlib import Path

from tests.lazyapp.developing.library import asked_about


async def test_everything_that_is_offered_is_listed_with_its_cost(tmp_path: Path) -> None:
    """docs/commands.md, "What it costs"."""
    async with asked_about(tmp_path) as agent:
        found = await agent.call("list_mcp")
        assert [(row["kind"], row["name"]) for row in found] == [
            ("tool", "shelf.count"),
            ("tool", "shelf.whoami"),
            ("tool", "shelf.fall"),
        ]
        assert all(row["tokens"] > 10 and "library.py:" in row["place"] for row in found)
        assert await agent.call("list_mcp", module="nix") == []
        entry = await agent.call("read_mcp_entry", name="shelf_count")
        assert entry["inputSchema"]["properties"]["at_least"] == {"default": 0, "type": "integer"}
        assert "'nix'" in await agent.refused("read_mcp_entry", name="nix")


async def test_a_tool_is_called_as_a_user(tmp_path: Path) -> None:
    """docs/about.md, "Calling a tool"."""
    async with asked_about(tmp_path) as agent:
        found = await agent.call("call_tool", tool="shelf.count", arguments={"at_least": 2})
        assert (found["is_error"], found["structured"]) == (False, {"result": 5})
        assert (await agent.call("call_tool", tool="shelf_whoami"))["text"] == "admin"
        assert "'eve'" in await agent.refused("call_tool", tool="shelf.whoami", user="eve")
        assert "shelf.count, shelf.whoami" in await agent.refused("call_tool", tool="nix")
        assert (await agent.call("call_tool", tool="shelf.count", arguments={"at_least": "many"}))["is_error"]


async def test_a_tool_that_fails_names_the_error(tmp_path: Path) -> None:
    """Design, section 3: the failing tool's page by its id."""
    async with asked_about(tmp_path) as agent:
        found = await agent.call("call_tool", tool="shelf.fall")
        assert found["is_error"]
        assert found["error_id"] in found["text"]
        assert len(found["error_id"]) == 8


async def test_an_application_without_modules_says_so(tmp_path: Path) -> None:
    """style.md, "Errors"."""
    async with asked_about(tmp_path, mcp=None) as agent:
        assert await agent.call("list_mcp") == []
        assert "no MCP modules" in await agent.refused("call_tool", tool="x")
        assert (await agent.call("describe_app"))["mcp_url"] == ""
