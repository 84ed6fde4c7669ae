"""What becomes of a tool's return value: text for the model, structure for programs, metadata for the page.

The return annotation decides once, at registration, so that `outputSchema` and `structuredContent` can never disagree.
"""

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Final

from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from lazymcp.adapter import adapter_of
from lazymcp.content import CONTENT, ToolResult, block_of
from lazymcp.errors import RegistrationError
from lazymcp.jsonrpc import dump_finite
from lazymcp.protocol import Structured, whole
from lazymcp.schema import schema_of
from lazymcp.specs import ResultMetadata

__all__ = ["Output", "entry_of", "jsonable", "writer"]

_UNIONS: Final = (typing.Union, types.UnionType)
_SEVERAL: Final = (list, tuple, Sequence)

# What a client can always show. Bytes have no JSON form of their own; RFC 4648, section 5. NaN has none at all, and must be seen.
_CONFIG = ConfigDict(ser_json_bytes="base64", ser_json_inf_nan="constants")


def writer(annotation: Any) -> tuple[TypeAdapter[Any], Callable[[Any], tuple[Any, Any]]]:
    """pydantic's idea of a type, and a function that reads a value as that type and returns it with its JSON form.

    Reading first makes the JSON conform whatever was returned: a dict where a model was promised becomes that model. Bytes are
    written in base64 where the type does not say otherwise.

    Raises:
        PydanticUserError: the type cannot be serialised.
    """
    adapter = adapter_of(annotation, _CONFIG)
    read, to_python = adapter.validator.validate_python, adapter.serializer.to_python

    def write(value: Any) -> tuple[Any, Any]:
        value = read(value)
        return value, to_python(value, mode="json", by_alias=True)

    return adapter, write


def jsonable(value: Any) -> Any:
    """The JSON form of any value that pydantic can serialise, whatever its type says."""
    return to_jsonable_python(value, bytes_mode="base64")


def entry_of(fields: Mapping[str, Any], place: str) -> dict[str, Any]:
    """An item's entry in a list: its fields without the empty ones. A number is never empty.

    Raises:
        RegistrationError: a value, usually in `meta` or a schema, has no JSON form.
    """
    try:
        return {key: jsonable(value) for key, value in fields.items() if value or value == 0 or key == "inputSchema"}
    except PydanticSerializationError as problem:
        raise RegistrationError(f"the description of the item has no JSON form: {problem}", place) from problem


class Output:
    """How one tool's return value becomes a result.

    Attributes:
        schema: the tool's `outputSchema`, or None where its answer is text or unknown before it is there.
        to_result: makes the result of a call that went well.
    """

    __slots__ = ("_hidden", "_is_wrapped", "schema", "to_result")

    def __init__(self, annotation: Any, schema: Mapping[str, Any] | None, place: str) -> None:
        """Read the return annotation.

        Args:
            annotation: what the function says it returns.
            schema: an `outputSchema` to publish instead of the derived one.
            place: where the function is written.

        Raises:
            RegistrationError: the type cannot be serialised, or has no schema.
        """
        self.schema = None if schema is None else dict(schema)
        self._hidden: frozenset[str] = frozenset()
        self._is_wrapped = False
        # MCP 2026-07-28, server/tools, "Structured content": the JSON also stands in a text block, for clients that read no other.
        self.to_result: Callable[[Any], dict[str, Any]] = _dynamic
        if schema is not None and schema.get("type") != "object":
            raise RegistrationError('output_schema must have "type": "object" at its root', place)
        if annotation is str and schema is None:
            self.to_result = _text_only
        elif annotation is None or annotation is type(None):
            self.to_result = _nothing
        elif typing.get_origin(annotation) is ToolResult:
            self._read_type(typing.get_args(annotation)[0], place)
            self.to_result = partial(_told, self.to_result)
        elif _is_content(annotation):
            # Blocks have no schema; what else may come with them is judged when it comes.
            pass
        elif annotation is not inspect.Signature.empty and annotation is not Any and annotation is not object:
            self._read_type(annotation, place)

    def _read_type(self, annotation: Any, place: str) -> None:
        try:
            adapter, write = writer(annotation)
            derived, hidden = schema_of(adapter, "serialization")
        except RegistrationError as problem:
            raise RegistrationError(problem.reason, place) from None
        except PydanticUserError as problem:
            if self.schema is not None:
                return
            reason = str(problem).partition("\n")[0]
            hint = "return a model, a dataclass, a TypedDict or plain values, or set output_schema"
            raise RegistrationError(f"the return type has no JSON form ({reason}); {hint}", place) from problem
        # MCP up to 2025-11-25 allows objects only, so what is not one is wrapped: in the schema and in every answer.
        self._is_wrapped = derived.get("type") != "object"
        self._hidden = hidden
        self.to_result = partial(self._typed, write) if hidden or self._is_wrapped else _object_writer(adapter)
        if self.schema is None:
            self.schema = _wrap(derived) if self._is_wrapped else derived

    def _typed(self, write: Callable[[Any], tuple[Any, Any]], value: Any) -> dict[str, Any]:
        value, written = write(value)
        structured: dict[str, Any] = {"result": written} if self._is_wrapped else written
        meta = {name: structured.pop(name) for name in self._hidden if name in structured} if self._hidden else {}
        return _with_meta(_structured(structured), value, meta)


def _object_writer(adapter: TypeAdapter[Any]) -> Callable[[Any], dict[str, Any]]:
    """What makes the everyday result: an object of which nothing is hidden."""
    read, to_json, to_python = adapter.validator.validate_python, adapter.serializer.to_json, adapter.serializer.to_python

    def to_result(value: Any) -> dict[str, Any]:
        value = read(value)
        try:
            data = to_json(value, by_alias=True)
        except PydanticSerializationError:
            data = b"null"
        # What JSON cannot say may have become null, or a word that is no JSON; or it could not be written at all. Not asked with
        # `in`, which tries to read what it is given as a number first, and makes an exception of it.
        if data.find(b"null") >= 0 or data.find(b"NaN") >= 0 or data.find(b"Infinity") >= 0:
            data = dump_finite(to_python(value, mode="json", by_alias=True))
        result = Structured(data, value, to_python)
        return _with_meta(result, value, {}) if _brings_metadata(value.__class__) else result

    return to_result


def _is_content(annotation: Any) -> bool:
    """Whether a function may return content blocks, alone, in a list, or as one of several things."""
    while type(annotation).__name__ == "TypeAliasType":
        annotation = annotation.__value__
    origin = typing.get_origin(annotation)
    if origin is Annotated or origin in _UNIONS or origin in _SEVERAL:
        return any(_is_content(part) for part in typing.get_args(annotation)[: 1 if origin is Annotated else None])
    return annotation in CONTENT or (origin or annotation) is ToolResult


def _dynamic(value: Any) -> dict[str, Any]:
    if value is None:
        return _nothing(value)
    if isinstance(value, str):
        return _text_only(value)
    if isinstance(value, CONTENT):
        return {"content": [value.to_block()]}
    if isinstance(value, ToolResult):
        return _told(_free, value)
    if isinstance(value, list | tuple) and any(isinstance(item, CONTENT) for item in value):
        return {"content": _blocks(value)}
    written = jsonable(value)
    result = _structured(written) if isinstance(written, dict) else _text_only(dump_finite(written).decode())
    return _with_meta(result, value, {})


def _told(structure: Callable[[Any], dict[str, Any]], found: Any) -> dict[str, Any]:
    """The result of a tool that tells its parts.

    Args:
        structure: makes the result of the structured part alone.
        found: what the tool returned.
    """
    if not isinstance(found, ToolResult):
        raise TypeError(f"the tool promised a ToolResult and returned {type(found).__name__}")
    result = whole(structure(found.structured))
    if found.content is not None:
        content: Any = found.content
        result["content"] = _blocks([content] if isinstance(content, (str, *CONTENT)) else content)
    if found.meta:
        result["_meta"] = {**result.get("_meta", {}), **jsonable(found.meta)}
    return result


def _free(value: Any) -> dict[str, Any]:
    """A structure of which no type was told. MCP up to 2025-11-25 allows objects only, so what is none is wrapped."""
    if value is None:
        return _nothing(value)
    written = jsonable(value)
    return _with_meta(_structured(written if isinstance(written, dict) else {"result": written}), value, {})


def _blocks(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Content blocks; what is neither text nor content stands among them as JSON."""
    return [block_of(value if isinstance(value, (str, *CONTENT)) else dump_finite(jsonable(value)).decode()) for value in values]


def _structured(value: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": dump_finite(value).decode()}], "structuredContent": value}


def _text_only(value: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value if type(value) is str else str(value)}]}


def _nothing(_: Any) -> dict[str, Any]:
    return {"content": []}


def _with_meta(result: dict[str, Any], value: Any, meta: dict[str, Any]) -> dict[str, Any]:
    if _brings_metadata(value.__class__):
        meta = {**meta, **jsonable(value.mcp_result_meta())}
    if meta:
        result["_meta"] = meta
    return result


@lru_cache(maxsize=1024)
def _brings_metadata(cls: type) -> bool:
    # Asked of the class and once: asking a pydantic model for an attribute that it lacks takes longer than writing it.
    return issubclass(cls, ResultMetadata)


def _wrap(schema: dict[str, Any]) -> dict[str, Any]:
    definitions = schema.pop("$defs", None)
    wrapped: dict[str, Any] = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    return {**wrapped, "$defs": definitions} if definitions else wrapped
