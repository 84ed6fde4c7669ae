"""lazymcp/clients.py: which clients refuse a dot."""

from datetime import date

import pytest

from lazymcp.clients import _REFUSERS, refuses_dots


@pytest.mark.parametrize(
    ("name", "agent", "refuses"),
    [
        ("claude-ai", "", True),
        ("Claude Desktop", "", True),
        ("", "Claude-User/1.0", True),
        ("Anthropic/ClaudeAI", "python-httpx", True),
        ("Anthropic/Toolbox", "python-httpx", True),
        ("codex-mcp-client", "", True),
        ("github-copilot-developer", "", True),
        ("openai-mcp", "python-httpx", False),
        ("Cursor", "", False),
        ("inspector", "node", False),
        ("", "", False),
        ("x" * 10_000 + "claude", "", False),
    ],
)
def test_clients_are_known_by_name_or_user_agent(name, agent, refuses):
    assert refuses_dots(name, agent) is refuses


def test_every_row_has_a_public_source_and_its_date():
    """Design, section 4: a dated table with sources."""
    for sources in _REFUSERS.values():
        assert sources
        for address, day in sources:
            assert address.startswith("https://")
            assert date(2025, 1, 1) < date.fromisoformat(day) < date(2026, 12, 1)
