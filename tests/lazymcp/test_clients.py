"""lazymcp/clients.py: which clients refuse a dot."""

import pytest

from lazymcp.clients import refuses_dots


@pytest.mark.parametrize(
    ("name", "agent", "refuses"),
    [
        ("claude-ai", "", True),
        ("Claude Desktop", "", True),
        ("", "Claude-User/1.0", True),
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
