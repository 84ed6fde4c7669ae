"""lazyapp/developing/surface.py: what AI clients are offered, and what it costs."""

import json
import re

from lazyapp.developing.surface import surface
from lazymcp.weight import tokens_of
from tests.lazyapp.developing.panel_site import opened


async def test_modules_are_told_with_what_each_entry_costs(tmp_path):
    async with opened(tmp_path) as site:
        found = surface(site.app)
        listed = (await site.call("tools/list", {}))["result"]["tools"]
    (module,) = found["modules"]
    assert (module.name, [label for label, _ in module.kinds]) == ("notes", ["Tools", "Resources", "Prompts"])
    ((_, (tool,)), _, (_, (prompt,))) = module.kinds
    assert tool.entry == listed[0]
    assert (
        tool.tokens
        == module.tokens
        == tokens_of(listed[0])
        == -(-len(json.dumps(listed[0], separators=(",", ":"), ensure_ascii=False).encode()) // 4)
    )
    assert found["totals"][0] == ("Tools", 1, tokens_of({"tools": listed}))
    assert (tool.hints, tool.preview) == (["only reads"], "/_lazy/preview?tool=notes.count")
    assert [(field.name, field.kind, field.required) for field in tool.arguments] == [
        ("tag", "string", True),
        ("password", "string", False),
        ("mood", "'up' or 'down'", False),
    ]
    assert [field.name for field in prompt.arguments] == ["week"]


async def test_the_page_says_how_tokens_are_guessed_and_leads_to_the_preview(tmp_path):
    async with opened(tmp_path) as site:
        page = await site.page("/_lazy/mcp")
    assert "the bytes of the JSON as it is sent, divided by 4" in page
    assert 'href="/_lazy/preview?tool=notes.count"' in page
    assert "the &lt;tag&gt;." in page
    assert re.search(r"<script(?! src=)", page) is None


async def test_the_address_of_the_page_is_that_of_the_server_for_agents(tmp_path):
    """A browser asks for HTML and reads the page; whatever else asks is answered by what is there besides."""
    async with opened(tmp_path) as site:
        assert "<h1>MCP</h1>" in await site.page("/_lazy/mcp")
        other = await site.http.get("/_lazy/mcp", headers={"accept": "application/json, text/event-stream"})
        assert "<h1>" not in other.text


async def test_without_modules_the_page_says_how_to_begin(tmp_path):
    async with opened(tmp_path, mcp=None) as site:
        assert "lazyapp generate mcp" in await site.page("/_lazy/mcp")
