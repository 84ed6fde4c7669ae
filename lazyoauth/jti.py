"""The `jti` of a family: which generation of a login the code or refresh token is, and which ones it took the place of.

    2.<generation>.<128 random bits>                            a code, which is generation 0
    2.<generation>.<128 random bits>.<predecessors>             what a caller of `rotate` proposes
    2.<generation>.<128 random bits>.<predecessors>.<issued>    what the store keeps: with its own clock, in milliseconds

Predecessors, the newest first and at most three: eight bytes of the SHA-256 of each and when it was replaced, as in
`hash,hash@1800000000000,hash@1799999999000`. The newest was replaced when its successor was issued, so that is not said twice.
A digest is of the jti and not of the token: who reads the table can do nothing with it. A code is never among them.

The random part makes a jti unguessable, the generation tells a store that went back in time (a restored backup) from a replay,
the predecessors tell a retry from a replay, the store's clock is the one clock that all processes share. The first part is the
version of this form. Version 1, which had no predecessors, is still read; a jti of another form is compared as a whole, it just
tells nothing more.
"""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import NamedTuple

#: Enough for what clients do to each other within a burst (https://github.com/openai/codex/issues/45944).
PREDECESSORS = 3
_DIGEST = r"[A-Za-z0-9_-]{11}"
_FORM = re.compile(
    r"[12]\.(?P<generation>\d{1,9})\.[A-Za-z0-9_-]{22}"
    rf"(?:\.(?P<predecessors>(?:{_DIGEST}(?:,{_DIGEST}@\d{{1,15}}){{0,{PREDECESSORS - 1}}})?))?"
    r"(?:\.(?P<issued>\d{1,15}))?"
)


class _Parts(NamedTuple):
    """What a jti says. Times are milliseconds by the store's clock; `replaced` maps digests, the newest first."""

    generation: int
    issued_ms: int | None
    replaced: Mapping[str, int]


def random_part() -> str:
    """128 random bits in 22 characters."""
    return secrets.token_urlsafe(16)


def first(random: str) -> str:
    """The jti of an authorization code."""
    return f"2.0.{random}"


def successor(jti: str, random: str) -> str:
    """The jti that follows, as it is proposed to the store: a function of the one before and of chance."""
    parts = _read(jti)
    # A code must not come again, however short the time (RFC 6749, section 4.1.2), so no successor remembers one.
    if parts is None or parts.generation == 0:
        return f"2.{parts.generation + 1 if parts else 1}.{random}."
    earlier = [f"{digest}@{replaced_ms}" for digest, replaced_ms in parts.replaced.items()]
    return f"2.{parts.generation + 1}.{random}.{','.join([_digest(jti), *earlier][:PREDECESSORS])}"


def generation(jti: str) -> int | None:
    """How many rotations led to it; None when its form is not ours."""
    parts = _read(jti)
    return parts.generation if parts else None


def issued(jti: str) -> float | None:
    """When the store issued it, in Unix seconds by the store's clock; None when that is not told."""
    parts = _read(jti)
    return parts.issued_ms / 1000 if parts and parts.issued_ms is not None else None


def replaced(current_jti: str, jti: str) -> float | None:
    """When an earlier jti of this family was replaced, by the store's clock; None when the current one does not remember it."""
    parts = _read(current_jti)
    digest = _digest(jti)
    for known, replaced_ms in parts.replaced.items() if parts else ():
        if hmac.compare_digest(known, digest):
            return replaced_ms / 1000
    return None


def _digest(jti: str) -> str:
    return urlsafe_b64encode(hashlib.sha256(jti.encode()).digest()[:8]).decode().rstrip("=")


def _read(jti: str) -> _Parts | None:
    found = _FORM.fullmatch(jti)
    if found is None:
        return None
    issued_ms = int(found["issued"]) if found["issued"] else None
    replaced = {}
    for text in filter(None, (found["predecessors"] or "").split(",")):
        digest, _, at_ms = text.partition("@")
        # The newest was replaced when this one was issued; as long as it is only proposed, nobody knows when that will be.
        if at_ms or issued_ms is not None:
            replaced[digest] = int(at_ms or issued_ms or 0)
    return _Parts(int(found["generation"]), issued_ms, replaced)
