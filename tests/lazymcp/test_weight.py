"""lazymcp/weight.py: what a list costs whoever reads it."""

import pytest

from lazymcp import Scope
from lazymcp.weight import tokens_of
from tests.lazymcp.admin_module import AdminMCP


@pytest.mark.parametrize(("entry", "tokens"), [({"a": 1}, 2), ("ab", 1), ("abc", 2), ("é" * 3, 2), ([], 1)])
def test_four_bytes_of_json_as_sent_are_a_token(entry: object, tokens: int) -> None:
    """docs/commands.md, "What it costs": bytes and not letters, blanks left out."""
    assert tokens_of(entry) == tokens


def test_the_entries_of_a_scope_are_weighed_as_they_are_sent() -> None:
    """docs/commands.md, "What it costs": an entry weighs its name, its description and its schemas."""
    scope = Scope()
    scope.register(AdminMCP())
    rows = scope.entries("tool")
    assert [row.name for row, _ in rows] == [entry["name"] for _, entry in rows]
    assert all(tokens_of(entry) > tokens_of(entry["inputSchema"]) for _, entry in rows)
