"""Values of a database as JSON has them, short enough to be read by a model."""

import json
from collections.abc import Mapping
from typing import Any

from lazyapp.secret_words import MASK, is_secret, masked

LONGEST = 2_000


def shown(value: Any) -> Any:
    """One value: numbers and truths as they are, text cut at LONGEST characters, bytes by their number, anything else as text."""
    if value is None or isinstance(value, bool | int | float):
        return value if not isinstance(value, float) or (value == value and abs(value) != float("inf")) else str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"({len(bytes(value))} bytes)"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple) and not hasattr(value, "keys"):
        return [shown(each) for each in value]
    if isinstance(value, Mapping) or hasattr(value, "keys"):  # a row of PostgreSQL within a row
        return {str(key): MASK if is_secret(str(key)) else shown(value[key]) for key in value.keys()}  # noqa: SIM118
    return cut(str(value))


def cut(text: str) -> str:
    """A text, its end left out when it is long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def _text(text: str) -> str:
    """A text; one that is JSON without the secrets in it."""
    if text[:1] in "{[" and text[-1:] in "}]":
        try:
            held = json.loads(text)
        except (ValueError, RecursionError):
            return cut(text)
        hidden = masked(held)
        return cut(json.dumps(hidden, ensure_ascii=False) if hidden != held else text)
    return cut(text)
