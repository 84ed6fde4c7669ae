"""lazymcp/adapter.py: what pydantic makes of a type, without its search for plugins."""

import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.errors import PydanticUserError
from typing_extensions import TypedDict

from lazymcp.adapter import adapter_of


@dataclass
class Point:
    x: int
    y: Annotated[float, Field(gt=0)] = 1.0


class Shape(BaseModel):
    points: list[Point]
    parent: "Shape | None" = None


class Opaque:
    pass


class Names(TypedDict, total=False):
    first: str


TYPES = [int, list[bytes], Point, Shape, Names, dict[str, Point | None], Annotated[str, Field(max_length=3)], float]
VALUES = [3, 0.5, float("inf"), [b"\xff"], {"x": "1", "y": 2}, {"x": 1, "y": -1}, {"points": [{"x": 1}]}, {"first": "A"}, "abcd"]
CONFIG = ConfigDict(ser_json_bytes="base64", ser_json_inf_nan="constants")


def of_pydantic(annotation):
    try:
        return TypeAdapter(annotation, config=CONFIG)
    except PydanticUserError:
        return TypeAdapter(annotation)


@pytest.mark.parametrize("annotation", TYPES, ids=str)
@pytest.mark.parametrize("has_internals", [True, False], ids=["", "another pydantic"])
def test_it_is_what_type_adapter_makes(annotation, has_internals, monkeypatch):
    """A release of pydantic without what we use of it gives the same by the public way."""
    if not has_internals:
        monkeypatch.setitem(sys.modules, "pydantic._internal._generate_schema", None)
    ours, theirs = adapter_of(annotation, CONFIG), of_pydantic(annotation)
    for mode in ("validation", "serialization"):
        assert ours.json_schema(mode=mode) == theirs.json_schema(mode=mode)
    for value in VALUES:
        assert answer(ours, value) == answer(theirs, value)


def answer(adapter, value):
    try:
        return adapter.dump_json(adapter.validate_python(value))
    except ValueError as problem:
        return str(problem)


def test_a_type_without_a_schema_is_refused_as_pydantic_does():
    with pytest.raises(PydanticUserError) as caught:
        adapter_of(Opaque)
    with pytest.raises(PydanticUserError) as expected:
        TypeAdapter(Opaque)
    assert str(caught.value) == str(expected.value)


def test_no_installed_distribution_is_read_for_it():
    """Design, section 9: from spawn to the first answer."""
    script = (
        "import sys; from lazymcp.adapter import adapter_of; adapter_of(dict[str, int]); print('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
