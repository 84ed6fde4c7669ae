"""The porch: MCP 2025-11-25, 2025-06-18 and 2025-03-26 become requests of today, and today's results become theirs.

The edges ask `is_modern` which era a request belongs to, and hand those of the older one to `Porch` (HTTP) or `Conversation`
(stdio). What the older revisions do in their own way is decided here: the handshake, what a request need not say, which methods
there are, the code of an error and its HTTP status, what a client's leaving means. `sessions.py` makes the ids that let a server
forget a handshake. The core knows no revision but today's; it keeps to what all of them can read (objects as structured content)
and holds a place for what is made here (`Prepared.older`).
"""

from collections.abc import Awaitable, Mapping
from typing import Any, Final, Protocol

from lazymcp import methods
from lazymcp.context import Context, Link
from lazymcp.errors import (
    InvalidParams,
    InvalidRequest,
    MCPError,
    MethodNotFound,
    ParseError,
    ResourceNotFound,
    UnsupportedVersion,
)
from lazymcp.gate import Headers
from lazymcp.jsonrpc import Message
from lazymcp.legacy_desk import Desk
from lazymcp.protocol import SERVER_KEY, VERSION, VERSION_KEY, Prepared, check_progress_token
from lazymcp.registry import Registry
from lazymcp.sessions import SESSION_HEADER, SessionEnded, Sessions

__all__ = ["VERSIONS", "Conversation", "Porch", "is_modern", "older_error", "stated_version"]

# Newest first: a client that asks for another one is offered the first.
VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26")

_INITIALIZE: Final = "initialize"
_NOT_THEN: Final = frozenset({"server/discover", "subscriptions/listen"})
_RESOURCE_NOT_FOUND: Final = -32002
# MCP 2025-11-25, basic/transports: the status tells about the transport alone, so that other errors are answers like any.
_STATUS: Final = {ParseError: 400, InvalidRequest: 400, UnsupportedVersion: 400, SessionEnded: 404}


def is_modern(params: Mapping[str, Any], version_header: str | None) -> bool:
    """Which era a request belongs to. The body decides; a header that names today's revision or a later one does too.

    The header of an older revision decides nothing: proxies add headers to classic traffic.
    """
    meta = params.get("_meta")
    if isinstance(meta, dict) and VERSION_KEY in meta:
        return True
    return version_header is not None and version_header >= VERSION


def stated_version(headers: Headers) -> str | None:
    """The revision that the HTTP headers name."""
    version = headers.get(b"mcp-protocol-version")
    return None if version is None else version.decode("latin-1").strip()


class Arrival(Link, Protocol):
    """What the porch needs of an HTTP request, besides the way back."""

    raw: Headers
    more_headers: list[tuple[bytes, bytes]]
    session: Any


class Porch:
    """Older requests over HTTP. Its shape is that of today's era in `http.py`."""

    # MCP 2025-11-25, basic/transports: a client that disconnects has not cancelled its request.
    cancels: Final = False

    def __init__(self, registry: Registry, desk: Desk) -> None:
        self._registry = registry
        self._desk = desk
        self._sessions = Sessions(registry.secret, registry.options.secret_fallbacks)

    def begin(self, message: Message, arrival: Arrival) -> Awaitable[dict[str, Any] | None] | None:
        """What will answer a message; None, now or in the end, for what gets no answer.

        Raises:
            MCPError: the handshake is malformed, the revision unknown, the session over.
        """
        params = message.params
        if message.method == _INITIALIZE and message.kind == "request":
            version = _negotiate(params)
            minted = self._sessions.mint(version, params.get("clientInfo", {}), params.get("capabilities", {}))
            arrival.more_headers.append((SESSION_HEADER, minted))
            return _initialize(self._registry, version)
        _check_version(stated_version(arrival.raw))
        token = arrival.raw.get(SESSION_HEADER)
        session = None if token is None else self._sessions.open(token.strip())
        arrival.session = session
        if message.kind != "request":
            return None if session is None else self._desk.hear(session, message)
        client, capabilities = ({}, {}) if session is None else (session.client, session.capabilities)
        return _answer(self._registry, message.method, params, _open_request(params, arrival, client, capabilities))

    def refusal(self, problem: MCPError) -> tuple[MCPError, int]:
        """An error as older clients know it, and its HTTP status."""
        return older_error(problem), _STATUS.get(type(problem), 200)


class Conversation:
    """Older requests over one stdio connection.

    State: what the client said in `initialize`, kept as long as the connection.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._client: Mapping[str, Any] = {}
        self._capabilities: Mapping[str, Any] = {}

    async def answer(self, method: str, params: dict[str, Any], link: Link) -> dict[str, Any]:
        """The result of a request.

        Raises:
            MCPError: what the peer did wrong; `older_error` gives it its older form.
            Forbidden: the token lacks a scope that a tool declares.
        """
        if method == _INITIALIZE:
            version = _negotiate(params)
            self._client, self._capabilities = params.get("clientInfo", {}), params.get("capabilities", {})
            return await _initialize(self._registry, version)
        ctx = _open_request(params, link, self._client, self._capabilities)
        return await _answer(self._registry, method, params, ctx)


def older_error(problem: MCPError) -> MCPError:
    """The same error under its older code, if it had one. MCP 2025-11-25, server/resources, "Error handling"."""
    if isinstance(problem, ResourceNotFound):
        return MCPError(problem.message, problem.data, code=_RESOURCE_NOT_FOUND)
    return problem


def _check_version(version_header: str | None) -> None:
    """Refuse a revision that the porch does not know; a missing header means 2025-03-26. MCP 2025-11-25, basic/transports."""
    if version_header is not None and version_header not in VERSIONS:
        raise UnsupportedVersion(version_header, [VERSION, *VERSIONS])


def _negotiate(params: Mapping[str, Any]) -> str:
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


async def _initialize(registry: Registry, version: str) -> dict[str, Any]:
    """The result of `initialize`."""
    result = {
        "protocolVersion": version,
        "capabilities": methods.capabilities(registry),
        "serverInfo": dict(registry.server_info),
    }
    if registry.options.instructions:
        result["instructions"] = registry.options.instructions
    return result


def _open_request(params: Mapping[str, Any], link: Link, client: Mapping[str, Any], capabilities: Mapping[str, Any]) -> Context:
    """The context of an older request: what it does not say itself comes from its session.

    Raises:
        InvalidParams: `_meta` is malformed.
    """
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise InvalidParams("_meta must be an object")
    check_progress_token(meta)
    return Context(link, meta, client, capabilities)


async def _answer(registry: Registry, name: str, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """The result of a request, as older clients read it.

    Raises:
        MCPError: what the peer did wrong; `older_error` gives it its older form.
        Forbidden: the token lacks a scope that a tool declares.
    """
    if name == "ping":
        return {}
    if name in _NOT_THEN:
        raise MethodNotFound(f"there is no method {name!r} in this revision")
    result = await methods.answer(registry, name, params, ctx)
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
