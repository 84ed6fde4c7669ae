"""lazymcp/function.py, defaults: what the schema publishes and what the function gets are of one type."""

import enum
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from lazymcp import RegistrationError
from lazymcp.function import Function


class Kind(enum.Enum):
    A = "a"


def with_default(annotation, default):
    def fn(a=default): ...

    fn.__annotations__["a"] = annotation
    return Function(fn)


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, "no"),
        (int, "5"),
        (str, 5),
        (list[int], ["x"]),
        (list[int], ["1"]),
        (Literal["a", "b"], "c"),
        (Annotated[int, Field(ge=1)], "no"),
    ],
)
@pytest.mark.parametrize("wrap", [lambda value: value, Field], ids=["plain", "field"])
def test_a_default_of_another_type_is_refused(annotation, default, wrap):
    """Design, section 4: signature is schema."""
    with pytest.raises(RegistrationError, match=r"the default of a is .* which is not of its type") as caught:
        with_default(annotation, wrap(default))
    assert caught.value.place.startswith("tests/lazymcp/test_defaults.py:")


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, None),
        (int, Field(default_factory=int)),
        (int, Field(...)),
        (float, 1),
        (Decimal, 0),
        (list[int], ()),
        (Kind, Kind.A),
        (Kind, "a"),
        (Literal["a", "b"], "a"),
        (date, date(2026, 1, 2)),
        (Annotated[int, Field(alias="from")], 3),
        (int | str, "x"),
        (Any, object()),
        (float, float("nan")),
    ],
)
def test_a_default_that_is_of_its_type_or_reads_as_it_is_kept(annotation, default):
    """None stands for what is left out."""
    with_default(annotation, default)
