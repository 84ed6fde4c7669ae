"""A form that failed."""

from datetime import date, timedelta
from typing import Any, Literal

import pytest
from fastapi import UploadFile
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    UUID4,
    AwareDatetime,
    BaseModel,
    Field,
    FiniteFloat,
    FutureDate,
    FutureDatetime,
    HttpUrl,
    NaiveDatetime,
    PastDate,
    PastDatetime,
    TypeAdapter,
    ValidationError,
    condecimal,
    field_validator,
    model_validator,
)
from starlette.datastructures import FormData

from lazyapp.forms import EMPTY, MOST_ERRORS, FailedForm, Fields, InvalidForm, errors_by_field, in_sentences, in_words, typed_values


class Address(BaseModel):
    city: str = Field(min_length=2)


class Order(BaseModel):
    name: str = Field(min_length=1)
    nick: str = Field("nick", min_length=3, max_length=5)
    count: int = Field(1, gt=0, le=9)
    price: float = 1
    size: Literal["s", "m"] = "s"
    agreed: bool = True
    when: str = "2026-11-30"
    address: Address = Address(city="Rome")

    @field_validator("when")
    @classmethod
    def _in_words(cls, value: str) -> str:
        if value == "never":
            raise ValueError("choose a day that comes")
        return value

    @model_validator(mode="after")
    def _whole(self) -> "Order":
        if self.nick == "root":
            raise ValueError("this cannot be ordered.")
        return self


def errors_of(**values: object) -> dict[str, str]:
    try:
        Order.model_validate(values)
    except ValidationError as error:
        return errors_by_field([{**each, "loc": ("body", *each["loc"])} for each in error.errors()])
    return {}


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "", "Please fill this in."),
        ("nick", "ab", "Use at least 3 characters."),
        ("nick", "abcdef", "Use at most 5 characters."),
        ("count", "many", "Give a whole number."),
        ("count", 0, "Give more than 0."),
        ("count", 10, "Give 9 or less."),
        ("price", "cheap", "Give a number."),
        ("size", "xl", "Choose one of 's' or 'm'."),
        ("agreed", "maybe", "Choose yes or no."),
        ("when", "never", "Choose a day that comes."),
        ("when", 7, "Give a text."),
    ],
)
def test_errors_are_told_in_plain_words(field: str, value: object, words: str) -> None:
    """Design, section 3: errors by field."""
    assert errors_of(**{"name": "ada", field: value}) == {field: words}


@pytest.mark.parametrize(
    ("kind", "typed", "words"),
    [
        (condecimal(max_digits=12), "1234567890123", "Use at most 12 digits in all."),
        (condecimal(decimal_places=2), "1.234", "Use at most 2 digits after the point."),
        (condecimal(max_digits=12, decimal_places=2), "12345678901", "Use at most 10 digits before the point."),
        (FiniteFloat, "inf", "Give a number that is not infinite."),
        (int, "9" * 5000, "This number is too large."),
        (date, "2026-01-31T12:00", "Give a date without a time, such as 2026-11-30."),
        (PastDate, "9999-01-01", "Give a date that has passed."),
        (FutureDate, "2001-01-01", "Give a date that is still to come."),
        (PastDatetime, "9999-01-01T12:00", "Give a date and time that have passed."),
        (FutureDatetime, "2001-01-01T12:00", "Give a date and time that are still to come."),
        (AwareDatetime, "2001-01-01T12:00", "Give the date and time with a time zone, such as 2026-11-30T12:00Z."),
        (NaiveDatetime, "2001-01-01T12:00Z", "Give the date and time without a time zone."),
        (timedelta, "soon", "Give a length of time, such as 1:30:00."),
        (list[str], "x", "Input should be a valid list."),
        (UUID4, "0b7c0d8e-8f43-1b5c-9b8e-2f4c1d6a7e55", "This is not a valid identifier."),
        (HttpUrl, "https://a.example/" + "x" * 2100, "Give a web address of at most 2083 characters."),
    ],
)
def test_the_limits_of_numbers_days_and_addresses_are_told_in_plain_words(kind: Any, typed: str, words: str) -> None:
    """Design, section 3: what a person reads is no sentence about "decimal input"."""
    with pytest.raises(ValidationError) as failed:
        TypeAdapter(kind).validate_python(typed)
    assert in_words(failed.value.errors()[0]) == words


def test_nested_fields_and_the_whole_have_their_names() -> None:
    """Design, section 3."""
    assert errors_of(name="ada", address={"city": "x"}) == {"address.city": "Use at least 2 characters."}
    assert errors_of(name="ada", nick="root") == {"form": "This cannot be ordered."}
    assert errors_of() == {"name": "Please fill this in."}


def test_where_no_form_shows_them_errors_name_what_they_are_about() -> None:
    """RFC 9457, 3.1.4: a sentence about this occurrence."""
    text = in_sentences({"active": "Choose yes or no.", "form": "This cannot be ordered."})
    assert text == "“active” is missing or wrong. Choose yes or no. This cannot be ordered."


def test_no_message_holds_what_was_sent() -> None:
    """Issue 2: input is not echoed; pydantic's own words hold an unknown tag, and count the bytes of malformed JSON as fields."""
    tag = {
        "type": "union_tag_invalid",
        "loc": ("body", "kind"),
        "msg": "'<sent>'",
        "ctx": {"tag": "<sent>", "expected_tags": "'a', 'b'"},
    }
    json = {"type": "json_invalid", "loc": ("body", 12), "msg": "JSON decode error", "ctx": {"error": "Expecting value"}}
    assert errors_by_field([tag, json]) == {"kind": "Choose one of 'a', 'b'.", "form": "JSON decode error."}


def test_a_million_errors_are_told_as_a_hundred() -> None:
    """RFC 9457, section 3.1: a problem is read by somebody, and the loop that writes it serves others."""
    error = {"type": "int_parsing", "msg": "", "input": "x"}
    assert len(errors_by_field([{**error, "loc": ("body", "items", number)} for number in range(1000)])) == MOST_ERRORS


def test_what_was_typed_is_kept_without_secrets_and_files() -> None:
    """Issue 2: a failed form keeps its values; password-like fields are not echoed."""
    upload = UploadFile(file=None, filename="x")  # type: ignore[arg-type]
    kept = [("email", "a@b"), ("tag", "x"), ("tag", "y"), ("code", "kept"), ("spinner", "kept")]
    secrets = [
        (name, "s")
        for name in ("password", "new_password2", "passwd", "api_token", "pin", "Secret", "hidden", "keys.0.hidden", "hidden.1")
    ]
    form = FormData([*kept, *secrets, ("photo", upload)])
    values = typed_values(form, frozenset({"hidden"}))
    assert dict(values) == {"email": "a@b", "tag": ["x", "y"], "code": "kept", "spinner": "kept"}
    assert dict(typed_values(None)) == {}
    assert dict(typed_values({"a": "b", "c": 3})) == {"a": "b"}


def test_a_view_may_ask_for_any_field_before_anything_was_typed() -> None:
    """Issue 2: defined as empty on normal renders."""
    values, errors = EMPTY["form_values"], EMPTY["form_errors"]
    assert (values["email"], errors["email"], bool(values), "email" in values) == ("", "", False, False)
    assert values.get("email", "given") == "given"
    assert list(Fields({"a": 1})) == ["a"]
    assert FailedForm(errors=Fields({"a": "wrong"})).variables["form_errors"]["a"] == "wrong"


def test_an_action_can_fail_a_form_itself() -> None:
    """A rule that only the database knows."""
    error = InvalidForm(email="There is an account for this address.")
    assert str(error) == "email: There is an account for this address."


@given(st.dictionaries(st.text(), st.text()))
def test_any_form_is_kept_without_an_error(form: dict[str, str]) -> None:
    """RFC 9110, section 15.5.21: whatever was typed is shown again, and is no error of ours."""
    assert set(typed_values(form)) <= set(form)
