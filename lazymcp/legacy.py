"""The porch: MCP 2025-11-25, 2025-06-18 and 2025-03-26 become requests of today, and today's results become theirs.

The edges ask `is_modern` which era a request belongs to, and hand those of the older one to `Porch` (HTTP, `porch.py`) or
`Conversation` (stdio, `conversation.py`). What the messages of older revisions mean is decided here: the handshake, what a request
need not say, which methods there are, the code of an error. The core knows no revision but today's; it keeps to what all of them
can read (objects as structured content) and holds a place for what is made here (`Prepared.older`).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol

from lazymcp import methods
from lazymcp.context import LOG_LEVELS, Context, Link
from lazymcp.errors import InvalidParams, MCPError, MethodNotFound, ResourceNotFound, UnsupportedVersion
from lazymcp.gate import Headers
from lazymcp.protocol import NO_ENDING, SERVER_KEY, VERSION, VERSION_KEY, Prepared, Structured, check_progress_token
from lazymcp.registry import Registry

__all__ = [
    "DEFAULT_LEVEL",
    "INITIALIZE",
    "MAX_SUBSCRIPTIONS",
    "THEN",
    "VERSIONS",
    "Keeper",
    "answer",
    "check_length",
    "check_level",
    "check_uri",
    "check_version",
    "initialize",
    "is_modern",
    "negotiate",
    "older",
    "older_error",
    "open_request",
]

# Newest first: a client that asks for another one is offered the first.
VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
_VERSION_HEADER: Final = b"mcp-protocol-version"
_OLDER: Final = frozenset(version.encode() for version in VERSIONS)

INITIALIZE: Final = "initialize"
_NOT_THEN: Final = frozenset({"server/discover", "subscriptions/listen"})
# MCP 2025-11-25, server/utilities/logging: before a client has set a level, the server decides.
DEFAULT_LEVEL: Final = "info"
MAX_SUBSCRIPTIONS: Final = 1_000
MAX_URI: Final = 2_048

_RESOURCE_NOT_FOUND: Final = -32002


def is_modern(params: Mapping[str, Any], headers: Headers) -> bool:
    """Which era a request belongs to. The body decides; a header that names today's revision or a later one does too.

    The header of an older revision decides nothing: proxies add headers to classic traffic.
    """
    meta = params.get("_meta")
    if isinstance(meta, dict) and VERSION_KEY in meta:
        return True
    stated = headers.get(_VERSION_HEADER)
    return stated is not None and stated not in _OLDER and _version_in(stated) >= VERSION


def _version_in(header: bytes) -> str:
    return header.decode("latin-1").strip()


class Keeper(Protocol):
    """Remembers what an older client sets, for its session or its connection."""

    async def set_level(self, session: Any, level: object, /) -> None:
        """Set the least severe log message that the client wants to hear."""
        ...

    async def subscribe(self, session: Any, uri: object, /) -> None:
        """Tell the client when a resource changes."""
        ...

    async def unsubscribe(self, session: Any, uri: object, /) -> None:
        """Tell it no more."""
        ...


def older_error(problem: MCPError) -> MCPError:
    """The same error under its older code, if it had one. MCP 2025-11-25, server/resources, "Error handling"."""
    if isinstance(problem, ResourceNotFound):
        return MCPError(problem.message, problem.data, code=_RESOURCE_NOT_FOUND)
    return problem


def check_version(headers: Headers) -> None:
    """Refuse a revision that the porch does not know; a missing header means 2025-03-26. MCP 2025-11-25, basic/transports."""
    stated = headers.get(_VERSION_HEADER)
    if stated is not None and stated not in _OLDER and (version := _version_in(stated)) not in VERSIONS:
        raise UnsupportedVersion(version, [VERSION, *VERSIONS])


def negotiate(params: Mapping[str, Any]) -> str:
    """The revision that `initialize` settles on. MCP 2025-11-25, basic/lifecycle, "Version negotiation".

    Raises:
        InvalidParams: the client names no revision, or says nothing about itself that can be read.
    """
    asked = params.get("protocolVersion")
    if type(asked) is not str:
        raise InvalidParams("initialize needs protocolVersion, a string")
    if not isinstance(params.get("capabilities", {}), dict) or not isinstance(params.get("clientInfo", {}), dict):
        raise InvalidParams("capabilities and clientInfo must be objects")
    return asked if asked in VERSIONS else VERSIONS[0]


async def initialize(registry: Registry, version: str) -> dict[str, Any]:
    """The result of `initialize`."""
    capabilities = {**methods.capabilities(registry), "logging": {}}
    result = {"protocolVersion": version, "capabilities": capabilities, "serverInfo": dict(registry.server_info)}
    if registry.options.instructions:
        result["instructions"] = registry.options.instructions
    return result


def open_request(
    params: Mapping[str, Any], link: Link, client: Mapping[str, Any], capabilities: Mapping[str, Any], level: str
) -> Context:
    """The context of an older request: what it does not say itself comes from its session.

    Raises:
        InvalidParams: `_meta` is malformed.
    """
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise InvalidParams("_meta must be an object")
    if meta:
        check_progress_token(meta)
    return Context(link, meta, client, capabilities, level)


def answer(registry: Registry, name: str, params: dict[str, Any], ctx: Context) -> Awaitable[dict[str, Any]]:
    """What will answer a request that `THEN` does not; `older` gives its result the form that older clients read.

    Raises:
        MCPError: what the peer did wrong; `older_error` gives it its older form.
        Forbidden: the token lacks a scope that a tool declares.
    """
    if name in _NOT_THEN:
        raise MethodNotFound(f"there is no method {name!r} in this revision")
    return methods.answer(registry, name, params, ctx)


def older(result: dict[str, Any]) -> dict[str, Any]:
    """A result as older clients read it. One of their own time stays as it is."""
    if type(result) is Structured and not result:
        result.ending = NO_ENDING
        return result
    if type(result) is not Prepared:
        return _older(result)
    if result.older is None:
        result.older = Prepared(_older(dict(result)))
    return result.older


def _older(result: dict[str, Any]) -> dict[str, Any]:
    """Take out, in place, what came with 2026-07-28."""
    for key in ("resultType", "ttlMs", "cacheScope"):
        result.pop(key, None)
    meta = {key: value for key, value in result.pop("_meta", {}).items() if key != SERVER_KEY}
    if meta:
        result["_meta"] = meta
    return result


def check_level(level: object) -> str:
    """A log level that there is. RFC 5424, section 6.2.1."""
    if type(level) is not str or level not in LOG_LEVELS:
        raise InvalidParams(f"level must be one of {', '.join(LOG_LEVELS)}")
    return level


async def check_uri(registry: Registry, uri: object) -> str:
    """The URI of a resource that the caller may read."""
    checked = check_length(uri)
    if not await methods.is_readable(registry, checked):
        raise ResourceNotFound(checked)
    return checked


def check_length(uri: object) -> str:
    """A URI that is not too long to be kept and told to other processes."""
    if type(uri) is not str or len(uri) > MAX_URI:
        raise InvalidParams(f"uri must be a string of at most {MAX_URI} characters")
    return uri


async def _ping(keeper: Keeper, session: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """`ping`. MCP 2025-11-25, basic/utilities/ping."""
    return {}


async def _set_level(keeper: Keeper, session: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """`logging/setLevel`. MCP 2025-11-25, server/utilities/logging."""
    await keeper.set_level(session, params.get("level"))
    return {}


async def _subscribe(keeper: Keeper, session: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """`resources/subscribe`. MCP 2025-11-25, server/resources, "Subscriptions"."""
    await keeper.subscribe(session, params.get("uri"))
    return {}


async def _unsubscribe(keeper: Keeper, session: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """`resources/unsubscribe`. MCP 2025-11-25, server/resources, "Subscriptions"."""
    await keeper.unsubscribe(session, params.get("uri"))
    return {}


# The methods that 2026-07-28 does not know any more.
THEN: Final[Mapping[str, Callable[[Keeper, Any, Mapping[str, Any]], Awaitable[dict[str, Any]]]]] = {
    "ping": _ping,
    "logging/setLevel": _set_level,
    "resources/subscribe": _subscribe,
    "resources/unsubscribe": _unsubscribe,
}
