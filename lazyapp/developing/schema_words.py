"""A JSON Schema in words: what a reader wants to know of each argument before they read the schema itself. Rules only."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

_DEEP: Final = 6
_CHOICES: Final = 12
_LIMITS: Final = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
    "format": "{}",
}


class Field(NamedTuple):
    """One property of an object."""

    name: str
    kind: str
    required: bool
    description: str
    limits: str


def fields_of(schema: Mapping[str, Any]) -> list[Field]:
    """The properties of an object's schema, in order; empty for any other."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return []
    required = schema.get("required")
    wanted = required if isinstance(required, list) else []
    return [
        Field(str(name), words(part, schema), name in wanted, _text(part, "description"), "; ".join(_limits(part)))
        for name, part in properties.items()
    ]


def words(part: Any, whole: Mapping[str, Any], depth: int = 0) -> str:
    """The type of one schema, as in `list of string` or `"up" or "down"`."""
    if not isinstance(part, Mapping) or depth > _DEEP:
        return "anything"
    if isinstance(reference := part.get("$ref"), str):
        return words(_referred(reference, whole), whole, depth + 1)
    for name in ("anyOf", "oneOf", "allOf"):
        if isinstance(choices := part.get(name), list) and choices:
            joint = " and " if name == "allOf" else " or "
            return joint.join(dict.fromkeys(words(each, whole, depth + 1) for each in choices[:_CHOICES]))
    if "const" in part:
        return repr(part["const"])
    if isinstance(values := part.get("enum"), list):
        return " or ".join(repr(each) for each in values[:_CHOICES]) + (" …" if len(values) > _CHOICES else "")
    kind = part.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(map(str, kind))
    if kind == "array":
        return f"list of {words(part.get('items'), whole, depth + 1)}"
    return str(kind)


def _referred(reference: str, whole: Mapping[str, Any]) -> Any:
    """What a reference within the document names. RFC 6901, section 6."""
    found: Any = whole
    for step in reference.removeprefix("#/").split("/"):
        if not isinstance(found, Mapping):
            return None
        found = found.get(step.replace("~1", "/").replace("~0", "~"))
    return found


def _limits(part: Any) -> Iterator[str]:
    if not isinstance(part, Mapping):
        return
    for name, sentence in _LIMITS.items():
        if name in part:
            yield sentence.format(part[name])
    if part.get("default") is not None:
        yield f"default {part['default']!r}"


def _text(part: Any, name: str) -> str:
    return str(part.get(name, "")) if isinstance(part, Mapping) else ""
