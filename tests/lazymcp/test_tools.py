"""lazymcp/tools.py: a tool's entry, its page, and what becomes of its failures."""

import asyncio

import pytest

from lazymcp import UI, AppSpec, Base, ToolError, ToolSpec, tool
from lazymcp.protocol import CAPABILITIES_KEY, UI_EXTENSION
from tests.lazymcp.asgi_peer import served


class Module(Base):
    name = "m"

    def page_app(self):
        return AppSpec(desc="A page.", html="<!doctype html>")

    @tool(title="Count", read_only=True, destructive=False, idempotent=True, open_world=False, meta={"example.com/team": "blue"})
    async def counted(self) -> int:
        """Count."""
        return 1

    @tool(ui=UI("ui://m/page", invoking="Looking…", invoked="Found"))
    async def shown(self) -> int:
        """Show."""
        return 1

    @tool(ui="ui://m/page", visibility=["app"])
    async def for_the_page(self) -> int:
        """For the page alone."""
        return 1

    @tool(visibility=["model"])
    async def for_the_model(self) -> int:
        """For the model alone."""
        return 1

    @tool
    async def refuse(self, how: str) -> None:
        """Refuse."""
        if how == "sentence":
            raise ToolError("the printer is out of paper; add some and call again")
        if how == "wordless":
            raise ToolError
        if how == "timeout":
            async with asyncio.timeout(0):
                await asyncio.sleep(1)
        raise ValueError("secret: hunter2")

    def verbatim_tool(self):
        schema = {
            "type": "object",
            "properties": {"x": {"type": "integer", "x-mine": 1}},
            "$schema": "https://json-schema.org/draft/2020-12/schema",
        }

        def fn(**arguments):
            return arguments

        return ToolSpec(desc="As it stands.", fn=fn, input_schema=schema, output_schema={"type": "object"})


@pytest.fixture
def peer():
    return served(Module())


@pytest.fixture
async def listed(peer):
    host = {CAPABILITIES_KEY: {"extensions": {UI_EXTENSION: {}}}}
    return {entry["name"]: entry for entry in (await peer.ask("tools/list", **host)).result["tools"]}


async def test_hints_title_and_meta_stand_in_the_entry(listed):
    """MCP 2026-07-28, server/tools, "Tool"."""
    entry = listed["m.counted"]
    assert entry["title"] == "Count"
    hints = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    assert entry["annotations"] == {"title": "Count", **hints}, "older clients look for the title among the hints"
    assert entry["_meta"] == {"example.com/team": "blue"}


async def test_a_page_is_named_in_every_key_that_hosts_read(listed):
    """SEP-1865, "Tool metadata", its older flat key, and ChatGPT's."""
    assert listed["m.shown"]["_meta"] == {
        "ui": {"resourceUri": "ui://m/page"},
        "ui/resourceUri": "ui://m/page",
        "openai/outputTemplate": "ui://m/page",
        "openai/widgetAccessible": True,
        "openai/visibility": "public",
        "openai/toolInvocation/invoking": "Looking…",
        "openai/toolInvocation/invoked": "Found",
    }


async def test_visibility_is_told(listed):
    page, model = listed["m.for_the_page"]["_meta"], listed["m.for_the_model"]["_meta"]
    assert page["ui"]["visibility"] == ["app"]
    assert (page["openai/widgetAccessible"], page["openai/visibility"]) == (True, "private")
    assert model == {"ui": {"visibility": ["model"]}, "openai/widgetAccessible": False, "openai/visibility": "public"}


async def test_given_schemas_are_published_as_they_stand(peer, listed):
    """Design, section 2: verbatim."""
    entry = listed["m.verbatim"]
    assert entry["inputSchema"]["properties"]["x"] == {"type": "integer", "x-mine": 1}
    assert entry["inputSchema"]["$schema"].endswith("2020-12/schema")
    assert entry["outputSchema"] == {"type": "object"}
    result = (await peer.ask("tools/call", {"name": "m.verbatim", "arguments": {"x": "1", "y": None}})).result
    assert result["structuredContent"] == {"x": "1", "y": None}


@pytest.mark.parametrize(
    ("how", "sentence"),
    [("sentence", "the printer is out of paper; add some and call again"), ("wordless", "tool m.refuse refused")],
)
async def test_a_tool_error_is_a_sentence_for_the_model(peer, how, sentence, caplog):
    result = (await peer.ask("tools/call", {"name": "m.refuse", "arguments": {"how": how}})).result
    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": sentence}]
    assert caplog.records == []


@pytest.mark.parametrize("how", ["other", "timeout"])
async def test_any_other_failure_is_logged_and_told_by_its_id(peer, how, caplog):
    """Design, section 4: answered without detail."""
    result = (await peer.ask("tools/call", {"name": "m.refuse", "arguments": {"how": how}})).result
    (record,) = caplog.records
    told = result["content"][0]["text"]
    assert result["isError"] is True
    assert told == f"tool m.refuse failed; the details are in the server's log under {record.args[1]}"
    assert "hunter2" not in told
    assert record.exc_info
