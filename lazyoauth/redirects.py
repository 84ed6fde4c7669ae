"""Which redirect URIs may be registered, and which request matches a registration.

Exact strings, as RFC 9700, section 4.1.3 asks, with the one exception that native applications need: on the loopback host the
port is free (RFC 8252, section 7.3). `localhost` counts as loopback because most AI clients use it; it never matches 127.0.0.1.
"""

import re
from urllib.parse import parse_qs, urlsplit

# Private-use schemes belong to no one (RFC 8252, section 8.4), so they are accepted as whole URIs only.
PRIVATE_USE_URIS = frozenset({"cursor://anysphere.cursor-mcp/oauth/callback"})

MAX_LENGTH = 1024
# As `host_of` gives them.
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_LOOPBACK = re.compile(
    r"http://(?P<host>localhost|127\.0\.0\.1|\[::1\])(?::(?P<port>[0-9]{1,5}))?(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?"
)
_HTTPS = re.compile(
    r"https://(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?"
)
# RFC 9207, section 2.4 and RFC 6749, section 4.1.2: each of these comes once, from us.
_RESPONSE_PARAMETERS = frozenset({"code", "state", "iss", "error", "error_description"})
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)


def fault_of(uri: str) -> str | None:
    """Why a redirect URI cannot be registered, as a sentence; None when it can.

    RFC 9700, section 4.1.3; MCP 2026-07-28, authorization: redirect URIs are https or loopback.
    """
    if uri in PRIVATE_USE_URIS:
        return None
    if len(uri) > MAX_LENGTH:
        return f"a redirect URI has at most {MAX_LENGTH} characters"
    # A host in other scripts must come as punycode: what looks alike is not equal, and people see what is compared.
    if not _PRINTABLE.fullmatch(uri) or "\\" in uri:
        return "a redirect URI consists of visible ASCII characters without backslash"
    if "#" in uri:
        return "a redirect URI has no fragment"
    parts = _LOOPBACK.fullmatch(uri) or _HTTPS.fullmatch(uri)
    if parts is None or int(parts["port"] or 0) > 65535:
        return "a redirect URI is https with a plain host, or http on localhost, 127.0.0.1 or [::1]"
    if _DOT_SEGMENT.search(parts["path"] or ""):
        return "a redirect URI has no dot segments"
    if not _RESPONSE_PARAMETERS.isdisjoint(parse_qs(uri.partition("?")[2], keep_blank_values=True)):
        return "a redirect URI has no query parameters that belong to the response"
    return None


def is_loopback(uri: str) -> bool:
    """Whether the URI leads to a program on the person's own machine."""
    return _LOOPBACK.fullmatch(uri) is not None


def match(registered: str, requested: str) -> bool:
    """Whether a requested redirect URI is the registered one, the port aside when both are loopback.

    RFC 9700, section 4.1.3; RFC 8252, section 7.3.
    """
    if registered == requested:
        return True
    ours, theirs = _LOOPBACK.fullmatch(registered), _LOOPBACK.fullmatch(requested)
    return ours is not None and theirs is not None and _without_port(ours) == _without_port(theirs) and fault_of(requested) is None


def host_of(uri: str) -> str:
    """The host a person should look at before agreeing, as it was registered: punycode stays punycode."""
    parts = urlsplit(uri)
    return parts.hostname or uri if parts.scheme in ("http", "https") else f"{parts.scheme}://{parts.netloc}"


def _without_port(parts: re.Match[str]) -> tuple[str, str, str]:
    return parts["host"], parts["path"] or "/", parts["query"] or ""
