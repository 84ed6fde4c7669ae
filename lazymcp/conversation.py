"""`Conversation`: requests of the older revisions over one stdio connection.

State: what the client said in `initialize` and set afterwards, kept as long as the connection.
"""

from collections.abc import Mapping
from typing import Any

from lazymcp import legacy
from lazymcp.context import Link
from lazymcp.errors import InvalidParams
from lazymcp.legacy import DEFAULT_LEVEL, MAX_SUBSCRIPTIONS, check_level, check_uri
from lazymcp.legacy_news import Ear
from lazymcp.pen import Tell
from lazymcp.registry import Registry

__all__ = ["Conversation"]


class Conversation:
    """One older client."""

    def __init__(self, registry: Registry, tell: Tell) -> None:
        """Begin to talk.

        Args:
            tell: sends a notification that belongs to no request.
        """
        self._registry = registry
        self._tell = tell
        self._client: Mapping[str, Any] = {}
        self._capabilities: Mapping[str, Any] = {}
        self._level = DEFAULT_LEVEL
        self._uris: dict[str, None] = {}
        self._ear: Ear | None = None

    async def answer(self, method: str, params: dict[str, Any], link: Link) -> dict[str, Any]:
        """The result of a request.

        Raises:
            MCPError: what the peer did wrong; `older_error` gives it its older form.
            Forbidden: the token lacks a scope that a tool declares.
        """
        if method == legacy.INITIALIZE:
            version = legacy.negotiate(params)
            self._client, self._capabilities = params.get("clientInfo", {}), params.get("capabilities", {})
            return await legacy.initialize(self._registry, version)
        ctx = legacy.open_request(params, link, self._client, self._capabilities, self._level)
        then = legacy.THEN.get(method)
        if then is not None:
            return await then(self, None, params)
        return legacy.older(await legacy.answer(self._registry, method, params, ctx))

    def take_in(self, notification: str) -> None:
        """Begin to tell the client what changes, once the handshake is over. MCP 2025-11-25, basic/lifecycle."""
        if notification == "notifications/initialized" and self._ear is None:
            self._ear = Ear(self._registry, self._uris, self._tell)

    def end(self) -> None:
        """Tell it nothing more."""
        if self._ear is not None:
            self._ear.close()

    async def set_level(self, session: object, level: object) -> None:
        """Set the least severe log message that the client wants to hear."""
        self._level = check_level(level)

    async def subscribe(self, session: object, uri: object) -> None:
        """Tell the client when a resource changes."""
        checked = await check_uri(self._registry, uri)
        if len(self._uris) >= MAX_SUBSCRIPTIONS:
            raise InvalidParams(f"a connection has at most {MAX_SUBSCRIPTIONS} subscriptions")
        self._uris[checked] = None
        if self._ear is not None:
            self._ear.subscribe(checked)

    async def unsubscribe(self, session: object, uri: object) -> None:
        """Tell it no more."""
        if type(uri) is not str:
            raise InvalidParams("uri must be a string")
        self._uris.pop(uri, None)
        if self._ear is not None:
            self._ear.unsubscribe(uri)
