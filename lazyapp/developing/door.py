"""The one door to `/_lazy`: what is behind it answers its owner on this machine, and is not there for anybody else.

A part that is mounted here need not ask who comes. Methods, paths and the policy of its pages stay its own.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final

from lazyapp.this_machine import is_from_here, is_of_this_origin, not_found

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

ROOT: Final = "/_lazy"


class Door:
    """An application's pages, with the parts of `/_lazy` before them.

    Args:
        web: answers every other path.
        routes: a part for each prefix: `/_lazy/preview` also answers `/_lazy/preview/frame`. The longest that fits wins.
    """

    def __init__(self, web: ASGIApp, routes: Mapping[str, ASGIApp]) -> None:
        self._web = web
        self._routes = sorted(routes.items(), key=lambda route: len(route[0]), reverse=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] not in ("http", "websocket") or not is_within(scope["path"], ROOT):
            return await self._web(scope, receive, send)
        if scope["type"] == "websocket":
            # Nothing here speaks it. Before it is accepted, closing answers the handshake with 403.
            return await send({"type": "websocket.close", "code": 1008, "reason": ""})
        found = next((part for prefix, part in self._routes if is_within(scope["path"], prefix)), None)
        if found is None or not is_from_here(scope) or not is_of_this_origin(scope):
            return await not_found(scope, send)
        return await found(scope, receive, send)


def is_within(path: str, prefix: str) -> bool:
    """Whether a path is a prefix, or lies below it."""
    return path == prefix or path.startswith(prefix + "/")
