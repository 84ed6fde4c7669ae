"""lazyapp/mcp_lint/hints.py: annotations."""

import pytest

from tests.lazyapp.mcp_lint.seeded import found, item


@pytest.mark.parametrize(
    ("hints", "rules"),
    [
        ({}, ["hint-missing"]),
        ({"readOnlyHint": False}, ["hint-destructive"]),
        ({"readOnlyHint": True, "destructiveHint": True}, ["hint-contradiction"]),
        ({"readOnlyHint": True}, []),
        ({"destructiveHint": False}, []),
        ({"readOnlyHint": False, "destructiveHint": True}, []),
    ],
)
def test_what_a_client_would_ask_about_is_said(hints: dict[str, bool], rules: list[str]) -> None:
    """MCP 2026-07-28, server/tools, "Tool annotations": the defaults are not read-only, and destructive."""
    assert [rule for rule, _ in found(item(annotations=hints))] == rules
