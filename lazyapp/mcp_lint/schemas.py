"""Schemas: what clients cannot read, and what leaves a model to guess."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lazyapp.mcp_lint.findings import SPEC, WRITING_TOOLS, Finding, Rule
from lazyapp.mcp_lint.items import Item
from lazymcp.given_schema import walk

COMBINED: Final = Rule(
    "schema-combined",
    "error",
    "The interfaces of several models refuse anyOf, oneOf and allOf at the top of a schema: clients drop the tool, or fail",
    "https://github.com/makenotion/notion-mcp-server/issues/340",
    "take optional arguments and check them in the tool, or make it two tools",
)
REFERENCE: Final = Rule(
    "schema-reference",
    "warning",
    "Several clients do not follow $ref, and cannot fill in the argument or show no tool at all",
    "https://github.com/github/copilot-cli/issues/1876",
    "flatten the argument into plain ones; only what contains itself needs a reference",
)
UNTYPED: Final = Rule(
    "schema-untyped",
    "warning",
    "A model sends an object as text as often as not, and clients show no field for it",
    "https://github.com/PrefectHQ/fastmcp/issues/3931",
    "annotate the parameter with what it is, not with Any",
)
DEEP: Final = Rule(
    "schema-deep",
    "warning",
    "Models fill in deep objects badly, and clients bound how deep they read",
    f"{SPEC}/tools#json-schema-usage",
    "take flat arguments; let the tool build the object",
)
OPEN: Final = Rule(
    "schema-open",
    "warning",
    "An argument that a model misspells is dropped without a word",
    f"{SPEC}/tools#tool",
    'say "additionalProperties": false',
)
UNBOUNDED: Final = Rule(
    "id-unbounded",
    "notice",
    "A model makes up ids where nothing says how one looks, and nothing keeps a book out of the field",
    WRITING_TOOLS,
    "say it: Field(pattern=…), or max_length, a Literal, a UUID",
)
OUTPUT: Final = Rule(
    "output-no-object",
    "error",
    "The official TypeScript SDK refuses the whole list when an output schema is no object",
    "https://github.com/opentokenz/mcpx/issues/28",
    'give the output schema "type": "object"',
)
NO_OUTPUT: Final = Rule(
    "output-missing",
    "notice",
    "Neither client nor model knows what comes back, nor how much of it",
    f"{SPEC}/tools#output-schema",
    "return a pydantic model, a dataclass, or a number; keep text for people",
)
RULES: Final = (COMBINED, REFERENCE, UNTYPED, DEEP, OPEN, UNBOUNDED, OUTPUT, NO_OUTPUT)

_DEEPEST = 4
_TELLS: Final = frozenset("type enum const anyOf oneOf allOf $ref".split())
_BOUNDS: Final = frozenset("pattern format enum const maxLength".split())
_ID: Final = re.compile(r"(?:^|_)(?:id|uuid|key|slug)s?$|[a-z]Id$")


def check(items: Sequence[Item]) -> Iterator[Finding]:
    """The findings about the schemas of tools."""
    for item in items:
        if item.kind == "tool":
            yield from _input(item, item.entry.get("inputSchema", {}))
            yield from _output(item)


def _input(item: Item, schema: Mapping[str, Any]) -> Iterator[Finding]:
    combined = [key for key in ("anyOf", "oneOf", "allOf") if key in schema]
    if combined:
        yield item.finding(COMBINED, f"{' and '.join(combined)} at the top of the input schema")
    if schema.get("additionalProperties", True) is not False:
        yield item.finding(OPEN, "the input schema takes arguments of any name")
    references = {str(node["$ref"]) for _, node in walk(schema) if "$ref" in node}
    if references:
        yield item.finding(REFERENCE, f"the input schema refers to {', '.join(sorted(references))}")
    deepest = depth_of(schema)
    if deepest > _DEEPEST:
        yield item.finding(DEEP, f"arguments lie {deepest} levels deep")
    for name, node in schema.get("properties", {}).items():
        if not isinstance(node, dict) or not _TELLS & node.keys():
            yield item.finding(UNTYPED, f"the argument {name} has no type")
        elif _ID.search(name) and node.get("type") == "string" and not _BOUNDS & node.keys():
            yield item.finding(UNBOUNDED, f"the argument {name} is any text")


def _output(item: Item) -> Iterator[Finding]:
    schema = item.entry.get("outputSchema")
    if schema is None:
        yield item.finding(NO_OUTPUT, "there is no output schema")
    elif schema.get("type") != "object":
        yield item.finding(OUTPUT, f"the output schema is of type {schema.get('type')!r}")


def depth_of(schema: Any, depth: int = 0) -> int:
    """How many levels of objects and lists a schema has below its root; what it refers to is not followed."""
    if not isinstance(schema, dict) or depth > 64:
        return depth
    below = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    beside = [each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, ())]
    return max([depth, *(depth_of(each, depth + 1) for each in below), *(depth_of(each, depth) for each in beside)])
