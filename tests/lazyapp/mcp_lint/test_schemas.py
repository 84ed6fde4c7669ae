"""lazyapp/mcp_lint/schemas.py: schemas."""

from typing import Any

import pytest

from lazyapp.mcp_lint.items import Item
from lazyapp.mcp_lint.schemas import depth_of
from tests.lazyapp.mcp_lint.seeded import found, item, with_argument, with_schema

TEXT = {"type": "string", "description": "A text."}


def nested(levels: int) -> dict[str, Any]:
    node: dict[str, Any] = TEXT
    for _ in range(levels):
        node = {"type": "object", "description": "Deeper.", "properties": {"in": node}}
    return node


@pytest.mark.parametrize(
    ("tool", "rule", "said"),
    [
        (with_schema(anyOf=[{"required": ["query"]}]), "schema-combined", "anyOf at the top of the input schema"),
        (with_schema(additionalProperties=True), "schema-open", "the input schema takes arguments of any name"),
        (with_schema(**{"$defs": {"A": {"$ref": "#/$defs/A"}}}), "schema-reference", "the input schema refers to #/$defs/A"),
        (with_argument("order", {"description": "What."}), "schema-untyped", "the argument order has no type"),
        (with_argument("order", nested(4)), "schema-deep", "arguments lie 5 levels deep"),
        (with_argument("order_id", TEXT), "id-unbounded", "the argument order_id is any text"),
        (with_argument("orderId", TEXT), "id-unbounded", "the argument orderId is any text"),
        (item(outputSchema={"description": "Anything."}), "output-no-object", "the output schema is of type None"),
        (item(outputSchema=None), "output-missing", "there is no output schema"),
    ],
)
def test_schemas_that_clients_refuse_or_models_misread_are_found(tool: Item, rule: str, said: str) -> None:
    """https://github.com/makenotion/notion-mcp-server/issues/340, https://github.com/github/copilot-cli/issues/1876 and others."""
    assert found(tool) == [(rule, said)]


@pytest.mark.parametrize("bound", [{"pattern": "^A-\\d+$"}, {"format": "uuid"}, {"maxLength": 36}, {"enum": ["a"]}])
def test_an_id_that_says_how_it_looks_is_not_spoken_of(bound: dict[str, Any]) -> None:
    assert found(with_argument("order_id", {**TEXT, **bound})) == []


def test_depth_is_counted_through_lists_and_alternatives_and_comes_to_an_end() -> None:
    assert depth_of({"anyOf": [{"items": {"properties": {"a": {}}}}]}) == 2
    loop: dict[str, Any] = {}
    loop["items"] = loop
    assert depth_of(loop) == 65
