"""Names of tools and prompts: whether every client takes them, and whether they tell a model anything."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lazyapp.mcp_lint.findings import SPEC, WRITING_TOOLS, Finding, Rule
from lazyapp.mcp_lint.items import Item
from lazyapp.mcp_lint.words import is_bare, words_of

CHARACTERS: Final = Rule(
    "name-characters",
    "error",
    "The interfaces of the models take ASCII letters, digits, _ and -; for anything else clients drop the tool or the whole list",
    "https://github.com/openai/codex/issues/8174",
    "keep to A-Z a-z 0-9 _ . -; dots are spelled anew for clients that refuse them",
)
TOO_LONG: Final = Rule(
    "name-too-long",
    "error",
    "The protocol allows 128 characters and the interfaces of the models 64; a longer name is refused",
    f"{SPEC}/tools#tool-names",
    "shorten it to 48 or less",
)
LONG: Final = Rule(
    "name-long",
    "warning",
    "Clients put the server's name in front, and drop a tool whose name is then longer than 60 or 64",
    "https://github.com/PostHog/posthog/pull/51483",
    "shorten it to 48 or less, the module's name included",
)
DUPLICATE: Final = Rule(
    "name-duplicate",
    "error",
    "Clients spell . and - as _, and some compare without case, so one of the two is never reached",
    "https://github.com/microsoft/wassette/issues/56",
    "rename one of them",
)
VAGUE: Final = Rule(
    "name-vague",
    "warning",
    "A model chooses among the tools of all its servers by their names, and this one could mean anything",
    WRITING_TOOLS,
    "say what is done to what: search_orders and not query",
)
NO_VERB: Final = Rule(
    "name-verb",
    "notice",
    "Neither the name nor the description begins with what the tool does, which is how a model looks for it",
    WRITING_TOOLS,
    "begin the description with a verb: Search, Count, Create",
)
RULES: Final = (CHARACTERS, TOO_LONG, LONG, DUPLICATE, VAGUE, NO_VERB)

_ALLOWED: Final = re.compile(r"[A-Za-z0-9_.-]+")
_MOST, _ROOMY = 64, 48
_VAGUE: Final = frozenset("action api call data do execute fetch get handle info invoke main process query run test tool".split())


def check(items: Sequence[Item]) -> Iterator[Finding]:
    """The findings about names."""
    for item in items:
        if item.kind not in ("tool", "prompt"):
            continue
        if not _ALLOWED.fullmatch(item.name):
            yield item.finding(CHARACTERS, f"the name {item.name!r} has other characters")
        if len(item.name) > _MOST:
            yield item.finding(TOO_LONG, f"the name has {len(item.name)} characters")
        elif len(item.name) > _ROOMY:
            yield item.finding(LONG, f"the name has {len(item.name)} characters")
        last = item.name.rpartition(".")[2]
        if item.kind == "tool" and last.lower() in _VAGUE:
            yield item.finding(VAGUE, f"the name is just {last}")
        if item.kind == "tool" and not _says_what_it_does(item, last):
            yield item.finding(NO_VERB, f"{last}: {item.description.partition(chr(10))[0][:60]}".removesuffix("."))
    yield from _duplicates(items)


def _says_what_it_does(item: Item, last: str) -> bool:
    """Whether the name or the description can begin with a verb; English has too many of them for a list that knows all."""
    nouns = words_of(item.module) + [
        word for name in item.entry.get("inputSchema", {}).get("properties", {}) for word in words_of(name)
    ]
    return is_bare(last, item.description, nouns) or is_bare(item.description, item.description, nouns)


def _duplicates(items: Sequence[Item]) -> Iterator[Finding]:
    seen: dict[tuple[str, str], Item] = {}
    for item in items:
        spelled = (item.kind, re.sub(r"[.-]", "_", item.name).lower())
        if item.kind in ("tool", "prompt") and (other := seen.setdefault(spelled, item)) is not item:
            yield item.finding(DUPLICATE, f"{other.name} ({other.place}) is the same to some clients")
