"""The `jti` of a family: which generation of a login a code or refresh token is.

    1.<generation>.<128 random bits>             as a code carries it, or a caller of `rotate` proposes it
    1.<generation>.<128 random bits>.<issued>    as the store keeps it: with its own clock, in milliseconds

Generation 0 is the authorization code. The random part makes it unguessable, the generation tells a store that went back in
time (a restored backup) from a replay, the store's clock is the one clock that all processes share. The first part is the
version of this form; a jti of another form is still compared as a whole, it just tells nothing more.
"""

import re
import secrets

_FORM = re.compile(r"1\.(?P<generation>\d{1,9})\.[A-Za-z0-9_-]{22}(?:\.(?P<issued>\d{1,15}))?")


def random_part() -> str:
    """128 random bits in 22 characters."""
    return secrets.token_urlsafe(16)


def first(random: str) -> str:
    """The jti of an authorization code."""
    return f"1.0.{random}"


def successor(jti: str, random: str) -> str:
    """The jti that follows."""
    return f"1.{(generation(jti) or 0) + 1}.{random}"


def generation(jti: str) -> int | None:
    """How many rotations led to it; None when its form is not ours."""
    parts = _FORM.fullmatch(jti)
    return int(parts["generation"]) if parts else None


def issued(jti: str) -> float | None:
    """When the store issued it, in Unix seconds by the store's clock; None when that is not told."""
    parts = _FORM.fullmatch(jti)
    return int(parts["issued"]) / 1000 if parts and parts["issued"] else None
