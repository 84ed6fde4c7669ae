"""The fields of a spec, held against their types: a mistake here would fail later, far from the line it is written on."""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from lazymcp.errors import RegistrationError

__all__ = ["check_fields"]


_WORDS: Final[Mapping[type, str]] = {str: "a text", bool: "True or False", Sequence: "a list", Mapping: "a mapping"}


def check_fields(spec: Any) -> None:
    """Refuse a field of another type: a text where a list belongs, an unhashable name, a number for a description.

    Raises:
        RegistrationError: naming the field, what it must be and what it is.
    """
    for name, allowed in _allowed(spec.__class__).items():
        value = getattr(spec, name)
        is_text_for_list = isinstance(value, str | bytes) and str not in allowed and Sequence in allowed
        if not isinstance(value, allowed) or is_text_for_list:
            expected = " or ".join("None" if kind is type(None) else _WORDS.get(kind, kind.__name__) for kind in allowed)
            raise RegistrationError(f"{type(spec).__name__}.{name} must be {expected}, not {value!r}")
        if is_dataclass(value):
            check_fields(value)


@cache
def _allowed(cls: type) -> dict[str, tuple[type, ...]]:
    hints = typing.get_type_hints(cls)
    return {field.name: _classes(hints[field.name]) for field in fields(cls)}


def _classes(hint: Any) -> tuple[type, ...]:
    """The classes an annotation allows at its surface."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return tuple(cls for part in typing.get_args(hint) for cls in _classes(part))
    found = typing.get_origin(hint) or hint
    return (found,) if isinstance(found, type) else (object,)
