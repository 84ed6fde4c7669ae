"""JSON-RPC 2.0: bytes to a message that may be trusted, and answers to bytes.

Every request passes here, so `parse` is two calls into compiled code and a comparison. It is strict all the same: what two
parsers could read differently (duplicate keys, NaN, broken UTF-8) is refused, because a proxy that checks one reading while we
serve the other is a hole (RFC 8259, sections 4 and 8; RFC 7493).
"""

import re
from collections import Counter
from collections.abc import Iterator
from math import isinf
from typing import Any, Literal, NamedTuple

from pydantic_core import PydanticSerializationError, SchemaSerializer, from_json
from pydantic_core.core_schema import CoreConfig, any_schema

from lazymcp.errors import InvalidParams, InvalidRequest, MCPError, ParseError

__all__ = ["Message", "RequestId", "check_request", "dump", "dump_finite", "error", "id_in_head", "parse", "readable_id", "result"]

RequestId = str | int

# The everyday message is made without the function that spells out a named tuple's fields.
_made = tuple.__new__
_ESCAPED_COLON = re.compile(rb"\\u003a", re.IGNORECASE)
# A serializer made once takes half the time of pydantic_core.to_json, which makes one for each call.
_write = SchemaSerializer(any_schema(), CoreConfig(ser_json_inf_nan="null")).to_json
_write_again = SchemaSerializer(any_schema(), CoreConfig(ser_json_inf_nan="constants")).to_json


class Message(NamedTuple):
    """One JSON-RPC message, checked. A notification has no id; a response has no method, and its `params` are what it says:
    `{"result": …}` or `{"error": …}`.
    """

    kind: Literal["request", "notification", "response"]
    id: RequestId | None
    method: str
    params: dict[str, Any]


def parse(data: bytes) -> Any:
    """Read strict JSON.

    Args:
        data: UTF-8 without a byte order mark, as it came from the peer.

    Raises:
        ParseError: the text is not JSON, not UTF-8, nested deeper than 200, holds NaN, an infinity (`1e999` is one), half of a
            surrogate pair, or an object with the same key twice. Its `request_id` is set when the message told it unambiguously.
    """
    try:
        value = from_json(data, allow_inf_nan=False)
        again = _write_again(value)
    except ValueError as problem:
        raise ParseError(f"not JSON: {problem}") from problem
    # The parser keeps the last of two equal keys. What we read, written out again, has no key twice and no blanks: most clients
    # write the very same bytes, and then so has their text.
    if again != data:
        _compare(data, again)
    return value


def dump(value: Any) -> bytes:
    """Write compact UTF-8 JSON in one line; NaN and infinities become null, half surrogate pairs become `?`."""
    try:
        return _write(value)
    except PydanticSerializationError:
        import json  # here and below for what is rare; the everyday writer is pydantic's

        return _dump_with_blots(json.loads(json.dumps(value), parse_constant=lambda _: None))


def dump_finite(value: Any) -> bytes:
    """The same for what a schema describes: there null would be no number.

    Raises:
        ValueError: it holds NaN or an infinity. RFC 8259, section 6.
    """
    try:
        written = _write_again(value)
    except PydanticSerializationError:
        return _dump_with_blots(value)
    if (b"NaN" in written or b"Infinity" in written) and written != _write(value):
        raise ValueError("a number is NaN or infinite, which JSON cannot say: return None, or leave it out")
    return written


def _dump_with_blots(value: Any) -> bytes:
    # A tool may return what it read from a foreign system. An answer with a blot is better than none.
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", errors="replace")


def check_request(message: Any) -> Message:
    """Check that parsed JSON is one JSON-RPC message.

    Raises:
        InvalidRequest: a batch, another version, an id that is neither string nor integer, no method.
        InvalidParams: `params` is not an object.

    Both errors carry the `request_id` when it could be read.

    JSON-RPC 2.0, sections 4 and 5; MCP (every revision), basic/index: ids are strings or integers, never null.
    """
    if type(message) is dict and message.get("jsonrpc") == "2.0":  # the everyday request, in as few steps as can be
        request_id, method, params = message.get("id"), message.get("method"), message.get("params")
        if type(method) is str and type(params) is dict and (type(request_id) is int or type(request_id) is str):
            return _made(Message, ("request", request_id, method, params))
    if type(message) is not dict:
        what = "a batch" if isinstance(message, list) else f"a JSON {_kind(message)}"
        raise InvalidRequest(f"expected one JSON-RPC message, got {what}")
    request_id = message.get("id")
    if type(request_id) is not str and type(request_id) is not int and "id" in message and not _is_idless_error(message):
        raise InvalidRequest(f"id must be a string or an integer, not a JSON {_kind(request_id)}")
    if message.get("jsonrpc") != "2.0":
        raise InvalidRequest('jsonrpc must be "2.0"', request_id=request_id)
    method = message.get("method")
    if method is None:
        return _check_response(message, request_id)
    if type(method) is not str:
        raise InvalidRequest(f"method must be a string, not a JSON {_kind(method)}", request_id=request_id)
    params = message.get("params")
    if params is None and "params" not in message:
        params = {}
    elif type(params) is not dict:
        raise InvalidParams(f"params must be an object, not a JSON {_kind(params)}", request_id=request_id)
    return Message("notification" if request_id is None else "request", request_id, method, params)


def result(request_id: RequestId, value: Any) -> dict[str, Any]:
    """The response that answers a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def error(request_id: RequestId | None, problem: MCPError) -> dict[str, Any]:
    """The response that refuses a request; without an id, the one the problem carries, else null. JSON-RPC 2.0, section 5."""
    return {"jsonrpc": "2.0", "id": problem.request_id if request_id is None else request_id, "error": problem.to_dict()}


def readable_id(message: Any) -> RequestId | None:
    """The id of what may be a broken message, or None."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if type(found) is str or type(found) is int else None


def id_in_head(head: bytes) -> RequestId | None:
    """The id that the first bytes of a message tell; it is known to be whole only when another member follows."""
    try:
        message = from_json(head, allow_partial="trailing-strings")
    except ValueError:
        return None
    return readable_id(message) if isinstance(message, dict) and list(message)[-1:] != ["id"] else None


def _check_response(message: dict[str, Any], request_id: RequestId | None) -> Message:
    if "method" in message or ("result" in message) == ("error" in message):
        raise InvalidRequest("expected a method, or one of result and error", request_id=request_id)
    if "id" not in message:
        raise InvalidRequest("a response must have an id")
    said = "result" if "result" in message else "error"
    return Message("response", request_id, "", {said: message[said]})


def _is_idless_error(message: dict[str, Any]) -> bool:
    # JSON-RPC 2.0, section 5: an error about a message whose id could not be read has a null id.
    return message["id"] is None and "error" in message and "method" not in message


def _compare(data: bytes, again: bytes) -> None:
    """Find out whether a text differs from its compact form in more than its spelling."""
    # Each member has one colon, so a dropped member shows: a colon is missing. Only one spelled as an escape can blur the count.
    if data.count(b":") != again.count(b":") or b"Infinity" in again or (b"\\" in data and _ESCAPED_COLON.search(data)):
        _check_slowly(data)


def _check_slowly(data: bytes) -> None:
    """Look at every object and number, now that there is a reason to."""
    import json

    twice: list[str] = []

    def check_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            again = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
            twice.extend(again)
            if "id" in again:
                members["id"] = None
        return members

    value = json.loads(data, object_pairs_hook=check_object)
    if twice:
        raise ParseError(f"not JSON: the key {twice[0][:64]!r} stands twice in one object", request_id=readable_id(value))
    if any(isinf(number) for number in _floats(value)):
        raise ParseError("not JSON: a number is too large", request_id=readable_id(value))


def _floats(value: Any) -> Iterator[float]:
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, float):
            yield item
        elif isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)


def _kind(value: Any) -> str:
    """What JSON calls a value."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}
    return names[type(value)]
