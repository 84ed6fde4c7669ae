"""What a client says about itself, made safe: RFC 7591, section 2, as a registration or a metadata document carries it.

Lenient as clients need it: members we do not know are ignored, redirect URIs we do not accept are left out, and only metadata
without a usable one is refused.
"""

from collections.abc import Mapping
from typing import Any

from lazyoauth.errors import InvalidClientMetadata, InvalidRedirectURI
from lazyoauth.names import clean
from lazyoauth.redirects import fault_of

MAX_URI_LENGTH = 255
_GRANT_TYPES = ("authorization_code", "refresh_token")

Metadata = Mapping[str, Any]


def redirect_uris(metadata: Metadata, at_most: int) -> tuple[str, ...]:
    """The acceptable ones, each once: https://github.com/soflyy/agent-connector-for-wp/issues/111.

    Raises:
        InvalidRedirectURI: none is left, or there are too many.
    """
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not uris or not all(isinstance(uri, str) for uri in uris):
        raise InvalidRedirectURI("redirect_uris must be a list of one or more strings")
    if len(uris) > at_most:
        raise InvalidRedirectURI(f"at most {at_most} redirect URIs can be registered")
    faults = {uri: fault_of(uri) for uri in uris}
    accepted = tuple(uri for uri, fault in faults.items() if fault is None)
    if not accepted:
        raise InvalidRedirectURI(next(fault for fault in faults.values() if fault))
    return accepted


def grant_types(metadata: Metadata) -> tuple[str, ...]:
    """Those we know. A client that names none may stay connected: https://github.com/anthropics/claude-ai-mcp/issues/42.

    Raises:
        InvalidClientMetadata: people cannot sign in with those that are named.
    """
    asked = metadata.get("grant_types")
    if not isinstance(asked, list) or not asked:
        return _GRANT_TYPES
    if "authorization_code" not in asked:
        raise InvalidClientMetadata("grant_types must include authorization_code")
    return tuple(grant for grant in _GRANT_TYPES if grant in asked)


def name(metadata: Metadata) -> str:
    """The name as people may safely see it; "" for none."""
    return clean(metadata.get("client_name"))


def uri(metadata: Metadata) -> str:
    """The client's home page if it can be a link, else "": other schemes than http and https can be scripts."""
    given = metadata.get("client_uri")
    if not isinstance(given, str) or len(given) > MAX_URI_LENGTH or not given.startswith(("https://", "http://")):
        return ""
    return given if given.isascii() and given.isprintable() and not any(mark in given for mark in ' "<>\\') else ""
