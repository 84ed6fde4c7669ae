"""lazymcp/schema.py: schemas for the weakest client (design, section 4)."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter

from lazymcp import RegistrationError, WidgetOnly
from lazymcp.schema import schema_of


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    """A place."""

    x: int
    title: str = "origin"


class Node(BaseModel):
    value: int
    children: list["Node"] = []


class Line(BaseModel):
    start: Point
    end: Point = Field(description="Where it ends.")
    colour: Colour = Colour.RED
    note: str | None = None


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


def sent(annotation: Any) -> dict[str, Any]:
    return schema_of(TypeAdapter(annotation), "validation")[0]


def received(annotation: Any) -> dict[str, Any]:
    return schema_of(TypeAdapter(annotation), "serialization")[0]


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema."""
    yield schema
    for key in ("properties", "$defs"):
        for child in schema.get(key, {}).values():
            yield from nodes(child)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for child in schema.get(key, ()):
            yield from nodes(child)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key])


def test_references_are_written_out_and_titles_left_out():
    point = {
        "type": "object",
        "description": "A place.",
        "properties": {"x": {"type": "integer"}, "title": {"type": "string", "default": "origin"}},
        "required": ["x"],
    }
    assert sent(Line) == {
        "type": "object",
        "properties": {
            "start": point,
            "end": {**point, "description": "Where it ends."},
            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
            "note": {"type": "string"},
        },
        "required": ["start", "end"],
    }


def test_a_type_that_contains_itself_keeps_its_reference():
    schema = sent(Node)
    assert schema["properties"]["children"] == {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []}
    assert schema["type"] == "object"
    jsonschema.validate({"value": 1, "children": [{"value": 2, "children": []}]}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"value": 1, "children": [{"value": "x"}]}, schema)


def test_an_optional_argument_is_plain_and_an_optional_result_is_honest():
    """Left out means None for who sends; who receives must know that null may come."""
    assert sent(Line)["properties"]["note"] == {"type": "string"}
    assert received(Line)["properties"]["note"] == {"type": ["string", "null"], "default": None}


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (int | None, {"type": ["integer", "null"]}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["a", "b"] | None, {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (list[Colour], {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}}),
        (Literal[1, "a"], {"enum": [1, "a"], "type": ["integer", "string"]}),
        (None, {"type": "null"}),
    ],
)
def test_what_a_type_becomes(annotation, expected):
    assert received(annotation) == expected


def test_the_branches_of_a_union_tell_themselves_apart():
    schema = sent(Annotated[Cat | Dog, Field(discriminator="kind")])
    assert schema == {
        "anyOf": [
            {"type": "object", "properties": {"kind": {"type": "string", "enum": [name]}}, "required": ["kind"]}
            for name in ("cat", "dog")
        ]
    }


@pytest.mark.parametrize(
    "annotation", [Any, list, dict, list[Any], dict[str, Any], Line, Node, Point | None, tuple[int, ...], set[Colour]]
)
@pytest.mark.parametrize("schema_for", [sent, received])
def test_every_node_is_typed(annotation, schema_for):
    for node in nodes(schema_for(annotation)):
        assert node.keys() & {"type", "anyOf", "oneOf", "$ref"}, node
        assert "title" not in node or isinstance(node["title"], dict)
        assert node.get("type") != "array" or node.keys() & {"items", "prefixItems"}


def test_a_widget_only_field_is_left_out_and_named():
    @dataclass
    class Found:
        count: int
        rows: Annotated[list[Point], WidgetOnly]

    schema, hidden = schema_of(TypeAdapter(Found), "serialization")
    assert hidden == {"rows"}
    assert schema == {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    assert "rows" in sent(Found)["properties"], "what is sent is the client's own"


def test_a_widget_only_field_that_lies_deeper_is_refused():
    """It would reach the model without anybody noticing."""

    class Inner(BaseModel):
        secret: Annotated[str, WidgetOnly]

    with pytest.raises(RegistrationError, match="deeper"):
        received(list[Inner])


def test_a_title_that_somebody_wrote_stays():
    class Named(BaseModel):
        x: int = Field(title="Across")

    assert sent(Named)["properties"]["x"] == {"type": "integer", "title": "Across"}


values = st.recursive(
    st.integers() | st.text(max_size=3) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([Line, Node, Point, list[Node], int | None, Colour | None, dict[str, Point]]),
    values | st.builds(dict, x=values, start=values, value=values),
)
def test_a_plain_output_schema_says_what_pydantics_says(annotation, value):
    """Rewriting loses no meaning: both schemas accept the same values."""
    adapter = TypeAdapter(annotation)
    theirs = jsonschema.Draft202012Validator(adapter.json_schema(mode="serialization"))
    assert jsonschema.Draft202012Validator(received(annotation)).is_valid(value) == theirs.is_valid(value)


def test_an_optional_argument_of_several_types_offers_each_but_null():
    class Asked(BaseModel):
        x: int | str | None = None

    assert sent(Asked)["properties"]["x"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}


def test_types_that_contain_each_other_keep_their_references():
    schema = sent(Folder)
    assert set(schema["$defs"]) == {"Folder", "Entry"}
    jsonschema.validate({"entries": [{"folder": {"entries": []}}]}, schema)


class Entry(BaseModel):
    folder: "Folder"


class Folder(BaseModel):
    entries: list[Entry]
