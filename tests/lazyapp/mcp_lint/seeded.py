"""Items for the rules of the linter, each clean but for what a test changes."""

from collections.abc import Mapping
from typing import Any

from lazyapp.mcp_lint.findings import Finding
from lazyapp.mcp_lint.items import Item
from lazyapp.mcp_lint.lint import look_at

INPUT = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What is looked for."}},
    "additionalProperties": False,
}
ENTRIES: Mapping[str, Mapping[str, Any]] = {
    "tool": {
        "inputSchema": INPUT,
        "outputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    },
    "prompt": {"arguments": [{"name": "since", "description": "From when on."}]},
    "resource": {"mimeType": "text/plain"},
    "template": {"mimeType": "text/plain"},
    "app": {"_meta": {"ui": {"csp": {}}}},
    "skill": {"uri": "skill://shop/oncall/SKILL.md", "resources": [{"uri": "skill://shop/oncall/SKILL.md", "size": 100}]},
}


def item(
    kind: str = "tool", name: str = "shop.search_orders", description: str = "Search orders by a word in them.", **entry: Any
) -> Item:
    """An item of which the linter says nothing, with other members of its entry."""
    return Item(kind, name, "shop", description, "shop.py:1", {"name": name, **ENTRIES[kind], **entry})


def with_schema(**members: Any) -> Item:
    """A tool with other members of its input schema."""
    return item(inputSchema={**INPUT, **members})


def with_argument(name: str, node: Any) -> Item:
    """A tool with one argument."""
    return item(inputSchema={**INPUT, "properties": {name: node}})


def found(*items: Item) -> list[tuple[str, str]]:
    """What all rules find: the rule's id and what it says."""
    findings: list[Finding] = list(look_at(list(items)).findings)
    return [(finding.rule.id, finding.said) for finding in findings]
