"""Sizes: a model reads the whole list with every question, before anything is asked."""

from collections.abc import Iterator, Sequence
from typing import Final

from lazyapp.mcp_lint.findings import Finding, Rule
from lazyapp.mcp_lint.items import Item
from lazymcp.weight import tokens_of

TOOL: Final = Rule(
    "tool-heavy",
    "warning",
    "Every question pays for it: tools of six thousand tokens each have taken half of what a model can read",
    "https://github.com/oOo0oOo/lean-lsp-mcp/issues/109",
    "shorten the description and the schemas, or split the tool",
)
MODULE: Final = Rule(
    "module-heavy",
    "warning",
    "Whoever may use the module pays for all of it with every question",
    "https://github.com/erikdarlingdata/PerformanceMonitor/issues/3898",
    "split it in two modules, so that each user is shown what they need",
)
MANY: Final = Rule(
    "tools-many",
    "notice",
    "Cursor has sent a model the first 40 tools of all servers together, and models choose worse the more there are",
    "https://github.com/anyproto/anytype-mcp/issues/5",
    "merge tools that are used one after another, or open modules to those who need them",
)
TOO_MANY: Final = Rule(
    "tools-too-many",
    "error",
    "VS Code refuses a request with more than 128 tools, those of other servers included",
    "https://github.com/microsoft/vscode-copilot-release/issues/11653",
    "merge tools, or open modules to those who need them",
)
RULES: Final = (TOOL, MODULE, MANY, TOO_MANY)

TOOL_TOKENS, MODULE_TOKENS, MANY_TOOLS, MOST_TOOLS = 1_000, 10_000, 40, 128


def check(items: Sequence[Item]) -> Iterator[Finding]:
    """The findings about how much there is to read."""
    tools = [item for item in items if item.kind == "tool"]
    for item in tools:
        if (tokens := tokens_of(item.entry)) > TOOL_TOKENS:
            yield item.finding(TOOL, f"about {tokens:,} tokens; {TOOL_TOKENS:,} are much")
    for module in dict.fromkeys(item.module for item in tools):
        own = [item for item in tools if item.module == module]
        if (tokens := sum(tokens_of(item.entry) for item in own)) > MODULE_TOKENS:
            yield Finding(MODULE, "", own[0].place, f"the tools of {module or 'the module'} have about {tokens:,} tokens")
    if len(tools) > MOST_TOOLS:
        yield Finding(TOO_MANY, "", tools[0].place, f"there are {len(tools)} tools")
    elif len(tools) > MANY_TOOLS:
        yield Finding(MANY, "", tools[0].place, f"there are {len(tools)} tools")
