"""lazymcp/clients.py: what some clients do in their own way."""

from datetime import date

import pytest

from lazymcp import clients
from lazymcp.clients import hosts_pages, refuses_dots, refuses_foreign_domains


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


@pytest.mark.parametrize(
    ("name", "agent", "hosts"),
    [
        ("openai-mcp", "", True),
        ("", "openai-mcp/1.0.0", True),
        ("Visual Studio Code", "", True),
        ("mcpjam-inspector", "", True),
        ("claude-ai", "", False),
        ("pi", "", False),
        ("", "", False),
    ],
)
def test_hosts_that_do_not_say_that_they_show_pages_are_known(name, agent, hosts):
    assert hosts_pages(name, agent) is hosts


def test_claude_refuses_an_origin_that_it_did_not_make():
    """https://github.com/laravel/mcp/issues/218."""
    assert refuses_foreign_domains("claude-ai", "")
    assert refuses_foreign_domains("Anthropic/ClaudeAI", "")
    assert not refuses_foreign_domains("openai-mcp", "")


@pytest.mark.parametrize("table", [clients._DOT_REFUSERS, clients._PAGE_HOSTS, clients._DOMAIN_REFUSERS])
def test_every_row_has_a_public_source_and_its_date(table):
    """Design, section 4: a dated table with sources."""
    for word, sources in table.items():
        assert word == word.lower()
        assert sources
        for address, day in sources:
            assert address.startswith("https://")
            assert date(2025, 1, 1) < date.fromisoformat(day) < date(2026, 12, 1)
