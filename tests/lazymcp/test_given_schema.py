"""lazymcp/given_schema.py: schemas that a module wrote itself (MCP 2026-07-28, server/tools, "JSON Schema usage")."""

import json
from typing import Any

import pytest

from lazymcp import Base, RegistrationError, Scope, ToolSpec
from lazymcp.given_schema import check_given, walk
from tests.lazymcp.asgi_peer import ERAS, served

EVERYTHING: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.com/person",
    "$comment": "kept",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}},
            "required": ["street"],
        },
        "a/b~c": {"$dynamicAnchor": "node", "type": "string"},
    },
    "properties": {
        "zip": {"type": "string", "pattern": "^[0-9]{5}$", "default": ""},
        "address": {"$ref": "#addressDef"},
        "same": {"$ref": "#/$defs/address"},
        "odd": {"$ref": "#/$defs/a~1b~0c"},
        "branch": {"$ref": "#/allOf/0"},
        "self": {"$ref": "#"},
        "dynamic": {"$dynamicRef": "#node"},
        "contactMethod": {"enum": ["phone", "email", None, 0, False]},
        "many": {"type": "array", "prefixItems": [{"const": 1}], "items": False, "contains": True, "uniqueItems": False},
    },
    "patternProperties": {"^x-": {}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"not": {"required": ["phone"]}},
    "dependentSchemas": {"zip": {"required": ["street"]}},
    "unevaluatedProperties": False,
    "additionalProperties": False,
    "examples": [{"$ref": "https://example.com/data-not-a-schema", "$schema": "x"}],
    "x-mine": {"z": 1, "a": [2]},
}


class Module(Base):
    name = ""

    def json_tool(self) -> ToolSpec:
        return ToolSpec(desc="As it stands.", fn=self.take, input_schema=EVERYTHING, output_schema=EVERYTHING)

    async def take(self, **arguments: Any) -> dict[str, Any]:
        return arguments


@pytest.mark.parametrize("era", ERAS)
async def test_every_keyword_is_kept_in_its_order(era):
    answer = await served(Module(), era=era).ask("tools/list")
    written = json.dumps(EVERYTHING, separators=(",", ":"), ensure_ascii=False).encode()
    assert answer.body.count(written) == 2, "byte for byte"


def registered(**schemas: Any) -> None:
    class One(Base):
        def one_tool(self) -> ToolSpec:
            return ToolSpec(desc="One.", fn=lambda **arguments: {}, **schemas)

    Scope().register(One())


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


CYCLE: dict[str, Any] = {"type": "object"}
CYCLE["properties"] = {"a": CYCLE}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "is of the dialect 'http://json-schema.org/draft-07/schema#'"),
        ({"$schema": 5}, "is of the dialect 5"),
        ({"properties": {"a": {"$schema": "https://json-schema.org/draft/2019-09/schema"}}}, "is of the dialect"),
        ({"properties": {"a": {"$ref": "https://example.com/a.json"}}}, "would have to be fetched"),
        ({"properties": {"a": {"$ref": "other.json#/a"}}}, "would have to be fetched"),
        ({"properties": {"a": {"$dynamicRef": "file:///etc/passwd"}}}, "would have to be fetched"),
        ({"allOf": [{"if": {"$ref": "//example.com"}}]}, "would have to be fetched"),
        ({"properties": {"a": {"$ref": 5}}}, "would have to be fetched"),
        ({"properties": {"a": {"$ref": "#/$defs/A"}}}, "names nothing in the schema"),
        ({"properties": {"a": {"$ref": "#nobody"}}}, "names nothing in the schema"),
        ({"properties": {"a": {"$ref": "#/required/7"}}, "required": ["a"]}, "names nothing in the schema"),
        ({"properties": {"a": 5}}, "a schema is an object, not '5'"),
        ({"properties": {"a": {"items": [{}]}}}, "a schema is an object"),
        (nested(80), "deeper than 64"),
        (CYCLE, "deeper than 64"),
        ({"properties": {f"p{number}": {} for number in range(10_001)}}, "larger than 10000"),
    ],
)
@pytest.mark.parametrize("kind", ["input_schema", "output_schema"])
def test_what_a_client_cannot_read_is_refused_with_a_sentence(kind, schema, reason):
    with pytest.raises(RegistrationError, match=reason) as caught:
        registered(**{kind: {"type": "object", **schema}})
    assert caught.value.place.startswith("tests/lazymcp/test_given_schema.py:")


@pytest.mark.parametrize(
    "schema", [{}, True, nested(60), {"$schema": "https://json-schema.org/draft/2020-12/schema#"}, {"properties": {"$ref": {}}}]
)
def test_what_a_client_can_read_is_published(schema):
    registered(input_schema={"type": "object", "properties": {"a": schema}})
    if isinstance(schema, dict):
        registered(output_schema={**schema, "type": "object"})


def test_a_walk_knows_the_way_through_properties_only():
    paths = [path for path, _ in walk({"properties": {"a": {"properties": {"b": {"items": {"properties": {"c": {}}}}}}}})]
    assert paths == [(), ("a",), ("a", "b"), None, None]
    check_given({"default": {"$ref": "https://example.com"}, "const": {"$schema": "x"}})
