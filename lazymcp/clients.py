"""Which clients refuse a dot in a tool's name, so that they are shown `admin_user_count` instead of `admin.user_count`.

MCP allows the dot (SEP-986); some clients pass names on to interfaces that do not, and then drop the tool or the whole list.
State of the table: November 2026. A line goes when its client has been seen to accept dots.
"""

import re
from functools import lru_cache
from typing import Final

__all__ = ["refuses_dots"]

# A name or User-Agent that contains the pattern, and where it was reported.
_REFUSERS: Final = {
    r"claude": "https://github.com/hostinger/api-mcp-server/issues/49",
    r"codex": "https://github.com/openai/codex/issues/8174",
    r"copilot": "https://github.com/github/copilot-cli/issues/1879",
    r"anthropic": "the User-Agent of Claude's connectors",
}
_PATTERN: Final = re.compile("|".join(_REFUSERS), re.IGNORECASE)


@lru_cache(maxsize=256)
def refuses_dots(name: str, user_agent: str) -> bool:
    """Whether the client of this name or User-Agent needs names without dots."""
    return bool(_PATTERN.search(name[:200]) or _PATTERN.search(user_agent[:200]))
