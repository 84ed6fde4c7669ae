"""lazymcp/schema.py and output.py: whatever type a module uses, clients read its schema, and what is returned fits it."""

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypeVar
from uuid import UUID

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import (
    AliasChoices,
    AnyUrl,
    BaseModel,
    ByteSize,
    ConfigDict,
    Field,
    Json,
    JsonValue,
    RootModel,
    SecretStr,
    TypeAdapter,
    computed_field,
)
from typing_extensions import TypeAliasType, TypedDict

from lazymcp.function import Function
from lazymcp.given_schema import check_given, walk
from lazymcp.output import Output
from lazymcp.protocol import whole
from lazymcp.schema import schema_of

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Mixed(enum.Enum):
    A = 1
    B = "b"


class Point(BaseModel):
    x: int
    note: str | None = None


class Box(BaseModel, Generic[T]):
    value: T
    more: list[T] = []


class Tree(BaseModel):
    v: int
    kids: list["Tree"] = []
    parent: "Tree | None" = None


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    friend: "Dog | Cat | None" = None


class Pair(NamedTuple):
    a: int
    b: str = "x"


class Typed(TypedDict):
    a: NotRequired[int]
    b: list[Point]


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    from_: int = Field(alias="from")
    c: str = Field("x", validation_alias=AliasChoices("c1", "c2"))


class Computed(BaseModel):
    w: int = 1

    @computed_field
    @property
    def area(self) -> Decimal:
        return Decimal(self.w)


@dataclass
class Data:
    d: date
    t: timedelta = timedelta(1)


class Root(RootModel[dict[str, Point]]):
    pass


JSONType = TypeAliasType("JSONType", "dict[str, JSONType] | list[JSONType] | str | int | None")
Pet = Annotated[Cat | Dog, Field(discriminator="kind")]

TYPES: list[Any] = [
    *[Any, object, list, dict, dict[str, Any], JsonValue, JSONType, Json, Json[list[Point]]],
    *[Decimal, Decimal | None, date, time, datetime, timedelta, UUID, bytes, Path, AnyUrl, SecretStr, ByteSize, None, int | float],
    *[Colour, Mixed, Colour | None, Literal[1, "a", None], set[Colour], frozenset[int], dict[Colour, int], dict[UUID, Point]],
    *[Tree, Tree | None, list[Tree], Pet, list[Pet], dict[str, Pet], Point | None, list[Point | None], Point | Colour | None],
    *[Box[int], Box[Box[Point]], Box[Tree], Pair, list[Pair], tuple[int, ...], tuple[int, str], tuple[int, int], tuple[()]],
    *[Typed, Aliased, Computed, Data, Root, dict[int, Point], Sequence[Point], Mapping[str, int], complex],
    Annotated[list[int], Field(min_length=1, max_length=3)],
    Annotated[dict[str, int], Field(examples=[{"a": 1}], description="D")],
]


def nodes_of(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (node for _, node in walk(schema))


@pytest.mark.parametrize("mode", ["validation", "serialization"])
@pytest.mark.parametrize("annotation", TYPES, ids=str)
def test_every_schema_is_read_by_the_weakest_client(annotation, mode):
    """Design, section 4: typed throughout, no reference but to what contains itself, no title noise, no keyword that is dropped."""
    schema, _ = schema_of(TypeAdapter(annotation), mode)
    jsonschema.Draft202012Validator.check_schema(schema)
    check_given(schema)
    for node in nodes_of(schema):
        assert node.keys() & {"type", "anyOf", "$ref"}, node
        assert not node.keys() & {"const", "oneOf", "discriminator", "x-widget-only"}, node
        assert not isinstance(node.get("title"), str), node
        assert node.get("type") != "array" or "items" in node, node
        if mode == "validation" and "array" in node.get("type", ()):
            assert "items" in node, "OpenAI refuses an array without items, whatever else the value may be"
    assert {name for name in schema.get("$defs", {}) if name not in {"Tree", "Dog", "JSONType"}} == set()


@pytest.mark.parametrize("annotation", TYPES, ids=str)
def test_every_type_may_be_an_argument_and_an_optional_one(annotation):
    def fn(a, b=None): ...

    fn.__annotations__ = {"a": annotation, "b": annotation | None if annotation is not None else None}
    schema = Function(fn).schema
    jsonschema.Draft202012Validator.check_schema(schema)
    check_given(schema)
    assert schema["required"] == ["a"]


def test_a_class_is_no_title_wherever_it_is_defined():
    """pydantic names a generic class, and one that shares its name with another, by more than its name."""
    first = type("Same", (BaseModel,), {"__module__": "one", "__annotations__": {"a": int}})
    other = type("Same", (BaseModel,), {"__module__": "two", "__annotations__": {"b": int}})
    schema, _ = schema_of(TypeAdapter(tuple[first, other, Box[Point]]), "validation")
    assert all("title" not in node for node in nodes_of(schema))


def test_a_choice_of_fields_keeps_its_meaning():
    schema, _ = schema_of(TypeAdapter(list[Pet]), "serialization")
    valid = jsonschema.Draft202012Validator(schema).is_valid
    assert valid([{"kind": "cat", "lives": 1}, {"kind": "dog", "friend": {"kind": "dog", "friend": None}}])
    assert not valid([{"kind": "bird"}])
    assert not valid([{"kind": "dog", "friend": {"kind": "bird"}}])


def test_a_tuple_is_told_to_who_reads_items_only():
    schema, _ = schema_of(TypeAdapter(tuple[int, str]), "validation")
    assert schema["items"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    valid = jsonschema.Draft202012Validator(schema).is_valid
    assert (valid([1, "a"]), valid(["a", 1]), valid([1]), valid([1, "a", 2])) == (True, False, False, False)


points = st.builds(Point, x=st.integers(), note=st.none() | st.text())
trees = st.recursive(
    st.builds(Tree, v=st.integers()),
    lambda inner: st.builds(Tree, v=st.integers(), kids=st.lists(inner, max_size=2), parent=st.none() | inner),
    max_leaves=5,
)
pets = st.builds(Cat) | st.builds(Dog, friend=st.none() | st.builds(Cat) | st.builds(Dog))
finite = st.decimals(allow_nan=False, allow_infinity=False)
jsons = st.recursive(
    st.none() | st.text() | st.integers(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)
VALUES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (Decimal, finite),
    (Decimal | None, st.none() | finite),
    (int | float, st.integers() | st.floats(allow_nan=False, allow_infinity=False)),
    (date, st.dates()),
    (time, st.times()),
    (datetime, st.datetimes(timezones=st.timezones())),
    (timedelta, st.timedeltas(timedelta(-(10**4)), timedelta(10**4))),
    (UUID, st.uuids()),
    (bytes, st.binary()),
    (Colour | None, st.none() | st.sampled_from(Colour)),
    (Mixed, st.sampled_from(Mixed)),
    (set[Colour], st.sets(st.sampled_from(Colour))),
    (dict[Colour, int], st.dictionaries(st.sampled_from(Colour), st.integers())),
    (dict[UUID, Point], st.dictionaries(st.uuids(), points, max_size=2)),
    (dict[int, Point], st.dictionaries(st.integers(), points, max_size=2)),
    (Point | None, st.none() | points),
    (Tree, trees),
    (list[Tree], st.lists(trees, max_size=2)),
    (list[Pet], st.lists(pets, max_size=3)),
    (Box[Box[Point]], st.builds(Box[Box[Point]], value=st.builds(Box[Point], value=points))),
    (Pair, st.builds(Pair, st.integers(), st.text())),
    (tuple[int, str], st.tuples(st.integers(), st.text())),
    (Typed, st.fixed_dictionaries({"b": st.lists(points, max_size=2)}, optional={"a": st.integers()})),
    (Aliased, st.builds(Aliased, from_=st.integers())),
    (Computed, st.builds(Computed, w=st.integers())),
    (Data, st.builds(Data, d=st.dates(), t=st.timedeltas(timedelta(0), timedelta(99)))),
    (Root, st.builds(Root, st.dictionaries(st.text(), points, max_size=2))),
    (JSONType, jsons),
    (JsonValue, jsons),
]
OUTPUTS = [(Output(annotation, None, "here"), values) for annotation, values in VALUES]


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_is_returned_fits_the_schema_that_was_published(data):
    """MCP, server/tools, "Output schema"; https://github.com/modelcontextprotocol/python-sdk/issues/2626."""
    output, values = data.draw(st.sampled_from(OUTPUTS))
    result = whole(output.to_result(data.draw(values)))
    jsonschema.validate(result["structuredContent"], output.schema)
