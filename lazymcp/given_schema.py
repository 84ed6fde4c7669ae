"""Schemas that a module wrote itself: published as they stand, once it is certain that clients can read them.

Every keyword of JSON Schema 2020-12 is kept. What a client would have to fetch, could not understand or might never finish
reading is refused here, because a client drops such a tool without a word.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from lazymcp.errors import RegistrationError

__all__ = ["check_given", "walk"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_MAX_DEPTH: Final = 64
_MAX_NODES: Final = 10_000
# JSON Schema 2020-12: the keywords whose value is a schema, a list of schemas, or schemas by name. Values that are data, such as
# `default`, `enum` and `examples`, hold none.
_ONE: Final = frozenset(
    "additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems".split()
) | {"unevaluatedProperties"}
_SEVERAL: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"})

# A schema inside a schema, with the names of the properties that lead to it; None where something else lies on the way.
Found = tuple[tuple[str, ...] | None, Mapping[str, Any]]


def walk(root: Mapping[str, Any]) -> Iterator[Found]:
    """Every schema in a schema, itself first.

    Raises:
        RegistrationError: it is too deep or too large, or a schema in it is none.
    """
    todo: list[tuple[tuple[str, ...] | None, Any, int]] = [((), root, 0)]
    seen = 0
    for path, node, depth in todo:  # grows as it goes
        if isinstance(node, bool):
            continue
        if not isinstance(node, Mapping):
            raise RegistrationError(f"a schema is an object, not {str(node)[:80]!r}")
        seen += 1
        if depth > _MAX_DEPTH or seen > _MAX_NODES:
            raise RegistrationError(f"the schema is deeper than {_MAX_DEPTH} or larger than {_MAX_NODES} schemas; clients give up")
        yield path, node
        todo += [(below, child, depth + 1) for below, child in _children(path, node)]


def check_given(schema: Mapping[str, Any]) -> None:
    """Check a schema before it is published.

    Raises:
        RegistrationError: it is of another dialect, or refers to what it does not hold.

    MCP 2026-07-28, server/tools, "JSON Schema usage"; JSON Schema 2020-12, sections 8.1.1 and 8.2.
    """
    nodes = [node for _, node in walk(schema)]
    anchors = {f"#{node[key]}" for node in nodes for key in ("$anchor", "$dynamicAnchor") if key in node}
    for node in nodes:
        dialect = node.get("$schema", _DIALECT)
        if not isinstance(dialect, str) or dialect.removesuffix("#") != _DIALECT:
            raise RegistrationError(f"the schema is of the dialect {dialect!r}; write it in {_DIALECT}, which every client reads")
        for key in ("$ref", "$dynamicRef"):
            reference = node.get(key, "#")
            if not isinstance(reference, str) or not reference.startswith("#"):
                raise RegistrationError(f"{key} {reference!r} would have to be fetched, and clients do not: write it under $defs")
            if reference not in anchors and not _is_there(schema, reference):
                raise RegistrationError(f"{key} {reference!r} names nothing in the schema")


def _children(path: tuple[str, ...] | None, node: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...] | None, Any]]:
    for key, value in node.items():
        if key in _ONE:
            yield None, value
        elif key in _SEVERAL and isinstance(value, list | tuple):
            yield from ((None, child) for child in value)
        elif key in _NAMED and isinstance(value, Mapping):
            is_chain = key == "properties" and path is not None
            yield from (((*path, name) if is_chain and path is not None else None, child) for name, child in value.items())


def _is_there(schema: Any, reference: str) -> bool:
    """Whether a JSON pointer leads somewhere. RFC 6901, section 6."""
    if reference != "#" and not reference.startswith("#/"):
        return False
    for step in reference.split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(schema, Mapping) and name in schema:
            schema = schema[name]
        elif isinstance(schema, list | tuple) and name.isdecimal() and int(name) < len(schema):
            schema = schema[int(name)]
        else:
            return False
    return True
