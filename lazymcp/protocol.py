"""The words of MCP 2026-07-28: its keys, its envelope, and the one place that completes a result.

The core speaks this revision only. `legacy.py` turns older requests into it and its results back.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from lazymcp.context import LOG_LEVELS, Context, Link
from lazymcp.errors import InvalidParams, UnsupportedVersion
from lazymcp.jsonrpc import dump
from lazymcp.replay import FIRST

__all__ = [
    "APP_MIME_TYPE",
    "CAPABILITIES_KEY",
    "CLIENT_KEY",
    "LOG_LEVEL_KEY",
    "NO_ENDING",
    "SERVER_KEY",
    "SKILLS_EXTENSION",
    "TASKS_EXTENSION",
    "UI_EXTENSION",
    "VERSION",
    "VERSION_KEY",
    "Ending",
    "Prepared",
    "Structured",
    "check_version",
    "complete",
    "open_envelope",
    "string_param",
    "whole",
]

VERSION: Final = "2026-07-28"

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

UI_EXTENSION: Final = "io.modelcontextprotocol/ui"
SKILLS_EXTENSION: Final = "io.modelcontextprotocol/skills"
TASKS_EXTENSION: Final = "io.modelcontextprotocol/tasks"

# SEP-1865: hosts compare the string, so there is no blank before "profile".
APP_MIME_TYPE: Final = "text/html;profile=mcp-app"

_NOTHING: Final[Mapping[str, Any]] = {}


class Prepared(dict[str, Any]):
    """A complete result that is answered again and again, kept with its JSON so that a list is written once.

    Nobody changes it after it is made. `older` is the same result as older clients read it, once one asked.
    """

    __slots__ = ("data", "older")

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(result)
        self.data = dump(result)
        self.older: Prepared | None = None


class Ending:
    """Members that end many results in the same way, kept with their JSON."""

    __slots__ = ("data", "members")

    def __init__(self, members: Mapping[str, Any]) -> None:
        self.members = members
        self.data = b"," + dump(members)[1:] if members else b"}"


NO_ENDING: Final = Ending(_NOTHING)


class Structured(dict[str, Any]):
    """The everyday result of a tool: an object, whose JSON is also the one text block. So it is written once, and never read.

    Attributes:
        data: that JSON, compact. It stands for `content` and `structuredContent`, which are no members of this dictionary;
            what else the result says is.
        value: what it was written from.
        to_python: the same object as a dictionary; pydantic's, with its options.
        ending: what follows besides.
    """

    __slots__ = ("data", "ending", "to_python", "value")

    def __init__(self, data: bytes, value: Any, to_python: Callable[..., Any]) -> None:
        self.data = data
        self.value = value
        self.to_python = to_python
        self.ending = NO_ENDING

    def to_json(self) -> bytes:
        """The whole result on the wire."""
        # RFC 8259, section 7: compact JSON has only two characters that a string must escape.
        text = self.data.replace(b"\\", rb"\\").replace(b'"', rb"\"")
        rest = b"," + dump({**self, **self.ending.members})[1:] if self else self.ending.data
        return b'{"content":[{"type":"text","text":"%b"}],"structuredContent":%b%b' % (text, self.data, rest)


def whole(result: dict[str, Any]) -> dict[str, Any]:
    """A result with all its members, for whoever does not send it as bytes."""
    if type(result) is not Structured:
        return result
    # Not read from its JSON: that may hold an integer of more digits than Python reads.
    structured = result.to_python(result.value, mode="json", by_alias=True)
    written = {"content": [{"type": "text", "text": result.data.decode()}], "structuredContent": structured}
    return {**written, **result, **result.ending.members}


def open_envelope(params: dict[str, Any], link: Link) -> Context:
    """Read a request's `_meta`.

    Raises:
        InvalidParams: a required key is missing, or a known key has a wrong type.

    MCP 2026-07-28, basic/index, "Per-request metadata". The version itself is checked by `check_version`, after the headers.
    """
    meta = params.get("_meta")
    if type(meta) is not dict:
        raise InvalidParams(f"params._meta must be an object with {VERSION_KEY} and {CAPABILITIES_KEY}")
    capabilities = meta.get(CAPABILITIES_KEY)
    client = meta.get(CLIENT_KEY, _NOTHING)
    level = meta.get(LOG_LEVEL_KEY)
    if type(meta.get(VERSION_KEY)) is not str:
        raise InvalidParams(f"_meta must hold {VERSION_KEY}, a string")
    if type(capabilities) is not dict:
        raise InvalidParams(f"_meta must hold {CAPABILITIES_KEY}, an object (it may be empty)")
    if not isinstance(client, dict) and client is not _NOTHING:
        raise InvalidParams(f"{CLIENT_KEY} must be an object")
    if level is not None and (type(level) is not str or level not in LOG_LEVELS):
        raise InvalidParams(f"{LOG_LEVEL_KEY} must be one of {', '.join(LOG_LEVELS)}")
    check_progress_token(meta)
    return Context(link, meta, client, capabilities, level, FIRST)


def check_progress_token(meta: Mapping[str, Any]) -> None:
    """Refuse a progress token that is neither a string nor an integer."""
    token = meta.get("progressToken")
    if token is not None and type(token) is not str and type(token) is not int:
        raise InvalidParams("progressToken must be a string or an integer")


def string_param(params: Mapping[str, Any], name: str) -> str:
    """A param that every request of the method has, such as a URI."""
    value = params.get(name)
    if type(value) is not str:
        raise InvalidParams(f"{name} must be a string")
    return value


def check_version(requested: str) -> None:
    """Refuse a version that the core does not speak. MCP 2026-07-28, basic/versioning."""
    if requested != VERSION:
        raise UnsupportedVersion(requested, [VERSION])


def complete(result: dict[str, Any], server: Mapping[str, Any], ttl_ms: int | None, scope: str) -> dict[str, Any]:
    """Make a result whole: `resultType`, the server's name and, where the method is cacheable, how long and for whom it keeps.

    Args:
        result: what the method found; completed in place.
        server: the server's own `_meta`.
        ttl_ms: how long the result may be kept; None for methods whose results are never kept.
        scope: "public" when the answer depends on nobody, else "private".

    MCP 2026-07-28: basic/index (`resultType`), server/utilities/caching.
    """
    result.setdefault("resultType", "complete")  # a task, or a question to the client, says so itself
    if ttl_ms is not None:
        # What was found may know better.
        result.setdefault("ttlMs", ttl_ms)
        result.setdefault("cacheScope", scope)
    meta = result.get("_meta")
    result["_meta"] = server if meta is None else {**meta, **server}
    return result
