"""What a scope request means. Strictness here only costs logins: unknown values are ignored, and the answer says what was granted.

RFC 6749, section 3.3 lets the server ignore what it does not know; clients send stray spaces
(https://github.com/anthropics/claude-ai-mcp/issues/453) and values that nobody offered
(https://github.com/anthropics/claude-code/issues/41610).
"""

from collections.abc import Sequence

from lazyoauth.errors import InvalidScope

OFFLINE_ACCESS = "offline_access"


def split(scope: str) -> tuple[str, ...]:
    """The values of a scope parameter, each once, in order."""
    return tuple(dict.fromkeys(scope.split()))


def grant(requested: str, supported: Sequence[str]) -> str:
    """The scope that an authorization request gets: what we know of it, or everything we offer when nothing is left."""
    asked = split(requested)
    known = [value for value in asked if value in supported]
    if not known:
        known = list(supported)
    return " ".join([*known, OFFLINE_ACCESS] if OFFLINE_ACCESS in asked else known)


def narrow(requested: str, granted: str, asked_first: str) -> str:
    """The scope of a refreshed access token.

    Args:
        requested: the parameter of the refresh request, may be empty.
        granted: what the person approved.
        asked_first: what the authorization request asked for; a client that repeats its own words is not refused for them.

    Raises:
        InvalidScope: something that was never asked for. RFC 6749, section 6.
    """
    values = split(requested)
    allowed = split(granted)
    for value in values:
        if value not in allowed and value != OFFLINE_ACCESS and value not in split(asked_first):
            raise InvalidScope("the scope goes beyond what was granted")
    kept = [value for value in values if value in allowed]
    return " ".join(kept) if kept else granted
