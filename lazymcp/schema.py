"""JSON Schemas for the weakest client: no references, no title noise, every node typed, optional values in their plainest form.

Clients hand these schemas to language models through interfaces that know only a part of JSON Schema. What pydantic writes is
correct but rich; `plain` says the same in fewer words. References stay only where a type contains itself.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from lazymcp.errors import RegistrationError
from lazymcp.specs import WidgetOnly

__all__ = ["plain", "schema_of"]

_REF = "#/$defs/"
_ANYTHING = ["string", "number", "boolean", "object", "array", "null"]
# OpenAI refuses every tool of a server where `array` has no `items`, in a list of types too
# (https://github.com/tidewave-ai/tidewave_phoenix/pull/224). A list within such a list is taken, though not told.
_ANY_ARGUMENT: Mapping[str, Any] = {"type": _ANYTHING, "items": {"type": [kind for kind in _ANYTHING if kind != "array"]}}
_JSON_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_NO_NAME = re.compile(r"[^A-Za-z0-9.\-_]")
_TYPED_BY = ("type", "$ref", "anyOf", "oneOf", "allOf", "not", "if")
# Keywords whose value is a schema, a list of schemas, or a mapping of names to schemas.
_ONE = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "unevaluatedProperties", "contentSchema")
_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "dependentSchemas")


class _Generator(GenerateJsonSchema):
    # A default without a JSON form is left out; it is the function's own business, and nothing to warn of.
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - pydantic's attribute

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(adapter: TypeAdapter[Any], mode: Literal["validation", "serialization"]) -> tuple[dict[str, Any], frozenset[str]]:
    """The plain schema of a type, and the names of its widget-only fields, which the schema leaves out.

    Args:
        mode: "validation" for what a client sends, "serialization" for what it receives.

    Raises:
        RegistrationError: a field marked WidgetOnly lies deeper than the first level.
    """
    return plain(adapter.json_schema(mode=mode, by_alias=True, schema_generator=_Generator), is_input=mode == "validation")


def plain(schema: Mapping[str, Any], *, is_input: bool) -> tuple[dict[str, Any], frozenset[str]]:
    """The same schema in plain words, and the names of the fields that it left out as widget-only."""
    return _Plain(schema.get("$defs", {}), is_input).root(schema)


class _Plain:
    """One schema being rewritten: its definitions, and which of them contain themselves."""

    def __init__(self, definitions: Mapping[str, Any], is_input: bool) -> None:
        self.definitions = definitions
        self.is_input = is_input
        self.recursive = {name for name in definitions if _reaches(name, definitions[name], definitions, set())}

    def root(self, schema: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
        while "$ref" in schema:
            schema = {**self.definitions[schema["$ref"].removeprefix(_REF)], **_without(schema, "$ref")}
        schema = _without(schema, "$defs", "title")
        properties = schema.get("properties", {})
        hidden = frozenset() if self.is_input else frozenset(name for name, node in properties.items() if WidgetOnly.KEY in node)
        if hidden:
            schema["properties"] = {name: node for name, node in properties.items() if name not in hidden}
            schema["required"] = [name for name in schema.get("required", ()) if name not in hidden]
        written = self.node(schema)
        used = {name: self.node(_untitled(name, self.definitions[name])) for name in sorted(self.recursive)}
        return ({**written, "$defs": used} if used else written), hidden

    def node(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_REF)
            if name in self.recursive:
                return dict(schema)
            schema = {**_untitled(name, self.definitions[name]), **_without(schema, "$ref")}
            return self.node(schema)
        if WidgetOnly.KEY in schema and not self.is_input:
            raise RegistrationError("WidgetOnly marks a field of the type that a tool returns; this one lies deeper")
        node = _without(_known_words(schema), WidgetOnly.KEY)
        if self.is_input:
            node = _without_null_defaults(node)
            if "$ref" in node:
                return self.node(node)
        for key in _ONE:
            if isinstance(node.get(key), Mapping):
                node[key] = self.node(node[key])
        for key in _MANY:
            if key in node:
                node[key] = [self.node(branch) for branch in node[key]]
        if "propertyNames" in node:
            node["propertyNames"] = {"type": "string", **self.node({"type": "string", **node["propertyNames"]})}
        for key in _NAMED:
            if key in node:
                node[key] = {name: self.node(child) for name, child in node[key].items()}
        return _typed(_one_nullable(_counted(node)), _ANY_ARGUMENT if self.is_input else {"type": _ANYTHING})


def _without(schema: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keys}


def _untitled(name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A definition without the title that pydantic took from the class: its name tells, without the module or with a number."""
    own = re.escape(_NO_NAME.sub("_", schema.get("title", "")))
    return _without(schema, "title") if re.fullmatch(rf"(?:.*__)?{own}(?:__\d+)?(?:-Input|-Output)?", name) else schema


def _known_words(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same in the words that every client knows: Gemini's and OpenAI's interfaces read neither `const` nor `oneOf`.

    The branches of a discriminated union exclude each other, so any of them is one of them. What a discriminator maps values to are
    references that are gone, and the value of each branch says the same.
    """
    node = dict(schema)
    if "const" in node:
        node["enum"] = [node.pop("const")]
    if "discriminator" in node and "oneOf" in node and "anyOf" not in node:
        node["anyOf"] = node.pop("oneOf")
    return _without(node, "discriminator")


def _counted(node: dict[str, Any]) -> dict[str, Any]:
    """Where each element has a type of its own, what clients read that know of one type for all; and no integer beside number."""
    first = node.get("prefixItems")
    if first and "items" not in node and node.get("maxItems") == len(first):
        # Nothing comes after the first ones, so `items` means nothing to who reads both.
        kinds = [kind for at, kind in enumerate(first) if kind not in first[:at]]
        node = {**node, "items": kinds[0] if len(kinds) == 1 else {"anyOf": kinds}}
    branches = node.get("anyOf", [])
    if {"type": "integer"} in branches and {"type": "number"} in branches:
        others = [branch for branch in branches if branch != {"type": "integer"}]
        node = {**others[0], **_without(node, "anyOf")} if len(others) == 1 else {**node, "anyOf": others}
    return node


def _without_null_defaults(node: dict[str, Any]) -> dict[str, Any]:
    """Optional arguments in their plainest form: left out means None, so null need not be offered."""
    if "default" in node and node["default"] is None:
        node = _without(node, "default")
        branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
        if len(branches) == 1:
            return {**branches[0], **_without(node, "anyOf")}
        if branches:
            node["anyOf"] = branches
    return node


def _one_nullable(node: dict[str, Any]) -> dict[str, Any]:
    """`anyOf` of one simple type and null, as a list of two types."""
    branches = node.get("anyOf", [])
    others = [branch for branch in branches if branch != {"type": "null"}]
    if len(branches) != 2 or len(others) != 1:
        return node
    other = others[0]
    if not isinstance(other.get("type"), str) or "enum" in other:
        return node
    return {**other, **_without(node, "anyOf"), "type": [other["type"], "null"]}


def _typed(node: dict[str, Any], anything: Mapping[str, Any]) -> dict[str, Any]:
    if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
        return {**node, "items": anything.get("items", anything)}
    if any(key in node for key in _TYPED_BY):
        return node
    if "enum" in node:
        kinds = sorted({_JSON_TYPES.get(type(value), "object") for value in node["enum"]})
        return {**node, "type": kinds[0] if len(kinds) == 1 else kinds}
    return {**node, "type": "object"} if "properties" in node else {**node, **anything}


def _reaches(goal: str, schema: Any, definitions: Mapping[str, Any], seen: set[str]) -> bool:
    for name in _references(schema):
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            if _reaches(goal, definitions[name], definitions, seen):
                return True
    return False


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str) and schema["$ref"].startswith(_REF):
            yield schema["$ref"].removeprefix(_REF)
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)
