"""A form that failed: what was typed, and what is wrong with each field in words for the person who typed it.

Knows pydantic's errors and nothing of HTTP. Which page shows them again is decided in `pages.py`.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel, SecretBytes, SecretStr

from lazyapp.errors import LazyappError
from lazyapp.secret_words import is_typed_secret

WHOLE = "form"
MOST_ERRORS = 100

_WORDS: Mapping[str, str] = {
    "missing": "Please fill this in.",
    "string_too_short": "Use at least {min_length} characters.",
    "string_too_long": "Use at most {max_length} characters.",
    "string_pattern_mismatch": "This does not have the expected form.",
    "int_parsing": "Give a whole number.",
    "int_type": "Give a whole number.",
    "int_from_float": "Give a whole number.",
    "float_parsing": "Give a number.",
    "decimal_parsing": "Give a number.",
    "decimal_type": "Give a number.",
    "float_type": "Give a number.",
    "finite_number": "Give a number that is not infinite.",
    "int_parsing_size": "This number is too large.",
    "decimal_max_digits": "Use at most {max_digits} digits in all.",
    "decimal_max_places": "Use at most {decimal_places} digits after the point.",
    "decimal_whole_digits": "Use at most {whole_digits} digits before the point.",
    "bool_parsing": "Choose yes or no.",
    "bool_type": "Choose yes or no.",
    "string_type": "Give a text.",
    "string_not_ascii": "Use plain letters, digits and signs, without accents.",
    "string_unicode": "This text has characters that cannot be read.",
    "greater_than": "Give more than {gt}.",
    "greater_than_equal": "Give {ge} or more.",
    "less_than": "Give less than {lt}.",
    "less_than_equal": "Give {le} or less.",
    "multiple_of": "Give a multiple of {multiple_of}.",
    "literal_error": "Choose one of {expected}.",
    "enum": "Choose one of {expected}.",
    "union_tag_invalid": "Choose one of {expected_tags}.",
    "date_from_datetime_parsing": "Give a date, such as 2026-11-30.",
    "date_from_datetime_inexact": "Give a date without a time, such as 2026-11-30.",
    "date_parsing": "Give a date, such as 2026-11-30.",
    "date_past": "Give a date that has passed.",
    "date_future": "Give a date that is still to come.",
    "datetime_from_date_parsing": "Give a date and time, such as 2026-11-30T12:00.",
    "datetime_parsing": "Give a date and time, such as 2026-11-30T12:00.",
    "datetime_past": "Give a date and time that have passed.",
    "datetime_future": "Give a date and time that are still to come.",
    "timezone_naive": "Give the date and time without a time zone.",
    "timezone_aware": "Give the date and time with a time zone, such as 2026-11-30T12:00Z.",
    "time_delta_parsing": "Give a length of time, such as 1:30:00.",
    "time_parsing": "Give a time, such as 12:30.",
    "uuid_parsing": "This is not a valid identifier.",
    "uuid_version": "This is not a valid identifier.",
    "url_too_long": "Give a web address of at most {max_length} characters.",
    "url_parsing": "Give a web address, such as https://example.com.",
    "url_scheme": "Give a web address, such as https://example.com.",
    "too_short": "Choose at least {min_length}.",
    "too_long": "Choose at most {max_length}.",
    "extra_forbidden": "This field is not expected.",
}


class Fields(Mapping[str, Any]):
    """Values by field name; a name that it lacks is an empty string, so a view may ask before anything was typed."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, name: str) -> Any:
        return self._values.get(name, "")

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def get(self, name: str, default: Any = None) -> Any:
        """The value, or the default when the field was not sent."""
        return self._values.get(name, default)


@dataclass(frozen=True, slots=True)
class FailedForm:
    """What the page that shows the form again is given.

    Args:
        values: what was typed, without secrets.
        errors: a message for each wrong field; `form` for what is wrong with the whole.
    """

    values: Fields = field(default_factory=Fields)
    errors: Fields = field(default_factory=Fields)

    @property
    def variables(self) -> dict[str, Any]:
        """The two variables that every view of a controller has."""
        return {"form_values": self.values, "form_errors": self.errors}


EMPTY: Mapping[str, Any] = FailedForm().variables


class InvalidForm(LazyappError):
    """Raised by an action that finds a form wrong after it was read: `raise InvalidForm(email="This address has an account.")`.

    Answered like a form that fails validation. `form="…"` is about the whole.
    """

    def __init__(self, **errors: str) -> None:
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors.items()))
        self.errors = errors


def errors_by_field(errors: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The first message for each of the first hundred errors' fields, `address.city` for a nested one.

    Args:
        errors: as pydantic and FastAPI list them, `loc` starting with `body`, `query` or `path`.
    """
    found: dict[str, str] = {}
    # Three megabytes of wrong items in a list are a million errors, which nobody reads and everybody would wait for.
    for error in errors[:MOST_ERRORS]:
        # The place in a malformed JSON is a number of bytes, not a field.
        place = [str(part) for part in error["loc"][1:]] if error["type"] != "json_invalid" else []
        found.setdefault(".".join(place) or WHOLE, in_words(error))
    return found


def in_sentences(errors: Mapping[str, str]) -> str:
    """Messages by field as a text where no form shows them: `“active” is missing or wrong. Choose yes or no.`"""
    return " ".join(message if name == WHOLE else f"“{name}” is missing or wrong. {message}" for name, message in errors.items())


def in_words(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors as a sentence to a person."""
    context = error.get("ctx") or {}
    # Browsers send an empty field as an empty text, so "at least one character" means that it was left out.
    kind = "missing" if context.get("min_length") == 1 and error["type"] == "string_too_short" else error["type"]
    words = _WORDS.get(kind)
    if words is not None:
        return words.format_map(context)
    if str(error["msg"]).startswith("value is not a valid email address"):
        return "Give an e-mail address, such as ada@example.com."
    # A validator of the application's own says it best; pydantic puts "Value error, " before what it raised.
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?")) else ".")


def typed_values(body: Any, secret_fields: frozenset[str] = frozenset()) -> Fields:
    """What was typed, to be shown again: text only, a list where a name came several times, no file and no secret.

    Args:
        body: the form as Starlette parsed it, or a mapping.
        secret_fields: names not to be echoed besides those that look like a secret's; `pin` is `owner.pin` and `pin.0` too.
    """
    if not isinstance(body, Mapping):
        return Fields()
    values: dict[str, Any] = {}
    for name in body:
        given = body.getlist(name) if hasattr(body, "getlist") else [body[name]]
        texts = [value for value in given if isinstance(value, str)]
        if texts and secret_fields.isdisjoint(name.split(".")) and not is_typed_secret(name):
            values[name] = texts[0] if len(texts) == 1 else texts
    return Fields(values)


def secret_names(fields: Iterable[tuple[str, Any]]) -> frozenset[str]:
    """The names of fields that are typed as secrets, among these names with their types and in the models that they lead to."""
    found: set[str] = set()
    seen: set[type[BaseModel]] = set()
    waiting = list(fields)
    while waiting:
        name, annotation = waiting.pop()
        for kind in _kinds(annotation):
            if kind in (SecretStr, SecretBytes):
                found.add(name)
            elif inspect.isclass(kind) and issubclass(kind, BaseModel) and kind not in seen:
                seen.add(kind)
                waiting += [(field.alias or word, field.annotation) for word, field in kind.model_fields.items()]
    return frozenset(found)


def _kinds(annotation: Any) -> Iterator[Any]:
    """A type, and all that it is made of: of `list[Address] | None` the list, the address and None."""
    yield annotation
    for part in get_args(annotation):
        yield from _kinds(part)
