"""lazymcp/output.py: outputSchema and structuredContent can never disagree."""

import enum
import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import jsonschema
import pytest
from pydantic import BaseModel, Field, RootModel, computed_field
from typing_extensions import TypedDict

from lazymcp import Image, RegistrationError, ResultMetadata, Text, ToolResult, WidgetOnly
from lazymcp.output import Output, entry_of
from lazymcp.protocol import whole


class Colour(enum.Enum):
    RED = "red"


class Point(BaseModel):
    x: int
    y: int | None = None

    @computed_field
    @property
    def far(self) -> bool:
        return self.x > 10


@dataclass
class Data:
    when: date
    price: Decimal


class Typed(TypedDict):
    ids: set[UUID]


class Pair(NamedTuple):
    a: int
    b: str


class Node(BaseModel):
    value: int
    next: "Node | None" = None


class Names(RootModel[list[str]]):
    pass


ID = UUID("12345678-1234-5678-1234-567812345678")
OBJECTS = [
    (Point, Point(x=11), {"x": 11, "y": None, "far": True}),
    (Point, {"x": "11"}, {"x": 11, "y": None, "far": True}),
    (Data, Data(date(2026, 1, 2), Decimal("1.10")), {"when": "2026-01-02", "price": "1.10"}),
    (Typed, {"ids": {ID}}, {"ids": [str(ID)]}),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (Node, Node(value=1, next=Node(value=2)), {"value": 1, "next": {"value": 2, "next": None}}),
]
OTHERS = [
    (int, 5, 5),
    (bool, True, True),
    (float, 1.5, 1.5),
    (list[Point], [Point(x=1)], [{"x": 1, "y": None, "far": False}]),
    (list[Point], [{"x": 1}], [{"x": 1, "y": None, "far": False}]),
    (Point | None, None, None),
    (Point | None, Point(x=1), {"x": 1, "y": None, "far": False}),
    (Point | str, "none", "none"),
    (Colour, Colour.RED, "red"),
    (bytes, b"\xff", "_w=="),
    (list[bytes], [b"a"], ["YQ=="]),
    (UUID, ID, str(ID)),
    (datetime, datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
    (timedelta, timedelta(hours=1), "PT1H"),
    (Pair, Pair(1, "a"), [1, "a"]),
    (Names, Names(["a"]), ["a"]),
    (list[Node], [Node(value=1)], [{"value": 1, "next": None}]),
    (set[int], {1}, [1]),
]


def result_of(annotation, value, schema=None):
    output = Output(annotation, schema, "here")
    result = whole(output.to_result(value))
    if output.schema is not None and "structuredContent" in result:
        jsonschema.validate(result["structuredContent"], output.schema)
        assert output.schema["type"] == "object"
        (block,) = result["content"]
        assert json.loads(block["text"]) == result["structuredContent"]
    return result


@pytest.mark.parametrize(("annotation", "value", "expected"), OBJECTS)
def test_an_object_is_the_structured_content(annotation, value, expected):
    assert result_of(annotation, value)["structuredContent"] == expected


@pytest.mark.parametrize(("annotation", "value", "expected"), OTHERS)
def test_anything_else_is_wrapped_in_answer_and_schema_alike(annotation, value, expected):
    """MCP up to 2025-11-25 allows objects only; https://github.com/IBM/mcp-context-forge/issues/4208."""
    assert result_of(annotation, value)["structuredContent"] == {"result": expected}


def test_text_is_text_only():
    output = Output(str, None, "here")
    assert output.schema is None
    assert output.to_result("hello") == {"content": [{"type": "text", "text": "hello"}]}


def test_nothing_is_nothing():
    assert Output(None, None, "here").to_result(None) == {"content": []}


@pytest.mark.parametrize("annotation", [Any, object, Output.__init__.__annotations__.get("nothing", Any)])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"content": []}),
        ("a", {"content": [{"type": "text", "text": "a"}]}),
        ([1], {"content": [{"type": "text", "text": "[1]"}]}),
        ({"a": Decimal(1)}, {"content": [{"type": "text", "text": '{"a":"1"}'}], "structuredContent": {"a": "1"}}),
    ],
)
def test_what_is_not_declared_is_judged_when_it_comes(annotation, value, expected):
    output = Output(annotation, None, "here")
    assert output.schema is None
    assert whole(output.to_result(value)) == expected


@pytest.mark.parametrize(("annotation", "value"), [(int, "x"), (Point, {"y": 1}), (list[int], 5)])
def test_a_broken_promise_is_an_error_and_never_reaches_the_client(annotation, value):
    with pytest.raises(ValueError, match="validation error"):
        Output(annotation, None, "here").to_result(value)


class Measured(BaseModel):
    value: float


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    ("annotation", "wrap"),
    [
        (float, lambda x: x),
        (Measured, lambda x: Measured(value=x)),
        (dict[str, Any], lambda x: {"a": [x]}),
        (Any, lambda x: {"a": x}),
        (Any, lambda x: [x, "NaN"]),
        (Any, lambda x: [x, "\ud800"]),
    ],
)
def test_a_number_that_json_cannot_say_is_an_error_and_never_null(annotation, wrap, number):
    """RFC 8259, section 6; a published schema says number."""
    with pytest.raises(ValueError, match=r"NaN or infinite|not JSON compliant"):
        Output(annotation, None, "here").to_result(wrap(number))


def test_an_integer_may_have_more_digits_than_python_reads():
    """RFC 8259, section 6, sets no limit; `sys.set_int_max_str_digits` does, for reading."""
    output = Output(dict[str, int], None, "here")
    assert whole(output.to_result({"n": 10**5000}))["structuredContent"] == {"n": 10**5000}


def test_a_text_may_say_nan():
    assert result_of(dict[str, str], {"a": "NaN", "b": "-Infinity"})["structuredContent"] == {"a": "NaN", "b": "-Infinity"}


def test_widget_only_fields_travel_in_meta():
    """The promise "Export MCP Apps"; design, section 2."""

    class Found(BaseModel):
        count: int
        rows: Annotated[list[Point], WidgetOnly, Field(alias="allRows")] = []

    output = Output(Found, None, "here")
    result = output.to_result(Found(count=1, allRows=[Point(x=1)]))
    assert result["structuredContent"] == {"count": 1}
    assert result["_meta"] == {"allRows": [{"x": 1, "y": None, "far": False}]}
    assert list(output.schema["properties"]) == ["count"]


def test_a_result_may_bring_its_own_metadata():
    """Promised: MCPResultMeta."""

    class Found(BaseModel):
        count: int
        rows: list[Point] = Field([], exclude=True)

        def mcp_result_meta(self):
            return {"rows": self.rows}

    @dataclass
    class Plain:
        count: int
        secret: Annotated[int, WidgetOnly] = field(default=1)

        def mcp_result_meta(self):
            return {"at": date(2026, 1, 2)}

    result = result_of(Found, Found(count=1, rows=[Point(x=1)]))
    assert result["structuredContent"] == {"count": 1}
    assert result["_meta"] == {"rows": [{"x": 1, "y": None, "far": False}]}
    assert result_of(Plain, Plain(2))["_meta"] == {"secret": 1, "at": "2026-01-02"}
    assert result_of(Any, Plain(2))["_meta"] == {"at": "2026-01-02"}


def test_a_given_schema_is_published_as_it_stands():
    """Promised: ToolSpec.OutputSchema."""
    given = {"type": "object", "properties": {"x": {"type": "integer"}}, "x-mine": True}
    assert Output(Any, given, "here").schema == given
    assert result_of(Point, Point(x=1), given)["structuredContent"]["x"] == 1
    assert result_of(type(lambda: 0), {"x": 1}, given)["structuredContent"] == {"x": 1}
    with pytest.raises(RegistrationError, match="at its root"):
        Output(Any, {"type": "array"}, "here")


@pytest.mark.parametrize("annotation", [type(lambda: 0), list[object.__class__.__call__.__class__], dict[str, type(iter([]))]])
def test_a_type_without_a_json_form_is_refused_with_advice(annotation):
    with pytest.raises(RegistrationError, match=r"^here: the return type has no JSON form .*set output_schema"):
        Output(annotation, None, "here")


def test_an_entry_leaves_out_what_is_empty_and_must_be_json():
    assert entry_of({"title": "", "a": date(2026, 1, 2), "inputSchema": {}}, "here") == {"a": "2026-01-02", "inputSchema": {}}
    with pytest.raises(RegistrationError, match=r"^here: .*no JSON form"):
        entry_of({"meta": {"a": object()}}, "here")


@pytest.mark.parametrize(
    "annotation",
    [
        Image,
        list[Image],
        Image | None,
        list[Text | str],
        tuple[Image, str],
        Annotated[Image, 1],
        ToolResult,
        Image | Point,
        list[Any],
    ],
)
def test_whether_a_type_may_hold_content_is_known_beforehand(annotation):
    schema = Output(annotation, None, "here").schema
    assert (schema is None) is (annotation != list[Any])


def test_a_field_that_holds_an_image_is_structure():
    """Only what a function returns, alone or in a list, is content."""
    assert Output(dict[str, list[int]], None, "here").schema is not None
    assert Output(ToolResult[int], None, "here").schema == {
        "type": "object",
        "properties": {"result": {"type": "integer"}},
        "required": ["result"],
    }
    assert Output(ToolResult[str], None, "here").to_result(ToolResult(structured="x"))["structuredContent"] == {"result": "x"}


def test_a_tool_that_promises_parts_must_return_parts():
    with pytest.raises(TypeError, match="promised a ToolResult and returned int"):
        Output(ToolResult[int], None, "here").to_result(5)
    with pytest.raises(ValueError, match="validation error"):
        Output(ToolResult[Point], None, "here").to_result(ToolResult(content="no structure"))


def test_a_given_schema_goes_with_parts_and_with_content():
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}
    for annotation in (ToolResult, Image | ToolResult, ToolResult[Point]):
        output = Output(annotation, schema, "here")
        assert output.schema == schema
        result = output.to_result(ToolResult(content="one", structured=Point(x=1)))
        assert result["structuredContent"] == {"x": 1, "y": None, "far": False}


def test_structure_may_bring_its_own_metadata():
    class Told(BaseModel):
        n: int = 1

        def mcp_result_meta(self):
            return {"a": 1, "b": 1}

    assert issubclass(Told, ResultMetadata)
    result = Output(ToolResult[Told], None, "here").to_result(ToolResult(structured=Told(), meta={"b": 2}))
    assert result["_meta"] == {"a": 1, "b": 2}
