"""Descriptions: a model knows of a tool what these say, and nothing else."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from lazyapp.mcp_lint.findings import SPEC, WRITING_TOOLS, Finding, Rule
from lazyapp.mcp_lint.items import Item
from lazyapp.mcp_lint.words import stem, words_of

MISSING: Final = Rule(
    "description-missing",
    "error",
    "A model has nothing but the name to go by, and clients that check their lists refuse it",
    f"{SPEC}/tools#tool",
    "write a docstring, or set desc",
)
SHORT: Final = Rule(
    "description-short",
    "warning",
    "One word does not tell when to use it, and when not to",
    WRITING_TOOLS,
    "say what it does, with what, and when it is the right one",
)
ECHO: Final = Rule(
    "description-echo",
    "warning",
    "It says the name again, so a model learns nothing by reading it",
    WRITING_TOOLS,
    "add what the name cannot say: what comes back, what is left out, when to use it",
)
LONG: Final = Rule(
    "description-long",
    "warning",
    "Every question pays for it, and Claude Code has cut descriptions after 2,048 characters, in the middle of a word",
    "https://github.com/ayushcodes10/echo-mem/pull/38",
    "say the first things first, and move the rest to a skill or a resource",
)
GENERATED: Final = Rule(
    "description-generated",
    "notice",
    "It is the one that lazyapp generate wrote, and tells what the code does before anybody has written it",
    WRITING_TOOLS,
    "say what it does, and when it is the right one",
)
ARGUMENT: Final = Rule(
    "argument-undescribed",
    "warning",
    "A model guesses what belongs in it",
    "https://github.com/G-Core/gcore-mcp-server/issues/14",
    "describe it under Args: in the docstring, or with pydantic's Field(description=…)",
)
PROMPT_ARGUMENT: Final = Rule(
    "prompt-argument-undescribed",
    "notice",
    "Clients show it beside the field that a person fills in",
    f"{SPEC}/prompts#prompt",
    "describe it under Args: in the docstring",
)
RULES: Final = (MISSING, SHORT, ECHO, LONG, GENERATED, ARGUMENT, PROMPT_ARGUMENT)

_MOST_LETTERS = 2_048
_AS_GENERATED = ": so far this only "


def check(items: Sequence[Item]) -> Iterator[Finding]:
    """The findings about descriptions."""
    for item in items:
        yield from _description(item)
        if item.kind == "tool":
            for path, node in _properties(item.entry.get("inputSchema", {})):
                if not _says(node):
                    yield item.finding(ARGUMENT, f"the argument {path} has no description")
        elif item.kind == "prompt":
            for each in item.entry.get("arguments") or ():
                if not _says(each):
                    yield item.finding(PROMPT_ARGUMENT, f"the argument {each['name']} has no description")


def _description(item: Item) -> Iterator[Finding]:
    text = item.description.strip()
    if not text:
        yield item.finding(MISSING, f"the {item.kind} has no description")
        return
    if len(text) > _MOST_LETTERS:
        yield item.finding(LONG, f"the description has {len(text):,} characters")
    if _AS_GENERATED in text.partition(".")[0]:
        yield item.finding(GENERATED, "the description is the generated one")
    if item.kind not in ("tool", "prompt"):
        return
    told, named = ({stem(word) for word in words_of(said)} for said in (text, item.name))
    if len(text.split()) < 2:
        yield item.finding(SHORT, f"the description is {text!r}")
    elif told <= named:
        yield item.finding(ECHO, f"the description is {text!r}")


def _properties(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The arguments, and those inside of arguments that are objects, by their dotted names."""
    if not isinstance(schema, dict) or path.count(".") > 3:
        return
    for name, node in schema.get("properties", {}).items():
        yield f"{path}{name}", node
        yield from _properties(node, f"{path}{name}.")


def _says(node: Any) -> bool:
    return isinstance(node, dict) and bool(str(node.get("description", "")).strip())
