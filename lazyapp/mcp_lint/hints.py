"""Annotations: what clients ask their user about before a tool is called, and what they do not."""

from collections.abc import Iterator, Sequence
from typing import Final

from lazyapp.mcp_lint.findings import SPEC, Finding, Rule
from lazyapp.mcp_lint.items import Item

READ_ONLY: Final = Rule(
    "hint-missing",
    "warning",
    "A client takes such a tool for one that destroys things, and asks its user each time; ChatGPT's directory takes none without",
    "https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json",
    "say read_only=True, or destructive=True or False",
)
DESTRUCTIVE: Final = Rule(
    "hint-destructive",
    "notice",
    "A tool that is not read-only counts as destructive until it says otherwise",
    f"{SPEC}/tools#tool-annotations",
    "say destructive=True or False",
)
CONTRADICTION: Final = Rule(
    "hint-contradiction",
    "error",
    "It says that it changes nothing and that it destroys something; clients believe the first and do not ask",
    f"{SPEC}/tools#tool-annotations",
    "leave one of them out",
)
RULES: Final = (READ_ONLY, DESTRUCTIVE, CONTRADICTION)


def check(items: Sequence[Item]) -> Iterator[Finding]:
    """The findings about the annotations of tools."""
    for item in items:
        if item.kind != "tool":
            continue
        hints = item.entry.get("annotations") or {}
        reads, destroys = hints.get("readOnlyHint"), hints.get("destructiveHint")
        if reads and destroys:
            yield item.finding(CONTRADICTION, "readOnlyHint and destructiveHint are both true")
        elif reads is None and destroys is None:
            yield item.finding(READ_ONLY, "neither readOnlyHint nor destructiveHint is there")
        elif not reads and destroys is None:
            yield item.finding(DESTRUCTIVE, "destructiveHint is not there")
