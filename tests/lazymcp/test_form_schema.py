"""lazymcp/form_schema.py: what a form may look like. MCP 2026-07-28, client/elicitation, "Requested schema"; SEP-1034, SEP-1330."""

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import methods
from pydantic import AnyUrl, BaseModel, Field, SecretStr, TypeAdapter, create_model
from typing_extensions import TypedDict

from lazymcp import Titles
from lazymcp.form_schema import check_form, form_schema
from tests.lazymcp.wire import judge


class Colour(Enum):
    """What it looks like."""

    RED = "red"
    GREEN = "green"


class Level(IntEnum):
    LOW = 1


def schema(model: Any) -> dict[str, Any]:
    found = form_schema(TypeAdapter(model), "Form")
    for era in ("2025-11-25", "2025-06-18"):
        question = {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": found}}
        if era == "2025-11-25" or ("oneOf" not in str(found) and "array" not in str(found)):
            judge(era, {"jsonrpc": "2.0", "id": 1, **question})
    return found


def field(annotation: Any, default: Any = ...) -> dict[str, Any]:
    return schema(create_model("Form", x=(annotation, default)))["properties"]["x"]


@pytest.mark.parametrize(
    ("annotation", "default", "expected"),
    [
        (str, ..., {"type": "string"}),
        (str, "a", {"type": "string", "default": "a"}),
        (str | None, None, {"type": "string"}),
        (str | None, "a", {"type": "string", "default": "a"}),
        (int, 30, {"type": "integer", "default": 30}),
        (float, 95.5, {"type": "number", "default": 95.5}),
        (bool, True, {"type": "boolean", "default": True}),
        (bool | None, None, {"type": "boolean"}),
        (date, ..., {"type": "string", "format": "date"}),
        (datetime | None, None, {"type": "string", "format": "date-time"}),
        (date, date(2026, 7, 28), {"type": "string", "format": "date", "default": "2026-07-28"}),
        (
            Annotated[str, Field(min_length=1, max_length=9, pattern="^a")],
            ...,
            {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a"},
        ),
        (Annotated[str, Field(json_schema_extra={"format": "email"})], ..., {"type": "string", "format": "email"}),
        (
            Annotated[int, Field(ge=0, le=150, title="Age", description="In years")],
            ...,
            {"type": "integer", "minimum": 0, "maximum": 150, "title": "Age", "description": "In years"},
        ),
        (Annotated[int, Field(gt=0, lt=10)], ..., {"type": "integer", "minimum": 1, "maximum": 9}),
        (Annotated[float, Field(gt=0)], ..., {"type": "number"}),
        (Annotated[int, Field(multiple_of=2)], ..., {"type": "integer"}),
        (Literal["a", "b"], "b", {"type": "string", "enum": ["a", "b"], "default": "b"}),
        (Literal["a"], ..., {"type": "string", "enum": ["a"]}),
        (Literal["a", "b"] | None, None, {"type": "string", "enum": ["a", "b"]}),
        (
            Colour,
            Colour.GREEN,
            {"type": "string", "enum": ["red", "green"], "default": "green", "description": "What it looks like."},
        ),
        (
            Annotated[Colour, Titles(red="Rot")],
            ...,
            {
                "type": "string",
                "oneOf": [{"const": "red", "title": "Rot"}, {"const": "green", "title": "green"}],
                "description": "What it looks like.",
            },
        ),
        (
            Annotated[Literal["a-b", "c"], Titles({"a-b": "A to B"}, c="C")],
            "c",
            {"type": "string", "oneOf": [{"const": "a-b", "title": "A to B"}, {"const": "c", "title": "C"}], "default": "c"},
        ),
        (
            Annotated[Literal["a", "b"], Titles(a="A")] | None,
            None,
            {"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "b"}]},
        ),
        (
            Annotated[Literal["a", "b"], Titles(a="A"), Field(title="Which")],
            ...,
            {"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "b"}], "title": "Which"},
        ),
        (list[Literal["a", "b"]], ["a"], {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": ["a"]}),
        (set[Colour], ..., {"type": "array", "items": {"type": "string", "enum": ["red", "green"]}}),
        (
            Annotated[list[Literal["a", "b"]], Field(min_length=1, max_length=2)],
            ...,
            {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1, "maxItems": 2},
        ),
        (
            Annotated[list[Literal["a", "b"]], Titles(a="A")],
            ...,
            {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "b"}]}},
        ),
        (
            Annotated[frozenset[Colour], Titles(red="Rot", green="Grün")],
            ...,
            {"type": "array", "items": {"anyOf": [{"const": "red", "title": "Rot"}, {"const": "green", "title": "Grün"}]}},
        ),
    ],
)
def test_a_field_of_a_model_is_a_field_of_the_form(annotation, default, expected):
    """MCP 2026-07-28, client/elicitation: text, numbers, booleans and the shapes of choices, with defaults."""
    assert field(annotation, default) == expected


def test_a_url_is_a_field_too():
    assert field(AnyUrl)["format"] == "uri"


def test_what_has_a_default_may_be_left_out():
    class Form(BaseModel):
        a: int
        b: int = 1
        c: int | None = None

    assert schema(Form)["required"] == ["a"]
    assert schema(Form).keys() == {"type", "properties", "required"}


def test_dataclasses_and_typed_dictionaries_are_forms():
    @dataclass
    class Data:
        a: int
        b: str = "x"

    class Typed(TypedDict):
        a: int

    assert schema(Data)["properties"] == {"a": {"type": "integer"}, "b": {"type": "string", "default": "x"}}
    assert schema(Typed) == {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert schema(create_model("Nothing")) == {"type": "object", "properties": {}}


class Inner(BaseModel):
    a: int


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (Inner, "x is nested"),
        (Inner | None, "x is nested"),
        (dict[str, str], "x is nested"),
        (list[str], "list without choices"),
        (list[int], "list without choices"),
        (list[Inner], "list without choices"),
        (list[list[str]], "list without choices"),
        (tuple[int, int], "x has"),
        (int | str, "several types"),
        (Decimal, "several types"),
        (Any, "several types"),
        (None, "null"),
        (Level, "enum"),
        (Literal[1, 2], "enum"),
        (Literal["a", 1], "several types"),
        (bytes, "format binary"),
        (time, "format time"),
        (UUID, "format uuid"),
        (SecretStr, "secret"),
        (Annotated[str, Field(json_schema_extra={"x-more": 1})], "x-more"),
        (Annotated[str, Field(json_schema_extra={"format": "hostname"})], "format hostname"),
    ],
)
def test_what_no_form_can_hold_is_refused_by_name(annotation, reason):
    """MCP 2026-07-28, client/elicitation: flat objects of primitives only."""
    with pytest.raises(TypeError) as refused:
        field(annotation)
    assert reason in str(refused.value)
    assert "Form cannot be a form: x " in str(refused.value)


@pytest.mark.parametrize("model", [int, list[int], dict[str, int], Literal["a"], Any, Colour, object])
def test_what_is_no_object_is_no_form(model):
    with pytest.raises(TypeError, match="cannot be a form"):
        schema(model)


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (Annotated[int, Field(ge=10)], 5),
        (Literal["a"], "b"),
        (int, "x"),
        (Annotated[str, Field(max_length=1)], "ab"),
        (list[Literal["a"]], ["b"]),
    ],
)
def test_a_default_that_the_form_would_refuse_is_refused(annotation, default):
    with pytest.raises(TypeError, match="default"):
        field(annotation, default)


@pytest.mark.parametrize(
    "annotation", [Annotated[str, Titles(a="A")], Annotated[Literal["a"], Titles(b="B")], Annotated[int, Titles(a="A")]]
)
def test_titles_name_what_can_be_chosen(annotation):
    with pytest.raises(TypeError, match="Titles names"):
        field(annotation)


LEGACY = {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a"}


@pytest.mark.parametrize(
    "node",
    [
        LEGACY,
        {"type": "string", "enum": ["a"]},
        {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
        {"type": "array", "items": {"type": "string", "enum": ["a"]}},
        {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "minItems": 0},
        {"type": "string", "format": "email", "title": "T", "description": "D"},
        {"type": "number", "minimum": 0.5, "maximum": 2},
        {"type": "boolean", "default": False},
    ],
)
def test_a_schema_given_verbatim_may_have_all_shapes(node):
    """SEP-1330: the five shapes of choices, `enumNames` of older clients among them."""
    check_form({"type": "object", "properties": {"x": node}, "required": ["x"]}, "requested_schema")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"type": "object"},
        {"type": "array", "properties": {}},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {}, "$defs": {}},
        {"type": "object", "properties": {}, "required": ["y"]},
        {"type": "object", "properties": {}, "required": "y"},
        *[
            {"type": "object", "properties": {"x": node}}
            for node in [
                None,
                [],
                True,
                {},
                {"type": "null"},
                {"type": ["string", "null"]},
                {"type": "object", "properties": {}},
                {"$ref": "#/x"},
                {"type": "string", "minLength": -1},
                {"type": "string", "minLength": "1"},
                {"type": "string", "enum": []},
                {"type": "string", "enum": [1]},
                {"type": "string", "enum": "ab"},
                {"type": "string", "enum": ["a"], "enumNames": ["A", "B"]},
                {"type": "string", "enumNames": ["A"]},
                {"type": "string", "oneOf": [{"const": "a"}]},
                {"type": "string", "oneOf": []},
                {"type": "string", "oneOf": [{"const": 1, "title": "A"}]},
                {"type": "string", "pattern": "("},
                {"type": "string", "pattern": 5},
                {"type": "string", "default": 5},
                {"type": "string", "contentMediaType": "x"},
                {"type": "integer", "minimum": "1"},
                {"type": "integer", "minimum": True},
                {"type": "integer", "multipleOf": 2},
                {"type": "boolean", "enum": [True]},
                {"type": "array"},
                {"type": "array", "items": {"type": "string"}},
                {"type": "array", "items": {"enum": ["a"]}},
                {"type": "array", "items": {"type": "string", "enum": ["a"], "minLength": 1}},
            ]
        ],
    ],
)
def test_a_schema_that_clients_cannot_draw_is_refused(given):
    """MCP 2026-07-28, client/elicitation: a restricted subset of JSON Schema."""
    with pytest.raises(TypeError, match="requested_schema cannot be a form"):
        check_form(given, "requested_schema")


FIELDS = st.sampled_from(
    [str, int, float, bool, date, datetime, Colour, Literal["a", "b"], list[Literal["a", "b"]], set[Colour], str | None, int | None]
)


@given(st.dictionaries(st.from_regex("[a-z][a-z0-9]{0,5}", fullmatch=True), FIELDS, max_size=6))
def test_every_form_is_what_the_protocol_allows(fields):
    """Held against the models of `mcp_types`, and against JSON Schema itself."""
    found = schema(create_model("Form", **{name: (kind, ...) for name, kind in fields.items()}))
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["properties"].keys() == fields.keys()
    assert found.get("required", []) == list(fields)
    assert ("elicitation/create", "2025-11-25") in methods.SERVER_REQUESTS
