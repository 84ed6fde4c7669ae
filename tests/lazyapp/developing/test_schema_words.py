"""lazyapp/developing/schema_words.py: JSON Schema in words."""

from typing import Any

import pytest

from lazyapp.developing.schema_words import fields_of, words

LOOP: dict[str, Any] = {"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"allOf": [{"$ref": "#/$defs/row"}]}, "object"),
        ({"enum": ["up", 2]}, "'up' or 2"),
        ({"enum": list(range(40))}, " or ".join(map(str, range(12))) + " …"),
        ({"const": "up"}, "'up'"),
        ({"type": "array", "items": {"$ref": "#/$defs/row"}}, "list of object"),
        ({"type": "array"}, "list of anything"),
        ({"$ref": "#/$defs/a~1b"}, "boolean"),
        ({"$ref": "#/$defs/nobody"}, "anything"),
        ({"$ref": "#/$defs/row/type/deeper"}, "anything"),
        (True, "anything"),
        ({}, "anything"),
    ],
)
def test_a_type_is_told_as_one_would(schema, said):
    """JSON Schema 2020-12, core 8.2.3; RFC 6901."""
    assert words(schema, {"$defs": {"row": {"type": "object"}, "a/b": {"type": "boolean"}}}) == said


def test_a_schema_that_refers_to_itself_comes_to_an_end():
    assert words({"$ref": "#/$defs/tree"}, LOOP) == "list of list of list of anything"


def test_fields_have_what_a_caller_must_know():
    found = fields_of(
        {
            "properties": {
                "name": {"type": "string", "description": "Whose.", "minLength": 1, "pattern": "^a"},
                "age": {"type": "integer", "minimum": 0, "maximum": 9, "default": 3},
                "odd": True,
            },
            "required": ["name"],
        }
    )
    assert [(field.name, field.kind, field.required, field.description, field.limits) for field in found] == [
        ("name", "string", True, "Whose.", "at least 1 characters; matching ^a"),
        ("age", "integer", False, "", "at least 0; at most 9; default 3"),
        ("odd", "anything", False, "", ""),
    ]


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"type": "string"}, {"properties": {}, "required": "name"}])
def test_what_is_no_object_has_no_fields(schema):
    assert fields_of(schema) == []
