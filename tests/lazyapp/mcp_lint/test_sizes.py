"""lazyapp/mcp_lint/sizes.py: sizes."""

from tests.lazyapp.mcp_lint.seeded import INPUT, found, item


def test_a_tool_that_takes_a_large_part_of_the_conversation_is_found() -> None:
    """https://github.com/oOo0oOo/lean-lsp-mcp/issues/109."""
    ((rule, said),) = found(item(outputSchema={"type": "object", "description": "x" * 4000}))
    assert rule == "tool-heavy"
    assert said.startswith("about 1,0")


def test_a_module_that_takes_a_large_part_of_the_conversation_is_found() -> None:
    """https://github.com/erikdarlingdata/PerformanceMonitor/issues/3898."""
    schema = {**INPUT, "description": "x" * 3000}
    tools = [item(name=f"shop.search_{number}", inputSchema=schema) for number in range(14)]
    ((rule, said),) = found(*tools)
    assert rule == "module-heavy"
    assert said.startswith("the tools of shop have about 1")


def test_more_tools_than_clients_take_are_found() -> None:
    """https://github.com/anyproto/anytype-mcp/issues/5, https://github.com/microsoft/vscode-copilot-release/issues/11653."""
    tools = [item(name=f"shop.search_{number}") for number in range(129)]
    assert ("tools-too-many", "there are 129 tools") in found(*tools)
    assert ("tools-many", "there are 41 tools") in found(*tools[:41])
    assert found(*tools[:40]) == []
