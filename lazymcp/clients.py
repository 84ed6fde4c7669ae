"""Which clients refuse a dot in a tool's name, so that they are shown `admin_user_count` instead of `admin.user_count`.

MCP allows the dot (SEP-986); some clients pass names on to interfaces that do not, and then drop the tool or the whole list.
State of the table: November 2026. A row goes when its client has been seen to accept dots.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

__all__ = ["refuses_dots"]

# The word that a name or User-Agent contains, and where that was reported, and when.
_REFUSERS: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    # claude.ai and the apps; Claude Desktop; Claude Code.
    "claude": (
        ("https://github.com/evoila/meho/issues/2745", "2026-08-02"),
        ("https://github.com/hostinger/api-mcp-server/issues/49", "2026-07-08"),
        ("https://github.com/microsoft/wassette/issues/56", "2025-08-03"),
    ),
    # The names under which claude.ai's connectors come: Anthropic, Anthropic/Toolbox, Anthropic/ClaudeAI.
    "anthropic": (("https://github.com/anthropics/claude-ai-mcp/issues/792", "2026-08-06"),),
    # Codex CLI.
    "codex": (("https://github.com/openai/codex/issues/8174", "2025-12-17"),),
    # GitHub Copilot CLI.
    "copilot": (
        ("https://github.com/github/copilot-cli/issues/2581", "2026-04-08"),
        ("https://github.com/github/copilot-cli/issues/1879", "2026-03-06"),
    ),
}
_PATTERN: Final = re.compile("|".join(_REFUSERS), re.IGNORECASE)


@lru_cache(maxsize=256)
def refuses_dots(name: str, user_agent: str) -> bool:
    """Whether the client of this name or User-Agent needs names without dots."""
    return bool(_PATTERN.search(name[:200]) or _PATTERN.search(user_agent[:200]))
