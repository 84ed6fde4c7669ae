"""Typed fields as they are typed on the command line: `title:str`, `price:Decimal=0`, `due:date?`, `status:draft|paid`."""

import ast
import datetime as dt
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from lazyapp.errors import ConfigurationError
from lazyapp.generators.imports import Import
from lazyapp.generators.names import check_word, in_words, is_taken_by_python, title

_FIELD = re.compile(r"(?P<name>[^:?=]*)(?::(?P<kind>[^?=]*))?(?P<optional>\?)?(?:=(?P<default>.*))?", re.DOTALL)
_CHOICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
# What a method or a model would take for something else: its own arguments, its types, and what pydantic's models have.
_TAKEN = frozenset(
    "cls construct copy ctx date datetime dict from_orm json params parse_obj schema self update_forward_refs".split()
)
_SPOKEN = frozenset("filter format hash help id input max min next range sum type".split())
_HINT = "write for example title:str, limit:int=10, price:Decimal, shipped_at:datetime?, tags:list[str] or 'status:draft|paid'"


class Kind(NamedTuple):
    """A type that a field may have.

    Args:
        annotation: in Python.
        imports: what the annotation, the example and a default need.
        example: a value as an expression.
        wire: the same value as JSON and forms have it, as an expression.
    """

    annotation: str
    imports: tuple[Import, ...]
    example: str
    wire: str


_DATETIME = Import("datetime", "datetime")
KINDS = {
    "str": Kind("str", (), '"example"', '"example"'),
    "int": Kind("int", (), "3", "3"),
    "float": Kind("float", (), "2.5", "2.5"),
    "bool": Kind("bool", (), "True", "True"),
    "Decimal": Kind("Decimal", (Import("decimal", "Decimal"),), 'Decimal("9.50")', '"9.50"'),
    "date": Kind("date", (Import("datetime", "date"),), "date(2026, 1, 31)", '"2026-01-31"'),
    "datetime": Kind(
        "datetime",
        (Import("datetime", "UTC"), _DATETIME),
        "datetime(2026, 1, 31, 12, 0, tzinfo=UTC)",
        '"2026-01-31T12:00:00Z"',
    ),
    "UUID": Kind(
        "UUID",
        (Import("uuid", "UUID"),),
        'UUID("0b7c0d8e-8f43-4b5c-9b8e-2f4c1d6a7e55")',
        '"0b7c0d8e-8f43-4b5c-9b8e-2f4c1d6a7e55"',
    ),
    "list[str]": Kind("list[str]", (), '["one", "two"]', '["one", "two"]'),
}
_SAID = {
    "str": "as a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "Decimal": "a decimal number such as 9.50",
    "date": "a date such as 2026-01-31",
    "datetime": "a moment such as 2026-01-31T12:00:00Z",
    "UUID": "a UUID",
    "list[str]": "a list of texts",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    Args:
        name: in small letters.
        kind: a name of `KINDS`, `choice` or `references`.
        is_optional: whether None is a value.
        default: as an expression of Python; None: there is none.
        choices: of a `choice`.
    """

    name: str
    kind: str
    is_optional: bool = False
    default: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def bare(self) -> str:
        """Its type without None."""
        if self.kind == "choice":
            return f"Literal[{', '.join(map(quoted, self.choices))}]"
        return KINDS[self.kind].annotation

    @property
    def annotation(self) -> str:
        """Its type."""
        return f"{self.bare} | None" if self.is_optional else self.bare

    @property
    def imports(self) -> list[Import]:
        """What its type needs."""
        if self.kind == "choice":
            return [Import("typing", "Literal")]
        return [each for each in KINDS[self.kind].imports if each.name != "UTC"]

    @property
    def example(self) -> str:
        """A value, as an expression."""
        return quoted(self.choices[0]) if self.choices else KINDS[self.kind].example

    @property
    def wire(self) -> str:
        """The same value as JSON has it, as an expression."""
        return quoted(self.choices[0]) if self.choices else KINDS[self.kind].wire

    @property
    def words(self) -> str:
        """What it is, for people: `shipped at`."""
        return in_words(self.name)

    @property
    def said(self) -> str:
        """What it is, as a sentence for a model: `Shipped at, a moment such as 2026-01-31T12:00:00Z.`"""
        kind = f"one of {', '.join(self.choices)}" if self.choices else _SAID[self.kind]
        return f"{title(self.name)}, {kind}."


def quoted(text: str) -> str:
    """A text as an expression, in double quotes."""
    return f'"{text}"' if text.isprintable() and not set(text) & set('"\\') else repr(text)


def parse(texts: Sequence[str], *, references: bool = False) -> list[Field]:
    """The fields that were typed.

    Args:
        texts: one a field.
        references: whether a field may name a row of another table, `user:references`.

    Raises:
        ConfigurationError: one cannot be read, or two have the same name.
    """
    fields = [_parsed(text, references) for text in texts]
    names = [each.name for each in fields]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigurationError(f"Two fields are called {twice!r}; give each its own name.")
    return fields


def in_order(fields: Sequence[Field]) -> list[Field]:
    """Those that must be given before those that need not, as a signature wants them."""
    return sorted(fields, key=lambda each: each.default is not None or each.is_optional)


def _parsed(text: str, references: bool) -> Field:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ConfigurationError(f"{text!r} is no field; {_HINT}.")
    name = check_word(match["name"], "a field")
    if name in _TAKEN or name.startswith("model_") or (is_taken_by_python(name) and name not in _SPOKEN):
        raise ConfigurationError(f"{name!r} has a meaning in Python or pydantic and cannot be the name of a field; choose another.")
    said, is_optional = match["kind"] if match["kind"] is not None else "str", match["optional"] is not None
    if said == "references" and references:
        if match["default"] is not None:
            raise ConfigurationError(f"{text!r}: a reference has no default; leave ={match['default']} out.")
        return Field(name, "references", is_optional)
    choices = tuple(said.split("|")) if "|" in said else ()
    if choices:
        _check_choices(text, choices)
    elif said not in KINDS:
        known = ", ".join([*KINDS, *(["references"] if references else [])])
        raise ConfigurationError(f"{text!r}: {said!r} is no type; there are {known}, and choices such as draft|paid.")
    kind = "choice" if choices else said
    return Field(
        name, kind, is_optional, None if match["default"] is None else _default(text, kind, choices, match["default"]), choices
    )


def _check_choices(text: str, choices: Sequence[str]) -> None:
    if len(set(choices)) != len(choices) or not all(map(_CHOICE.fullmatch, choices)):
        raise ConfigurationError(f"{text!r}: choices are different words of letters, digits, - and _, such as draft|paid.")


def _default(text: str, kind: str, choices: Sequence[str], typed: str) -> str:
    """A default as an expression of Python."""
    if kind == "choice" and typed not in choices:
        raise ConfigurationError(f"{text!r}: the default {typed!r} is none of {', '.join(choices)}.")
    if kind in {"choice", "str"}:
        return quoted(typed)
    try:
        found = _read(kind, typed)
    except (ValueError, InvalidOperation, SyntaxError):
        raise ConfigurationError(f"{text!r}: {typed!r} is no {kind}; leave the default out, or correct it.") from None
    return found


def _read(kind: str, typed: str) -> str:
    if kind in {"int", "float"}:
        value = ast.literal_eval(typed.strip())
        if isinstance(value, bool) or not isinstance(value, int if kind == "int" else int | float):
            raise ValueError(typed)
        return repr(value)
    if kind == "bool":
        return {"true": "True", "false": "False", "yes": "True", "no": "False"}.get(typed.lower()) or _refuse(typed)
    if kind == "Decimal":
        number = Decimal(typed)
        return f'Decimal("{number}")' if number.is_finite() else _refuse(typed)
    if kind == "date":
        day = dt.date.fromisoformat(typed)
        return f"date({day.year}, {day.month}, {day.day})"
    if kind == "UUID":
        return f'UUID("{uuid.UUID(typed)}")'
    # A moment that is fixed when the code is written, or a list that all share, is nobody's default.
    return _refuse(typed)


def _refuse(typed: str) -> str:
    raise ValueError(typed)
