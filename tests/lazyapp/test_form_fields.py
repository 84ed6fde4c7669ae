"""What a model says about each field of a form."""

import datetime as dt
import enum
import re
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from fastapi import UploadFile
from pydantic import AliasChoices, BaseModel, EmailStr, Field, HttpUrl, SecretStr

from lazyapp.form_fields import UnknownField, as_choices, browser_pattern, form_field, value_of


class Size(enum.Enum):
    SMALL = "small"
    BIG = "big"


class Opaque:
    """Nothing that JSON could say."""


class Town(BaseModel):
    name: str = Field(title="Town")
    again: "Town | None" = None


class Everything(BaseModel):
    model_config = {"arbitrary_types_allowed": True}

    text: str = Field("", min_length=2, max_length=5, pattern="^a+$", description="Only a")
    email: EmailStr
    site: HttpUrl | None = None
    count: Annotated[int, Field(gt=0, lt=9)] = 3
    even: int = Field(multiple_of=2)
    share: float = Field(0.5, ge=0, le=1)
    price: Decimal = Field(ge=0, decimal_places=2)
    is_open: bool = False
    day: dt.date = Field(ge=dt.date(2020, 1, 1))
    at: dt.datetime | None = None
    when: dt.time | None = None
    secret: SecretStr
    size: Size = Size.SMALL
    colour: Literal["red", "sea green"] | None = None
    colours: list[Literal["red", "blue"]] = []
    sizes: set[Size] = Field(default_factory=set)
    file: UploadFile | None = None
    files: list[UploadFile] = []
    key: UUID | None = None
    opaque: Opaque | None = None
    sent: str = Field("", alias="sentAs")
    either: str = Field("", validation_alias=AliasChoices("one", "two"))
    town: Town
    towns: list[Town] = []


@pytest.mark.parametrize(
    ("name", "type_", "attributes"),
    [
        ("text", "text", {"minlength": 2, "maxlength": 5, "pattern": "a+"}),
        ("email", "email", {}),
        ("count", "number", {"min": 1, "max": 8, "step": None}),
        ("even", "number", {"step": 2}),
        ("share", "number", {"min": 0, "max": 1, "step": "any"}),
        ("price", "number", {"min": 0, "step": "0.01"}),
        ("is_open", "checkbox", {}),
        ("day", "date", {"min": "2020-01-01"}),
        ("at", "datetime-local", {}),
        ("when", "time", {}),
        ("secret", "password", {}),
        ("size", "select", {}),
        ("colours", "checkboxes", {}),
        ("sizes", "checkboxes", {}),
        ("file", "file", {}),
        ("files", "file", {}),
        ("key", "text", {}),
        ("opaque", "text", {}),
    ],
)
def test_the_annotation_decides_the_input_and_its_limits(name: str, type_: str, attributes: dict[str, Any]) -> None:
    """Issue: helpers for forms from pydantic models: types, constraints. HTML, section 4.10.5.1."""
    field = form_field(Everything, name)
    assert (field.type, dict(field.attributes)) == (type_, attributes)


def test_the_model_says_label_hint_default_and_what_is_required() -> None:
    """Issue: labels. A box that is not ticked is an answer, so none is required."""
    assert [form_field(Everything, name).label for name in ("is_open", "town.name")] == ["Is open", "Town"]
    assert form_field(Everything, "text").hint == "Only a"
    assert [form_field(Everything, name).is_required for name in ("email", "text", "is_open", "town.name")] == [
        True,
        False,
        False,
        True,
    ]
    assert form_field(Everything, "count").default == 3
    assert form_field(Everything, "sizes").default == set()


def test_choices_come_from_literals_and_enumerations() -> None:
    """Issue: helpers for forms from pydantic models."""
    assert form_field(Everything, "size").choices == (("small", "Small"), ("big", "Big"))
    assert form_field(Everything, "colour").choices == (("red", "Red"), ("sea green", "Sea green"))
    assert form_field(Everything, "colours").is_multiple
    assert as_choices({1: "One"}) == as_choices([(1, "One")]) == (("1", "One"),)
    assert as_choices(Size) == (("small", "Small"), ("big", "Big"))
    assert as_choices(["NL"]) == (("NL", "NL"),)


def test_a_field_is_sent_by_its_alias_and_found_by_either_name() -> None:
    """FastAPI reads a form's model by alias."""
    assert form_field(Everything, "sent").name == form_field(Everything, "sentAs").name == "sentAs"
    assert form_field(Everything, "either").name == "either"
    assert form_field(Everything, "towns.0.name").name == "towns.0.name"
    assert form_field(Town, "again.again.name").label == "Town"


@pytest.mark.parametrize("path", ["nobody", "email.name", "town.nobody", "", "0", "town..name"])
def test_what_is_no_field_is_named_in_the_error(path: str) -> None:
    """Design, section 6: undefined names are errors."""
    with pytest.raises(UnknownField, match=re.escape(repr(path))):
        form_field(Everything, path)


def test_values_are_found_in_objects_mappings_and_lists() -> None:
    """Issue: values."""
    source = {"towns": [Town(name="Rome")]}
    assert value_of(source, "towns.0.name") == "Rome"
    assert [value_of(source, path) for path in ("towns.1.name", "nobody", "towns.0.nobody", "towns.x")] == [None] * 4


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^[a-z]+$", "[a-z]+"),
        ("a|^b$", ".*(?:a|^b$).*"),
        (r"^[\w.-]+$", r"[\w.\-]+"),
        ("^[-a/(]$", r"[\-a\/\(]"),
        (r"^a\$", r".*(?:^a\$).*"),
        ("(?i)a", None),
        (r"\Aa\z", None),
        ("[[:alpha:]]", None),
    ],
)
def test_a_pattern_means_in_browsers_what_it_means_in_pydantic(pattern: str, expected: str | None) -> None:
    """HTML, section 4.10.5.3.6: the whole value, with the flag v; what browsers cannot read is left to the server."""
    assert browser_pattern(pattern) == expected
