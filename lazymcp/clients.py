"""What some clients do in their own way, by their name or User-Agent.

* They refuse a dot in a tool's name, and are shown `admin_user_count` instead of `admin.user_count`. MCP allows the dot (SEP-986);
  these clients pass names on to interfaces that do not, and then drop the tool or the whole list.
* They show pages (MCP Apps) without saying so in their capabilities, and are told of the tools that only pages call.
* They refuse a page that names an origin of its own, and are not told of it.

State of the tables: November 2026. A row goes when its client has been seen to do as the others.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

__all__ = ["hosts_pages", "refuses_dots", "refuses_foreign_domains"]

# The words that a name or User-Agent contains, and where that was reported, and when.
_Table = Mapping[str, Sequence[tuple[str, str]]]

# Seen to accept a dot: ChatGPT, Cursor, VS Code (which spells names anew by itself), Gemini CLI.
_DOT_REFUSERS: Final[_Table] = {
    # claude.ai and the apps; Claude Desktop; Claude Code.
    "claude": (
        ("https://github.com/evoila/meho/issues/2745", "2026-08-02"),
        ("https://github.com/hostinger/api-mcp-server/issues/49", "2026-07-08"),
        ("https://github.com/l22-io/orchard-mcp/issues/14", "2026-06-21"),
        ("https://github.com/microsoft/wassette/issues/56", "2025-08-03"),
    ),
    # The names under which claude.ai's connectors come: Anthropic, Anthropic/Toolbox, Anthropic/ClaudeAI.
    "anthropic": (("https://github.com/anthropics/claude-ai-mcp/issues/792", "2026-08-06"),),
    # Codex CLI.
    "codex": (("https://github.com/openai/codex/issues/8174", "2025-12-17"),),
    # GitHub Copilot: the CLI, its SDK, and by the same report the plugin for IntelliJ.
    "copilot": (
        ("https://github.com/github/copilot-cli/issues/2581", "2026-04-08"),
        ("https://github.com/github/copilot-cli/issues/1879", "2026-03-06"),
        ("https://github.com/github/copilot-sdk/issues/743", "2026-03-09"),
    ),
}

_PAGE_HOSTS: Final[_Table] = {
    # ChatGPT; newer versions of it say so.
    "openai-mcp": (("https://developers.openai.com/apps-sdk/reference", "2026-11-30"),),
    # Newer versions of it say so, too.
    "visual studio code": (("https://github.com/microsoft/vscode/issues/291432", "2026-01-28"),),
    "mcpjam": (
        ("https://github.com/MCPJam/inspector/issues/1538", "2026-03-05"),
        ("https://github.com/MCPJam/inspector/issues/1530", "2026-03-04"),
    ),
    "pi-mcp-adapter": (("https://github.com/nicobailon/pi-mcp-adapter/issues/465", "2026-08-28"),),
    "sunpeak": (("https://github.com/Alignbase/sunpeak/pull/87", "2026-06-30"),),
}

# They take the one origin that is made of the connector's address as the user typed it, which nobody else can know.
_DOMAIN_REFUSERS: Final[_Table] = {
    "claude": (
        ("https://github.com/gamedevpl/www.gamedev.pl/pull/595", "2026-08-05"),
        ("https://github.com/laravel/mcp/issues/218", "2026-05-18"),
        ("https://github.com/apify/apify-mcp-server/pull/799", "2026-05-06"),
        ("https://github.com/Doist/todoist-mcp/issues/432", "2026-04-02"),
    ),
    "anthropic": (("https://github.com/Doist/todoist-mcp/issues/432", "2026-04-02"),),
}


@lru_cache(maxsize=256)
def refuses_dots(name: str, user_agent: str) -> bool:
    """Whether the client of this name or User-Agent needs names without dots."""
    return _stands_in(_DOTS, name, user_agent)


@lru_cache(maxsize=256)
def hosts_pages(name: str, user_agent: str) -> bool:
    """Whether the client of this name or User-Agent shows pages although it may not say so."""
    return _stands_in(_PAGES, name, user_agent)


@lru_cache(maxsize=256)
def refuses_foreign_domains(name: str, user_agent: str) -> bool:
    """Whether the client of this name or User-Agent refuses a page that names an origin of its own."""
    return _stands_in(_DOMAINS, name, user_agent)


def _stands_in(words: re.Pattern[str], name: str, user_agent: str) -> bool:
    return bool(words.search(name[:200]) or words.search(user_agent[:200]))


_DOTS, _PAGES, _DOMAINS = (
    re.compile("|".join(map(re.escape, table)), re.IGNORECASE) for table in (_DOT_REFUSERS, _PAGE_HOSTS, _DOMAIN_REFUSERS)
)
