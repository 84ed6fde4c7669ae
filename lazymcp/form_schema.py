"""What a form may look like: one flat object of text, numbers, yes or no, and choices. MCP 2026-07-28, client/elicitation.

Clients draw these forms themselves and know nothing else of JSON Schema, so everything else is refused here, in words for whoever
wrote the form. `Titles` names the choices of a field for people.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from pydantic import GetJsonSchemaHandler, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import CoreSchema

from lazymcp.form_answer import fit_value, matcher
from lazymcp.schema import schema_of

__all__ = ["FORMATS", "Titles", "check_form", "form_schema"]

FORMATS: Final = ("email", "uri", "date", "date-time")

_TEXTS: Final = frozenset({"title", "description", "default"})
_KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format", "enum", "enumNames", "oneOf"}),
    "number": frozenset({"minimum", "maximum"}),
    "integer": frozenset({"minimum", "maximum"}),
    "boolean": frozenset(),
    "array": frozenset({"items", "minItems", "maxItems"}),
}
_ROOT: Final = frozenset({"$schema", "type", "properties", "required", "title", "description", "additionalProperties"})
# What clients cannot check but the model does, and what says nothing to a form.
_LEFT_TO_THE_MODEL: Final = frozenset(
    {"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "examples", "deprecated"}
)
_NULL: Final = {"type": "null"}
_ADVICE: Final = f"a form holds str, int, float, bool, dates, and choices by Literal or Enum; formats are {', '.join(FORMATS)}"


class Titles:
    """What people read where a field has choices: `color: Annotated[Literal["r", "g"], Titles(r="Red", g="Green")]`.

    A choice without a title shows itself. The same for a list of choices.
    """

    __slots__ = ("_titles",)

    def __init__(self, titles: Mapping[str, str] | None = None, /, **more: str) -> None:
        """Name choices, by a mapping where one of them is no Python name."""
        self._titles = {**(titles or {}), **more}

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = dict(handler.resolve_ref_schema(handler(core)))
        schema.pop("title", None)  # the name of an Enum
        if schema.get("type") == "array":
            schema["items"] = {"anyOf": self._name(handler.resolve_ref_schema(schema.get("items", {})))}
        else:
            schema["oneOf"] = self._name(schema)
            schema.pop("enum", None)
            schema.pop("const", None)
            schema["type"] = "string"
        return schema

    def _name(self, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
        choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
        unknown = sorted(self._titles.keys() - set(choices))
        if unknown or not choices:
            raise TypeError(
                f"Titles names {', '.join(unknown) or 'choices'}, but the choices are {', '.join(map(str, choices)) or 'none'}"
            )
        return [{"const": choice, "title": self._titles.get(choice, str(choice))} for choice in choices]


def form_schema(adapter: TypeAdapter[Any], name: str) -> dict[str, Any]:
    """The `requestedSchema` of a type.

    Raises:
        TypeError: it has a field that no form can hold.
    """
    try:
        schema, _ = schema_of(adapter, "validation")
    except PydanticUserError as problem:
        raise TypeError(f"{name} cannot be a form: {str(problem).partition(chr(10))[0]}") from problem
    if schema.get("type") != "object" or ("properties" not in schema and schema.get("additionalProperties")):
        raise TypeError(f"{name} cannot be a form: write a class with a field for each input")
    fields = {field: _flat(node) for field, node in schema.get("properties", {}).items()}
    written: dict[str, Any] = {"type": "object", "properties": fields}
    if schema.get("required"):
        written["required"] = schema["required"]
    check_form(written, name)
    return written


def check_form(schema: Mapping[str, Any], name: str) -> None:
    """Refuse a schema that no form can hold.

    Args:
        name: what the developer calls it.

    Raises:
        TypeError: says which field, and what a form may hold.
    """
    properties, required = schema.get("properties"), schema.get("required", [])
    if schema.get("type") != "object" or not isinstance(properties, Mapping):
        raise TypeError(f'{name} cannot be a form: it needs "type": "object" and "properties"')
    if strange := sorted(schema.keys() - _ROOT):
        raise TypeError(f"{name} cannot be a form: {', '.join(strange)} stand beside properties; {_ADVICE}")
    if not isinstance(required, list) or not all(field in properties for field in required):
        raise TypeError(f"{name} cannot be a form: required must list names of its properties")
    for field, node in properties.items():
        reason = _wrong(node)
        if reason:
            raise TypeError(f"{name} cannot be a form: {field} {reason}; {_ADVICE}")


def _wrong(node: Any) -> str:
    """Why a form cannot hold this field; "" when it can."""
    kind = node.get("type") if isinstance(node, Mapping) else None
    if not isinstance(kind, str) or kind not in _KEYWORDS:
        return "is nested, null or of several types"
    if kind == "string" and node.get("format") == "password":
        return "is a secret, which must never be asked for in a form: let the user enter it on a page of yours, with elicit_url"
    if kind == "string" and "format" in node and node["format"] not in FORMATS:
        return f"has the format {node['format']}"
    if strange := sorted(node.keys() - _KEYWORDS[kind] - _TEXTS - {"type"}):
        return f"has {', '.join(strange)}"
    for key, holds in _SHAPES.items():
        if key in node and not holds(node[key]):
            return f"has a {key} that cannot be read"
    if kind == "array" and not _is_choice(node.get("items")):
        return "is a list without choices: write list[Literal[...]]"
    if "enumNames" in node and len(node["enumNames"]) != len(node.get("enum", ())):
        return "has enumNames that do not match its enum"
    return _wrong_default(node)


def _wrong_default(node: Mapping[str, Any]) -> str:
    if "default" not in node:
        return ""
    try:
        fit_value(node, node["default"])
    except ValueError as problem:
        return f"has a default that it would refuse ({problem})"
    return ""


def _is_pattern(value: Any) -> bool:
    try:
        return isinstance(value, str) and matcher(value) is not None
    except re.error:
        return False


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _are_titled(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, Mapping) and {type(item.get("const")), type(item.get("title"))} == {str} for item in value)


def _is_choice(items: Any) -> bool:
    if not isinstance(items, Mapping) or items.keys() - {"type", "enum", "anyOf"}:
        return False
    return _are_titled(items["anyOf"]) if "anyOf" in items else items.get("type") == "string" and _are_texts(items.get("enum"))


_SHAPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("title", "description"), lambda value: isinstance(value, str)),
    "pattern": _is_pattern,
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_count),
    **dict.fromkeys(("minimum", "maximum"), _is_number),
    **dict.fromkeys(("enum", "enumNames"), _are_texts),
    "oneOf": _are_titled,
}


def _flat(node: Mapping[str, Any]) -> dict[str, Any]:
    """A field as pydantic writes it, in the words of forms. What has none is left for `check_form` to refuse."""
    flat = {key: value for key, value in node.items() if key not in _LEFT_TO_THE_MODEL}
    branches = [branch for branch in flat.get("anyOf", ()) if branch != _NULL]
    if len(branches) == 1:  # left out is how a form says null
        del flat["anyOf"]
        flat = {**branches[0], **flat}
    if isinstance(flat.get("type"), list):
        kinds = [kind for kind in flat["type"] if kind != "null"]
        flat["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "const" in flat:
        flat["enum"] = [flat.pop("const")]
    if flat.get("type") == "integer":
        flat |= _inclusive(node)
    if isinstance(flat.get("oneOf"), list):
        flat["oneOf"] = _bare(flat["oneOf"])
    if isinstance(flat.get("items"), Mapping):
        items = flat["items"]
        flat["items"] = {"anyOf": _bare(items["anyOf"])} if "anyOf" in items else _flat(items)
        flat["items"].pop("description", None)  # an Enum's docstring
    return flat


def _inclusive(node: Mapping[str, Any]) -> dict[str, Any]:
    """The bounds of an integer, which forms know as inclusive ones only."""
    found = {}
    if isinstance(node.get("exclusiveMinimum"), int):
        found["minimum"] = node["exclusiveMinimum"] + 1
    if isinstance(node.get("exclusiveMaximum"), int):
        found["maximum"] = node["exclusiveMaximum"] - 1
    return found


def _bare(choices: Iterable[Any]) -> list[Any]:
    """Titled choices as forms say them. `schema.plain`, which writes for models, types every node and says const by enum."""
    bare = []
    for choice in choices:
        node = {key: value for key, value in dict(choice).items() if key not in {"type", "enum"}}
        match choice.get("enum"):
            case [only]:
                node["const"] = only
            case [*several]:
                node["enum"] = several
        bare.append(node)
    return bare
