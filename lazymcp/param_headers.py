"""`ParamHeader`: an argument that the client repeats in a header, so that a proxy can route by it without reading the body.

What a tool asks for is read from its schema once, at registration, by the rules that clients apply: they drop a tool that breaks
one. On a call the headers are held against the arguments, because who trusted a header that the body contradicts has been lied to.
MCP 2026-07-28, basic/transports/streamable-http, "Custom headers from tool parameters" (SEP-2243).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from lazymcp.errors import HeaderMismatch, RegistrationError
from lazymcp.gate import Headers
from lazymcp.given_schema import walk
from lazymcp.jsonrpc import dump
from lazymcp.routing import decode, encode

__all__ = ["Headed", "ParamHeader", "check_params", "headed", "repeated"]

_KEY: Final = "x-mcp-header"
_TYPES: Final = ("string", "integer", "boolean")
# RFC 9110, section 5.6.2.
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_WHOLE: Final = re.compile(rb"(-?[0-9]{1,32})(?:\.0+)?")
# What every JSON reader keeps exactly. RFC 8259, section 6.
_LARGEST: Final = 2**53 - 1
_BLANKS: Final = b" \t"
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const", "default")


@dataclass(frozen=True, slots=True)
class ParamHeader:
    """Marks a tool's parameter: `region: Annotated[str, ParamHeader("Region")]` is repeated in `Mcp-Param-Region`.

    Only strings, integers and booleans can be, alone or as fields of a model that is an argument.
    """

    name: str

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        # The mark travels in the schema, so it means the same when `Field` or a schema as it stands brings it.
        return {**handler(core_schema), _KEY: self.name}


class Headed(NamedTuple):
    """An argument that a header repeats: the header, its name as people write it, and the way to the argument."""

    key: bytes
    header: str
    path: tuple[str, ...]
    is_integer: bool


def headed(schema: Mapping[str, Any]) -> tuple[Headed, ...]:
    """The arguments of a tool that headers repeat.

    Raises:
        RegistrationError: a client would drop the tool.
    """
    found: dict[bytes, Headed] = {}
    for path, node in walk(schema):
        if _KEY not in node:
            continue
        one = _read(path, node)
        other = found.setdefault(one.key, one)
        if other is not one:
            raise RegistrationError(f"the header {one.header} repeats both {'.'.join(other.path)} and {'.'.join(one.path)}")
    return tuple(found.values())


def check_params(asked: tuple[Headed, ...], headers: Headers, arguments: object) -> None:
    """Compare the headers of a call with its arguments.

    Raises:
        HeaderMismatch: a header is missing, undecodable or different, or repeats an argument that is not there.
    """
    for one in asked:
        _compare(one, headers.get(one.key), _value_at(arguments, one.path))


def repeated(schema: object, arguments: object) -> Iterator[tuple[str, str]]:
    """The headers of a call, as a client makes them.

    Args:
        schema: of the tool, as it came from a server; what is malformed in it marks nothing.
        arguments: of the call.
    """
    import json  # here, for a server makes none

    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping) or not isinstance(arguments, Mapping):
        return
    for name, node in properties.items():
        value = arguments.get(name)
        if value is None or not isinstance(node, Mapping):
            continue
        if _KEY in node:
            yield f"mcp-param-{node[_KEY]}", encode(value if isinstance(value, str) else json.dumps(value))
        else:
            yield from repeated(node, value)


def _read(path: tuple[str, ...] | None, node: Mapping[str, Any]) -> Headed:
    name, kind = node[_KEY], node.get("type")
    if not path:
        advice = "only properties of objects can be, not what lies in a list, an alternative or a definition"
        raise RegistrationError(f"{_KEY} {name!r} marks what a header cannot repeat: {advice}")
    what = f"the parameter {'.'.join(path)}"
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        raise RegistrationError(f"{what} names the header {name!r}; a name is made of letters, digits and - _ . and the like")
    if kind not in _TYPES:
        hint = "; give it a default instead of allowing null" if isinstance(kind, list | tuple) and "null" in kind else ""
        raise RegistrationError(f"{what} is {kind}, which no header repeats: it must be a string, an integer or a boolean{hint}")
    bounds = [node[key] for key in _BOUNDS if key in node] + list(node.get("enum", ()))
    if kind == "integer" and any(isinstance(bound, int | float) and abs(bound) > _LARGEST for bound in bounds):
        raise RegistrationError(f"{what} allows integers beyond 2^53-1, which not every proxy can read")
    return Headed(f"mcp-param-{name.lower()}".encode(), f"Mcp-Param-{name}", path, kind == "integer")


def _compare(one: Headed, value: bytes | None, argument: object) -> None:
    what = ".".join(one.path)
    expected = _written(argument)
    if value is None:
        if expected is None:
            return
        raise HeaderMismatch(f"the header {one.header} is missing; it must repeat the argument {what!r} from the body")
    if expected is None:
        raise HeaderMismatch(f"the header {one.header} is there, and the argument {what!r} that it repeats is not")
    if not value.isascii():
        # Some read such bytes as UTF-8 and some as Latin-1.
        raise HeaderMismatch(f"the header {one.header} is not ASCII; repeat such a text in base64")
    decoded = decode(value.strip(_BLANKS), one.header)
    number = _whole(argument) if one.is_integer else None
    if number is not None and abs(number) > _LARGEST:
        raise HeaderMismatch(f"the argument {what!r} is beyond 2^53-1, which the header {one.header} cannot repeat")
    same = decoded == expected if number is None else _as_whole(decoded) == number
    if not same:
        raise HeaderMismatch(f"the header {one.header} differs from the argument {what!r} in the body")


def _value_at(arguments: object, path: tuple[str, ...]) -> object:
    value = arguments
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _written(argument: object) -> bytes | None:
    """An argument as a header repeats it; None for one that none can: null, and what the tool will refuse by its type."""
    if isinstance(argument, str):
        return argument.encode("utf-8", "surrogatepass")
    return dump(argument) if isinstance(argument, bool | int | float) else None


def _whole(argument: object) -> int | None:
    if isinstance(argument, bool) or not isinstance(argument, int | float) or argument != argument // 1:
        return None
    return int(argument)


def _as_whole(decoded: bytes) -> int | None:
    found = _WHOLE.fullmatch(decoded)
    return int(found[1]) if found else None
