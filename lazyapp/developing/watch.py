"""Writes each request down once it is answered: an ASGI layer round the whole application.

Of a call of `/mcp` it also learns the method and the name, from the headers where the client says them there, else from the body,
of which it keeps a copy of bounded size for as long as the call lasts.
"""

import json
import time
from collections.abc import Container
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, Literal
from urllib.parse import parse_qsl

from lazyapp.debug_report import masked_pairs
from lazyapp.developing.door import ROOT, ASGIApp, Message, Receive, Scope, Send, is_within
from lazyapp.developing.memory import TEXT, Memory, Pairs, Request
from lazyapp.error_pages import KEPT_UNDER
from lazyapp.request_ids import request_id
from lazyapp.secret_words import MASK
from lazymcp.failures import pages_of

BODY: Final = 64 * 1024
_FIELDS: Final = 50
_OAUTH_SHOWN: Final = frozenset({"response_type", "scope", "resource", "redirect_uri", "prompt", "code_challenge_method"})


class Asked:
    """The request that is being answered, as far as it is known. Its own task writes; who logs meanwhile reads.

    Attributes:
        scope: the request's.
        body: the beginning of what was sent to `/mcp`.
        reported: the error that ended its page, once it was remembered.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.body = bytearray()
        self.status = 0
        self.reported: BaseException | None = None

    def call(self) -> tuple[str, dict[str, Any]]:
        """The MCP method and its parameters, as they were sent; empty where there is nothing to be understood."""
        try:
            sent = json.loads(self.body)
        except (ValueError, RecursionError):
            return "", {}
        if not isinstance(sent, dict) or not isinstance(method := sent.get("method"), str):
            return "", {}
        params = sent.get("params")
        return method, params if isinstance(params, dict) else {}


#: What is being answered here; background work that a request leaves, and the threads it starts, inherit it.
asked: ContextVar[Asked | None] = ContextVar("lazyapp_developing_asked", default=None)


class Watch:
    """An application that remembers what it answered.

    Args:
        app: the whole application.
        memory: gets a `Request` for each.
        origin: under which this machine reaches the application, for the address of an error's page.
        mcp: the paths at which MCP is served.
        oauth: those of the authorization server.
    """

    def __init__(self, app: ASGIApp, memory: Memory, *, origin: str, mcp: Container[str] = (), oauth: Container[str] = ()) -> None:
        self._app = app
        self._pages_of = f"{origin}{KEPT_UNDER}"
        self._memory = memory
        self._mcp = mcp
        self._oauth = oauth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, then remember."""
        if scope["type"] != "http" or is_within(scope["path"], ROOT):  # who looks does not change what there is to see
            return await self._app(scope, receive, send)
        kind = self._kind(scope["path"])
        here = Asked(scope)
        began, start = time.time(), time.perf_counter()
        token, pages = asked.set(here), pages_of.set(self._pages_of)
        try:
            await self._app(scope, partial(_heard, here, receive) if kind == "mcp" else receive, partial(_seen, here, send))
        finally:
            asked.reset(token)
            pages_of.reset(pages)
            self._memory.requests.append(_told(here, kind, began, (time.perf_counter() - start) * 1000))
        return None

    def _kind(self, path: str) -> Literal["page", "mcp", "oauth"]:
        return "mcp" if path in self._mcp else "oauth" if path in self._oauth else "page"


async def _heard(here: Asked, receive: Receive) -> Message:
    message = await receive()
    if len(here.body) < BODY:
        here.body += message.get("body", b"")[: BODY - len(here.body)]
    return message


async def _seen(here: Asked, send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        here.status = message["status"]
    await send(message)


def _told(here: Asked, kind: Literal["page", "mcp", "oauth"], began: float, ms: float) -> Request:
    scope = here.scope
    call, params = here.call() if kind == "mcp" else ("", {})
    name = params.get("name") or params.get("uri") or ""
    return Request(
        began,
        kind,
        scope["method"],
        scope["path"][:TEXT],
        here.status,
        ms,
        request_id() or "",
        call[:200],
        name[:200] if isinstance(name, str) else "",
        _query(scope["query_string"], kind),
    )


def _query(sent: bytes, kind: str) -> Pairs:
    if not sent:
        return ()
    pairs = parse_qsl(sent[:TEXT].decode("latin-1"), keep_blank_values=True)[:_FIELDS]
    if kind == "oauth":
        # Its state, nonce and challenge bind one login; what is no secret has names of its own. RFC 6749, section 10.12.
        return tuple((name, value if name in _OAUTH_SHOWN else MASK) for name, value in pairs)
    return masked_pairs(pairs)
