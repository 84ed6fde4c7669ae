"""Resource indicators (RFC 8707): is this URI the resource that we protect?

Clients spell one resource in several ways (case of the host, the default port, one slash at the end); they are compared in
one canonical form, and the spelling that the client sent is what goes into `aud`, because some clients compare that
(https://github.com/sigbit/mcp-auth-proxy/issues/123).
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from lazyoauth.errors import InvalidTarget

_DEFAULT_PORTS = {"http": 80, "https": 443}


def canonical(uri: str) -> str | None:
    """The one form in which resources are compared; None for what cannot be a resource. RFC 8707, section 2: no fragment."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return None
    if not parts.scheme or not parts.hostname or parts.fragment or "@" in parts.netloc:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    netloc = host if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{netloc}{parts.path.removesuffix('/')}{query}"


def same(one: str, other: str) -> bool:
    """Whether two URIs name one resource."""
    form = canonical(one)
    return form is not None and form == canonical(other)


def choose(requested: Sequence[str], allowed: str) -> str:
    """The resource of a request: what it asked for, or the allowed one when it named none.

    Args:
        requested: every `resource` parameter that came; RFC 8707 is the one place where OAuth permits repetition.
        allowed: the resource of this server, or the one that the person approved.

    Raises:
        InvalidTarget: any of them is another resource.

    RFC 8707, sections 2.1 and 2.2. Without the parameter: https://github.com/anthropics/claude-code/issues/10572.
    """
    if not all(same(resource, allowed) for resource in requested):
        raise InvalidTarget(f"the only resource here is {allowed}")
    return requested[0] if requested else allowed
