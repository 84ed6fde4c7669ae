"""What every page request passes before it is believed, and the headers that every page answer carries.

Hosts, cross-origin requests, the size of a body, content security. Rules only: `web.py` asks, and answers what is refused here.
"""

import asyncio
import ipaddress
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from lazyapp.accept import header
from lazyapp.content_security import ContentSecurity

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Header = tuple[bytes, bytes]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
MAX_BODY_BYTES, BODY_TIMEOUT_S = 16 * 1024 * 1024, 30.0
# Above the thousand fields that Starlette accepts, which an application may raise with FastAPI's `form_limits`.
MAX_FORM_FIELDS = 10_000
_FORM = "application/x-www-form-urlencoded"
_MAX_REMEMBERED = 256
_LENGTH = re.compile(r"[0-9]{1,18}")
_HOST = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]*)?")

# FastAPI's /docs and /redoc load their script, style and icon from there and start them inline.
_DOCS_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' https://cdn.jsdelivr.net; worker-src blob:; "
    "style-src 'self' 'unsafe-inline' https://cdn.jsdelivr.net https://fonts.googleapis.com; font-src https://fonts.gstatic.com; "
    "img-src 'self' data: https://fastapi.tiangolo.com https://cdn.redoc.ly; frame-ancestors 'none'"
)
# For browsers that do not know `frame-ancestors`; it cannot name other sites, so it is left out when the policy does.
_UNFRAMED: tuple[Header, ...] = ((b"x-frame-options", b"DENY"),)
# RFC 6797, 6.1: a year, for this host alone. Other hosts of the domain are not ours to decide about.
_HTTPS_ONLY: tuple[Header, ...] = ((b"strict-transport-security", b"max-age=31536000"),)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered, in a sentence to whoever sent it."""

    status: int
    message: str


class Security:
    """The rules of one application.

    Args:
        hosts: names that a request may call us by: `example.com`, `*.example.com`, `[2001:db8::1]` or `*`; without ports, for only
            names are compared, in any case and any spelling of an IPv6 address.
        origin: our public origin, `https://example.com`; requests that name it as theirs are our own.
        docs: paths whose pages load FastAPI's documentation from its CDN.
        max_body_bytes: larger bodies are refused with 413.
        body_timeout_s: a body of which nothing more comes for so long is refused with 408.
        content: what pages may load; None: what the application serves itself.
        https_only: browsers are told to come by https alone from now on.
    """

    def __init__(
        self,
        hosts: Sequence[str],
        *,
        origin: str = "",
        docs: Sequence[str] = (),
        max_body_bytes: int = MAX_BODY_BYTES,
        body_timeout_s: float = BODY_TIMEOUT_S,
        content: ContentSecurity | None = None,
        https_only: bool = False,
    ) -> None:
        self._names = frozenset(_name(host) for host in hosts if not host.startswith("*"))
        self._suffixes = tuple(host[1:].lower() for host in hosts if host.startswith("*."))
        self._any_host = "*" in hosts
        self._origin = origin.lower()
        self._docs = frozenset(docs)
        self._max_body_bytes = max_body_bytes
        self._body_timeout_s = body_timeout_s
        self._known: set[bytes] = set()
        self._content = content or ContentSecurity()
        self._common: tuple[Header, ...] = (
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"strict-origin-when-cross-origin"),
            *(() if self._content.may_be_framed else _UNFRAMED),
            *(_HTTPS_ONLY if https_only else ()),
        )
        self._plain = (*self._common, (b"content-security-policy", self._content.plain))

    def refuse(self, scope: Mapping[str, Any]) -> Refusal | None:
        """Why a request must not go further; None when it may. Without I/O, and for WebSocket handshakes too."""
        host = b""
        count = 0
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
                count += 1
        if count != 1:
            # RFC 9112, section 3.2.
            return Refusal(400, "The request must name one host in its Host header.")
        if host not in self._known and (refusal := self._refuse_host(host)):
            return refusal
        if scope["type"] == "websocket":
            # A handshake is a GET that carries cookies and is bound by no same-origin policy (RFC 6455, section 10.2).
            return self._refuse_origin(scope, host)
        if scope["method"] in SAFE_METHODS:
            return None
        return self._refuse_unsafe(scope, host)

    def headers(self, path: str, nonce: str) -> tuple[Header, ...]:
        """What an answer carries unless it says otherwise itself.

        Args:
            path: the path asked for; documentation pages have a wider policy.
            nonce: allows the page's own inline scripts and styles; empty when it has none.
        """
        if path in self._docs:
            return (*self._common, (b"content-security-policy", _DOCS_POLICY.encode()))
        if nonce:
            return (*self._common, (b"content-security-policy", self._content.with_nonce(nonce)))
        return self._plain

    def limited(self, scope: Mapping[str, Any], receive: Receive, error: Callable[[Refusal], Exception]) -> Receive:
        """`receive`, which refuses a body once it is too large, whatever length was announced, and one that stops coming.

        A form of more than MAX_FORM_FIELDS fields is refused before it is read: what reads forms takes each byte of
        `&&&&…` by itself, and would hold up every other request for the time of some million steps.

        Args:
            scope: the request's.
            receive: the request's own.
            error: what to raise for a refusal, in the words of whoever reads the body.
        """
        limit, timeout_s = self._max_body_bytes, self._body_timeout_s
        size, fields, is_whole = 0, 0, False

        async def counted() -> MutableMapping[str, Any]:
            nonlocal size, fields, is_whole
            if is_whole:
                # Whoever asks on waits for the visitor to leave, and may wait for long.
                return await receive()
            try:
                async with asyncio.timeout(timeout_s):
                    message = await receive()
            except TimeoutError:
                raise error(Refusal(408, f"Nothing more of the request's body arrived within {timeout_s:g} seconds.")) from None
            body = message.get("body", b"")
            size += len(body)
            if body and header(scope, b"content-type").lower().startswith(_FORM):
                fields += body.count(b"&") + body.count(b";")
            is_whole = not message.get("more_body", False)
            if size > limit:
                raise error(Refusal(413, _too_large(limit)))
            if fields > MAX_FORM_FIELDS:
                raise error(Refusal(413, f"The form has more than the {MAX_FORM_FIELDS} fields that are accepted."))
            return message

        return counted

    def _refuse_host(self, host: bytes) -> Refusal | None:
        found = _HOST.fullmatch(host)
        if found is None:
            return Refusal(400, "The Host header names no host.")
        name = _name(found[1].decode())
        if self._any_host or name in self._names or name.endswith(self._suffixes or ("\0",)):
            if len(self._known) < _MAX_REMEMBERED:
                self._known.add(host)
            return None
        return Refusal(421, f"This server does not answer for {name!r}; if it should, add that name to ALLOWED_HOSTS.")

    def _refuse_unsafe(self, scope: Mapping[str, Any], host: bytes) -> Refusal | None:
        length = header(scope, b"content-length")
        # `²` is a digit to Python and a number to nobody, and of some thousand digits it makes no number either.
        if length and (not _LENGTH.fullmatch(length) or int(length) > self._max_body_bytes):
            return Refusal(413, _too_large(self._max_body_bytes))
        if brings_token(scope):
            # No browser adds this header by itself, and another site's script cannot without a preflight.
            return None
        site = header(scope, b"sec-fetch-site")
        if site in ("same-origin", "none"):
            return None
        if site:
            return Refusal(403, "The request comes from another site; this one accepts changes from its own pages only.")
        return self._refuse_origin(scope, host)

    def _refuse_origin(self, scope: Mapping[str, Any], host: bytes) -> Refusal | None:
        origin = header(scope, b"origin").lower()
        if not origin:
            if scope["type"] == "websocket" or not header(scope, b"cookie"):
                return None
            return Refusal(
                403, "The request carries a cookie and does not say where it comes from; send an Origin or Sec-Fetch-Site header."
            )
        scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
        if origin in (self._origin, f"{scheme}://{host.decode('latin-1').lower()}"):
            return None
        return Refusal(403, f"The request comes from {origin!r}; this site accepts changes from its own pages only.")


def brings_token(scope: Mapping[str, Any]) -> bool:
    """Whether a request comes with a bearer token, as programs do. A proxy's Basic login is a browser's matter."""
    return header(scope, b"authorization")[:7].lower() == "bearer "


def _name(host: str) -> str:
    """A host to compare: lower case, and an IPv6 address in the one spelling of RFC 5952."""
    bare = host.lower().strip("[]")
    try:
        return ipaddress.IPv6Address(bare).compressed if ":" in bare else bare
    except ValueError:
        return bare


def _too_large(limit: int) -> str:
    return f"The request's body is larger than the {limit} bytes that are accepted."
