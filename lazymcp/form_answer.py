"""Reading what a user filled in: every value against its field, lenient where nothing is lost.

Form fields of clients are often text boxes, so a number or a yes may come as text. Everything a form's schema demands is checked
here, whether a model stands behind it or not. The client is not trusted.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final

from pydantic_core import SchemaError, SchemaValidator, core_schema

from lazymcp.asking import Unreadable

__all__ = ["fit", "fit_value", "matcher"]

_SHOWN: Final = 60
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# RFC 3339, section 5.6; a browser's own field leaves out the seconds and the offset.
_DATE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_EMAIL: Final = re.compile(r"[^@\s\x00-\x1f]{1,64}@[^@\s\x00-\x1f]{1,255}")
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f]+")
_INTEGER: Final = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,3})?", re.ASCII)


def fit(schema: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a form, each of its field's type. What the form did not ask for is left out.

    Raises:
        Unreadable: one is missing or does not fit; says which and why.
    """
    values: dict[str, Any] = {}
    problems = []
    required = schema.get("required", ())
    for name, node in schema["properties"].items():
        value = content.get(name)
        if value is None:
            if name in required:
                problems.append(f"{name}: is missing")
            continue
        try:
            values[name] = fit_value(node, value)
        except ValueError as problem:
            problems.append(f"{name}: {problem}")
    if problems:
        raise Unreadable("; ".join(problems))
    return values


def fit_value(node: Mapping[str, Any], value: Any) -> Any:
    """One value, of the type that its field has.

    Raises:
        ValueError: it does not fit; says what would.
    """
    return _READERS[node["type"]](node, value)


def _read_string(node: Mapping[str, Any], value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    _check_choice(value, _choices(node))
    _check_size(len(value), node.get("minLength"), node.get("maxLength"), "characters")
    if "format" in node and not _FORMATS[node["format"]](value):
        raise ValueError(f"must be {_SPOKEN[node['format']]}")
    if "pattern" in node and not matcher(node["pattern"])(value):
        raise ValueError(f"must match {node['pattern']}")
    return value


def _read_integer(node: Mapping[str, Any], value: Any) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise ValueError("must be a whole number")
    _check_size(value, node.get("minimum"), node.get("maximum"))
    return value


def _read_number(node: Mapping[str, Any], value: Any) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if type(value) not in (int, float) or not _is_finite(value):
        raise ValueError("must be a number")
    _check_size(value, node.get("minimum"), node.get("maximum"))
    found: float = value
    return found


def _read_boolean(node: Mapping[str, Any], value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise ValueError("must be true or false")


def _read_choices(node: Mapping[str, Any], value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of choices")
    _check_size(len(value), node.get("minItems"), node.get("maxItems"), "choices")
    for item in value:
        _check_choice(item, _choices(node["items"]))
    return value


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], Any], Any]]] = {
    "string": _read_string,
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
    "array": _read_choices,
}


def _choices(node: Mapping[str, Any]) -> list[str] | None:
    if "enum" in node:
        return list(node["enum"])
    titled = node.get("oneOf") or node.get("anyOf")
    return None if titled is None else [choice["const"] for choice in titled]


def _check_choice(value: str, choices: list[str] | None) -> None:
    if choices is not None and value not in choices:
        shown = ", ".join(choices[:20])
        raise ValueError(f"must be one of {shown}{', …' if len(choices) > 20 else ''}, not {value[:_SHOWN]!r}")


def _check_size(size: float, least: float | None, most: float | None, unit: str = "") -> None:
    if least is not None and size < least:
        raise ValueError(f"must be {least} or more" if not unit else f"must have at least {least} {unit}")
    if most is not None and size > most:
        raise ValueError(f"must be {most} or less" if not unit else f"must have at most {most} {unit}")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def _is_date(value: str) -> bool:
    return _DATE.fullmatch(value) is not None and _parses(date.fromisoformat, value)


def _is_date_time(value: str) -> bool:
    return _DATE_TIME.fullmatch(value) is not None and _parses(datetime.fromisoformat, value.upper())


def _parses(parse: Callable[[str], Any], value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True


_FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "email": lambda value: _EMAIL.fullmatch(value) is not None,
    "uri": lambda value: _URI.fullmatch(value) is not None,
    "date": _is_date,
    "date-time": _is_date_time,
}
_SPOKEN: Final = {
    "email": "an e-mail address",
    "uri": "an address with a scheme, such as https://example.com",
    "date": "a date, such as 2026-07-28",
    "date-time": "a date and time, such as 2026-07-28T12:00:00Z",
}


@lru_cache(maxsize=256)
def matcher(pattern: str) -> Callable[[str], bool]:
    """What tells whether a text matches a pattern anywhere, as JSON Schema has it.

    Raises:
        re.error: it is no pattern.
    """
    try:
        # pydantic's engine takes time in proportion to the text, whatever the pattern is.
        return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python
    except SchemaError:
        compiled = re.compile(pattern)  # it looks around, or refers back
        return lambda value: compiled.search(value) is not None
