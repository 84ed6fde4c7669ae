"""The porch: MCP 2025-11-25, 2025-06-18 and 2025-03-26 become requests of today, and today's results become theirs.

This file alone knows that older revisions exist; `sessions.py` keeps what they say once and today's clients say every time.
"""

from collections.abc import Mapping
from typing import Any, Final

from lazymcp import methods
from lazymcp.context import Context, Link
from lazymcp.errors import InvalidParams, MCPError, MethodNotFound, ResourceNotFound, UnsupportedVersion
from lazymcp.protocol import SERVER_KEY, VERSION, VERSION_KEY, Prepared, check_progress_token
from lazymcp.registry import Registry

__all__ = [
    "INITIALIZE",
    "VERSIONS",
    "answer",
    "check_version",
    "initialize",
    "is_modern",
    "negotiate",
    "older_error",
    "open_request",
]

# Newest first: a client that asks for another one is offered the first.
VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
INITIALIZE: Final = "initialize"

_NOT_THEN: Final = frozenset({"server/discover"})
_RESOURCE_NOT_FOUND: Final = -32002


def is_modern(params: Mapping[str, Any], version_header: str | None) -> bool:
    """Which era a request belongs to. The body decides; a header that names today's revision or a later one does too.

    The header of an older revision decides nothing: proxies add headers to classic traffic.
    """
    meta = params.get("_meta")
    if isinstance(meta, dict) and VERSION_KEY in meta:
        return True
    return version_header is not None and version_header >= VERSION


def check_version(version_header: str | None) -> None:
    """Refuse a revision that the porch does not know; a missing header means 2025-03-26. MCP 2025-11-25, basic/transports."""
    if version_header is not None and version_header not in VERSIONS:
        raise UnsupportedVersion(version_header, [VERSION, *VERSIONS])


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
    result = {
        "protocolVersion": version,
        "capabilities": methods.capabilities(registry),
        "serverInfo": dict(registry.server_info),
    }
    if registry.options.instructions:
        result["instructions"] = registry.options.instructions
    return result


def open_request(params: Mapping[str, Any], link: Link, client: Mapping[str, Any], capabilities: Mapping[str, Any]) -> Context:
    """The context of an older request: what it does not say itself comes from its session.

    Raises:
        InvalidParams: `_meta` is malformed.
    """
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise InvalidParams("_meta must be an object")
    check_progress_token(meta)
    return Context(link, meta, client, capabilities)


async def answer(registry: Registry, name: str, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
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


def older_error(problem: MCPError) -> MCPError:
    """The same error under its older code, if it had one. MCP 2025-11-25, server/resources, "Error handling"."""
    if isinstance(problem, ResourceNotFound):
        return MCPError(problem.message, problem.data, code=_RESOURCE_NOT_FOUND)
    return problem


def _older(result: dict[str, Any]) -> dict[str, Any]:
    """Take out, in place, what came with 2026-07-28."""
    for key in ("resultType", "ttlMs", "cacheScope"):
        result.pop(key, None)
    meta = {key: value for key, value in result.pop("_meta", {}).items() if key != SERVER_KEY}
    if meta:
        result["_meta"] = meta
    return result
