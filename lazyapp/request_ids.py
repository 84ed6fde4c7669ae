"""The id of the request that is being answered: in every line that is logged meanwhile, in its answer, and for who asks here.

One context variable, set by `App` around each request and only there; background work that a request starts inherits it. The id is
made when it is first wanted and stands in the request's ASGI scope from then on.
"""

import ipaddress
import logging
import random
import re
from collections.abc import Awaitable, Callable, MutableMapping
from contextvars import ContextVar
from functools import cached_property, partial
from typing import Any, Final

__all__ = ["HEADER", "RequestIds", "answering", "every_request_is_logged", "request_id", "telling"]

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

HEADER: Final = b"x-request-id"
_KEY: Final = "lazyapp.request_id"
# What is put into log lines and pages: no space, no quote, no line end.
_PLAIN: Final = re.compile(rb"[A-Za-z0-9._:=+/-]{8,128}")
# W3C Trace Context, section 3.2: version, trace-id, parent-id, flags; a trace-id of zeros is invalid.
_TRACEPARENT: Final = re.compile(rb"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")


class RequestIds:
    """Names the requests of one application.

    Args:
        proxies: the peers whose `X-Request-Id` or `traceparent` is believed, as FORWARDED_ALLOW_IPS lists them: addresses,
            networks, or `*`. A stranger's would let him write what he likes into our log, under the id of somebody else.
    """

    def __init__(self, proxies: str | None = None) -> None:
        self._listed = [name.strip() for name in (proxies or "").split(",") if name.strip()]

    def of(self, scope: Scope) -> str:
        """The id of a request, made now if it has none."""
        found: str | None = scope.get(_KEY)
        if found is None:
            found = scope[_KEY] = (self._listed and self._given(scope)) or f"{random.getrandbits(64):016x}"
        return found

    def tell(self, scope: Scope, send: Send, message: MutableMapping[str, Any]) -> Awaitable[None]:
        """Send a message, the id in the headers of an answer that has none of its own."""
        if message["type"] == "http.response.start":
            headers = message.get("headers", ())
            for name, _ in headers:
                if name == HEADER:
                    break
            else:
                message = {**message, "headers": [*headers, (HEADER, self.of(scope).encode())]}
        return send(message)

    def _given(self, scope: Scope) -> str | None:
        headers = dict(scope["headers"])
        given = headers.get(HEADER, b"")
        trace = _TRACEPARENT.fullmatch(headers.get(b"traceparent", b""))
        if not (_PLAIN.fullmatch(given) or trace) or not self._is_trusted(scope.get("client")):
            return None
        return given.decode() if _PLAIN.fullmatch(given) else trace[1].decode() if trace else None

    def _is_trusted(self, client: tuple[str, int] | None) -> bool:
        if "*" in self._listed:
            return True
        if client is None:
            return False
        host, port = client[:2]
        # The server has put the visitor in the place of a proxy that it trusts: no connection comes from port 0.
        return port == 0 or host in self._listed or _is_within(host, self._networks)

    @cached_property
    def _networks(self) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
        return [network for name in self._listed if (network := _network(name)) is not None]


def every_request_is_logged() -> bool:
    """Whether a line is written of each request: uvicorn's access log, which says nothing without a handler."""
    access = logging.getLogger("uvicorn.access")
    return access.isEnabledFor(logging.INFO) and access.hasHandlers()


answering: ContextVar[tuple[Scope, RequestIds] | None] = ContextVar("lazyapp_answering", default=None)


def request_id() -> str | None:
    """The id of the request that is being answered; None outside one, such as in a command or over stdio."""
    found = answering.get()
    return None if found is None else found[1].of(found[0])


def telling(send: Send) -> Send:
    """`send` for an answer that shall tell the id of the request that is being answered; as it is outside one."""
    found = answering.get()
    return send if found is None else partial(found[1].tell, found[0], send)


def _network(name: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(name, strict=False)
    except ValueError:
        return None


def _is_within(host: str, networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in networks)
