"""`Gate`: which HTTP requests are let in at all, judged by their headers alone.

Host and Origin close DNS rebinding and cross-site calls (MCP 2026-07-28, basic/transports/streamable-http, "Security"). Each
verdict on a header's value is remembered, since a client sends the same ones all day; the memory is bounded.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from lazymcp.options import Options

__all__ = ["Gate", "Headers", "Refusal", "check_single"]

Headers = Mapping[bytes, bytes]

# Two of one of these leave open which one counts (RFC 9112, section 3.2; RFC 9110, section 5.3).
_SINGLE: Final = frozenset({b"host", b"origin", b"content-type", b"content-length"})
_REMEMBERED: Final = 256
# Python refuses to read a number of thousands of digits.
_MAX_DIGITS: Final = 18
_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
# RFC 6454, section 6.2. Nothing else is read: what one reader takes for a path or a user, another takes for the host.
_ORIGIN: Final = re.compile(r"([a-z][a-z0-9+.-]*)://([a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")
_NO_WEIGHT: Final = re.compile(rb"q\s*=\s*0(\.0*)?")
_PORTS: Final = {"http": 80, "https": 443}


class Refusal(Exception):
    """A request that is answered with an HTTP status other than 200, before MCP is spoken."""

    def __init__(self, status: int, message: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


class _Origin(NamedTuple):
    """Where a page comes from; two are the same when all three are. RFC 6454, section 5."""

    scheme: str
    host: str
    port: int | None


class Gate:
    """The rules of one endpoint."""

    def __init__(self, options: Options) -> None:
        self._hosts = None if options.allowed_hosts is None else tuple(host.lower() for host in options.allowed_hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in options.allowed_origins)
        self._allowed = frozenset(_parse_origin(origin) for origin in self._origins) - {None}
        scheme, _, rest = (options.endpoint or "").lower().partition("://")
        self._own = _parse_origin(f"{scheme}://{rest.partition('/')[0]}")
        self._max_bytes = options.max_body_bytes
        self._serves = lru_cache(maxsize=256)(self._find_host)
        self._trusts = lru_cache(maxsize=256)(self._find_origin)
        self._admitted: dict[tuple[bytes | None, ...], tuple[bool, bool]] = {}
        self._few_digits = len(str(self._max_bytes)) - 1

    def recall(self, headers: Headers) -> tuple[bool, bool] | None:
        """What `accepted` says of a POST without an origin whose headers passed every check before; None: check them.

        Most requests of a client differ in nothing that is judged here.
        """
        if b"origin" in headers or len(headers.get(b"content-length", b"")) > self._few_digits:
            return None
        # The same key as in `remember`. Spelled out, for every request comes by: a function that makes it costs a Python call, and
        # a mapping over the names, measured, twice as much as this.
        return self._admitted.get((headers.get(b"host"), headers.get(b"content-type"), headers.get(b"accept")))

    def remember(self, headers: Headers, accepted: tuple[bool, bool]) -> None:
        """Keep what `recall` finds, under the same key: the headers passed every check."""
        if b"origin" not in headers:
            if len(self._admitted) >= _REMEMBERED:
                self._admitted.clear()
            self._admitted[headers.get(b"host"), headers.get(b"content-type"), headers.get(b"accept")] = accepted

    def check(self, headers: Headers, scheme: str = "") -> None:
        """Refuse foreign hosts (421) and foreign origins (403), whatever the request wants.

        Args:
            headers: the request's.
            scheme: how it came in, as the web server tells; "" when unknown.
        """
        host = headers.get(b"host", b"")
        if not self._serves(host):
            raise Refusal(421, f"this server does not answer to the host {_shown(host)}; Options.allowed_hosts names those it does")
        origin = headers.get(b"origin")
        if origin is not None and not self._trusts(origin, host, scheme):
            raise Refusal(403, f"pages of the origin {_shown(origin)} may not call this server; see Options.allowed_origins")

    def check_body(self, headers: Headers) -> None:
        """Refuse a body that is not JSON (400, 415) or is announced too large (413)."""
        kind = headers.get(b"content-type")
        if kind is None:
            raise Refusal(400, "Content-Type is missing; it must be application/json")
        if kind != b"application/json" and not _is_json(kind):
            raise Refusal(415, f"Content-Type must be application/json, not {_shown(kind)}")
        length = headers.get(b"content-length", b"")
        if length.isdigit() and (len(length) > _MAX_DIGITS or int(length) > self._max_bytes):
            self.refuse_size()

    def accepted(self, headers: Headers) -> tuple[bool, bool]:
        """Whether the client takes JSON, and whether it takes an event stream; 406 if neither. RFC 9110, section 12.5.1.

        Lenient, because proxies and older clients send `*/*`, one type only, or nothing at all
        (https://github.com/modelcontextprotocol/python-sdk/issues/2349).
        """
        value = headers.get(b"accept", b"*/*")
        accepted = _accepts(value)
        if not any(accepted):
            raise Refusal(406, f"answers are application/json or text/event-stream; Accept allows neither: {_shown(value)}")
        return accepted

    def refuse_size(self) -> None:
        """Say that a body is too large."""
        raise Refusal(413, f"the body is larger than {self._max_bytes} bytes")

    def _find_host(self, value: bytes) -> bool:
        name = value.decode("latin-1").strip().lower()
        bare, colon, port = name.rpartition(":")
        if not colon or name.endswith("]"):
            bare = name
        elif not port.isdecimal():
            return False
        if self._hosts is None:
            return bare in _LOOPBACK
        return any(_matches(allowed, name, bare) for allowed in self._hosts)

    def _find_origin(self, value: bytes, host: bytes, scheme: str) -> bool:
        text = value.decode("latin-1").lower()
        origin = _parse_origin(text)
        if origin is None:
            return text in self._origins  # such as `null`, if somebody allows it
        if "*" in self._origins or origin in self._allowed or origin == self._own:
            return True
        asked = _parse_origin(f"{origin.scheme}://{host.decode('latin-1').lower()}")
        if asked is None or origin.scheme not in _PORTS:
            return False
        if origin == asked and self._came_by(origin.scheme, asked.host, scheme):
            return True
        # Pages of this machine may call what runs on this machine, and nothing that is elsewhere.
        return origin.host in _LOOPBACK and asked.host in _LOOPBACK

    def _came_by(self, wanted: str, host: str, scheme: str) -> bool:
        """Whether a request for our own host may have come by this scheme: a page that came in clear may be anybody's."""
        if self._own is not None and self._own.host == host:
            return self._own.scheme == wanted
        # `http` says little: a proxy may have ended TLS.
        return scheme != "https" or wanted == "https"


def check_single(raw: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse a header that stands twice where only one can count."""
    twice = [name for name, count in Counter(name for name, _ in raw).items() if count > 1 and name in _SINGLE]
    if twice:
        raise Refusal(400, f"the header {_shown(twice[0])} stands twice")


@lru_cache(maxsize=256)
def _accepts(value: bytes) -> tuple[bool, bool]:
    kinds: dict[bytes, bool] = {}
    for part in value.lower().split(b","):
        kind, *parameters = (text.strip() for text in part.split(b";"))
        # RFC 9110, section 12.4.2: a weight of 0 is "not acceptable".
        kinds[kind] = not any(_NO_WEIGHT.fullmatch(parameter) for parameter in parameters)
    rest = kinds.get(b"*/*", kinds == {b"": True})
    # RFC 9110, section 12.5.1: the most specific range has precedence.
    takes_json = kinds.get(b"application/json", kinds.get(b"application/*", rest))
    return takes_json, kinds.get(b"text/event-stream", kinds.get(b"text/*", rest))


@lru_cache(maxsize=64)
def _is_json(value: bytes) -> bool:
    kind, *parameters = (part.strip().lower() for part in value.split(b";"))
    charsets = [parameter for parameter in parameters if parameter.startswith(b"charset=")]
    return kind == b"application/json" and all(charset[8:].strip(b'"') in {b"utf-8", b"utf8"} for charset in charsets)


def _matches(allowed: str, name: str, bare: str) -> bool:
    if allowed == "*" or allowed in {name, bare}:
        return True
    return allowed.startswith("*.") and bare.endswith(allowed[1:]) and len(bare) >= len(allowed)


def _parse_origin(text: str) -> _Origin | None:
    """An origin in lower case; None unless it is exactly `scheme://host` or `scheme://host:port`."""
    found = _ORIGIN.fullmatch(text)
    if found is None:
        return None
    scheme, host, port = found.groups()
    number = int(port) if port else _PORTS.get(scheme)
    return None if number is not None and number > 65535 else _Origin(scheme, host, number)


def _shown(value: bytes) -> str:
    return repr(value[:100].decode("latin-1"))
