"""Resources, pages of apps and skills: what a client needs to know before it reads them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lazyapp.mcp_lint.findings import SPEC, Finding, Rule
from lazyapp.mcp_lint.items import Item

MIME_TYPE: Final = Rule(
    "resource-type",
    "warning",
    "A client does not know what it will read, and offers it as a file of no kind",
    f"{SPEC}/resources#resource",
    "set mime_type",
)
NO_CSP: Final = Rule(
    "app-csp",
    "warning",
    "Without a policy each host applies one of its own, which lets the page load nothing; ChatGPT lists no app without",
    "https://developers.openai.com/apps-sdk/reference",
    "set csp=AppCSP(…); an empty one says that the page is self-contained",
)
SKILL_FILES: Final = Rule(
    "skill-large",
    "error",
    "Hosts may refuse a skill of more than 512 files or 16 MiB",
    "https://github.com/modelcontextprotocol/ext-skills",
    "split it, or leave out what a model does not read",
)
SKILL_LONG: Final = Rule(
    "skill-long",
    "warning",
    "A host puts the whole SKILL.md before the model as soon as the skill is used",
    "https://agentskills.io/specification",
    "keep SKILL.md below 5,000 tokens, and move details to files that it names",
)
SKILL_DESCRIPTION: Final = Rule(
    "skill-description",
    "warning",
    "Hosts show every skill's description to the model and take 1,024 characters of it",
    "https://agentskills.io/specification",
    "say in two sentences what the skill is for and when to use it",
)
RULES: Final = (MIME_TYPE, NO_CSP, SKILL_FILES, SKILL_LONG, SKILL_DESCRIPTION)

MOST_FILES, MOST_BYTES, LONG_BYTES, MOST_LETTERS = 512, 16 * 1024 * 1024, 20_000, 1_024


def check(items: Sequence[Item]) -> Iterator[Finding]:
    """The findings about everything that is not a tool or a prompt."""
    for item in items:
        if item.kind in ("resource", "template") and not item.entry.get("mimeType"):
            yield item.finding(MIME_TYPE, f"the {item.kind} has no media type")
        elif item.kind == "app" and "csp" not in (item.entry.get("_meta") or {}).get("ui", {}):
            yield item.finding(NO_CSP, "the page has no content security policy")
        elif item.kind == "skill":
            yield from _skill(item)


def _skill(item: Item) -> Iterator[Finding]:
    files: Sequence[Mapping[str, Any]] = item.entry.get("resources", ())
    total = sum(file["size"] for file in files)
    if len(files) > MOST_FILES or total > MOST_BYTES:
        yield item.finding(SKILL_FILES, f"{len(files)} files, {total:,} bytes")
    manifest = next((file["size"] for file in files if file["uri"] == item.entry["uri"]), 0)
    if manifest > LONG_BYTES:
        yield item.finding(SKILL_LONG, f"SKILL.md has about {manifest // 4:,} tokens")
    if len(item.description) > MOST_LETTERS:
        yield item.finding(SKILL_DESCRIPTION, f"the description has {len(item.description):,} characters")
