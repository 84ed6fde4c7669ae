"""`private_key_jwt`: a client proves who it is by signing a short-lived JWT. RFC 7523, sections 2.2 and 3; RFC 7521, section 5.2.

The algorithm is ours to choose and the key is the client's published one, whatever the header says (RFC 8725, sections 3.1 and
3.10). An assertion is spent only when everything else about it is right, so nobody can use up another's.
"""

import asyncio
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from lazyoauth.assertions import key_of
from lazyoauth.client_keys import Key
from lazyoauth.errors import InvalidClient
from lazyoauth.issuer import Issuer
from lazyoauth.metadata import SIGNING_ALGORITHMS, TOKEN
from lazyoauth.records import Client
from lazyoauth.users import unavailable

MAX_LENGTH = 8_192
MAX_LIFETIME_S = 300
# How far the client's clock may be ahead of ours.
LEEWAY_S = 30
MAX_JTI_LENGTH = 512
# JSON can escape half of a surrogate pair (RFC 8259, section 8.2), which no bytes can say: such a jti could not be remembered.
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
STORE_TIMEOUT_S = 10.0
_TYPES = frozenset({"", "JWT", "CLIENT-AUTHENTICATION+JWT"})
# Key material and instructions in a header are for whoever trusts the header.
_FORBIDDEN = frozenset({"jwk", "jku", "x5u", "crit", "b64"})
_REGISTRIES = {name: jws.JWSRegistry(algorithms=[name], strict_check_header=False) for name in SIGNING_ALGORITHMS}
# RFC 7518, section 3.3 asks for 2048 bits; a modulus or an exponent that is far larger only costs time.
MIN_RSA_BITS, MAX_RSA_BITS, MAX_EXPONENT_BITS = 2048, 8192, 32
_WRONG = "the client did not prove who it is"


def subject_of(assertion: str) -> str:
    """Whom an assertion claims to be from, "" when that cannot be told. Nothing is proven by it."""
    claims = _peek(assertion, 1)
    subject = claims.get("sub")
    return subject if isinstance(subject, str) else ""


async def verify(issuer: Issuer, client: Client, assertion: str) -> None:
    """Check an assertion of this client, and spend it.

    Raises:
        InvalidClient: it proves nothing, or was used before.
        TemporarilyUnavailable: the client's keys or the store of assertions are away.
    """
    header = _peek(assertion, 0)
    algorithm, kid = header.get("alg"), header.get("kid")
    if algorithm not in SIGNING_ALGORITHMS or not (kid is None or isinstance(kid, str)) or not _FORBIDDEN.isdisjoint(header):
        raise InvalidClient(_WRONG, detail="header of the assertion")
    if str(header.get("typ", "")).upper() not in _TYPES:
        raise InvalidClient(_WRONG, detail="typ of the assertion")
    keys = [key for key in await issuer.client_keys.find(client, kid) if _serves(key, algorithm)]
    claims = next((claims for key in keys if (claims := _opened(assertion, key, algorithm)) is not None), None)
    if claims is None:
        raise InvalidClient(_WRONG, detail="signature of the assertion")
    expires_at = _check(claims, client.id, (issuer.url, f"{issuer.url}{TOKEN}"), issuer.now())
    if not await _spend(issuer, key_of(client.id, claims["jti"]), expires_at + LEEWAY_S):
        raise InvalidClient(_WRONG, detail="the assertion was used before")


def _check(claims: Mapping[str, Any], client_id: str, audiences: tuple[str, ...], now: float) -> float:
    """The end of an assertion whose claims are all right. RFC 7523, section 3."""
    expires_at, issued, not_before = claims.get("exp"), claims.get("iat", now), claims.get("nbf", now)
    if not all(_is_time(value) for value in (expires_at, issued, not_before)):
        raise InvalidClient(_WRONG, detail="times of the assertion")
    if now >= float(str(expires_at)) or float(str(expires_at)) > now + MAX_LIFETIME_S + LEEWAY_S:
        raise InvalidClient(_WRONG, detail="exp of the assertion")
    if issued > now + LEEWAY_S or not_before > now + LEEWAY_S:
        raise InvalidClient(_WRONG, detail="iat or nbf of the assertion")
    if claims.get("iss") != client_id or claims.get("sub") != client_id:
        raise InvalidClient(_WRONG, detail="iss or sub of the assertion")
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    # One that is meant for another server as well could come from there.
    if not named or not all(value in audiences for value in named):
        raise InvalidClient(_WRONG, detail="aud of the assertion")
    jti = claims.get("jti")
    if not isinstance(jti, str) or not 0 < len(jti) <= MAX_JTI_LENGTH or _HALF_CHARACTER.search(jti):
        raise InvalidClient(_WRONG, detail="jti of the assertion")
    return float(str(expires_at))


async def _spend(issuer: Issuer, key: str, expires_at: float) -> bool:
    try:
        async with asyncio.timeout(STORE_TIMEOUT_S):
            return await issuer.assertions.spend(key, expires_at)
    except Exception as error:
        raise unavailable("the store of client assertions", error) from error


def _is_time(value: Any) -> bool:
    """RFC 7519, section 2: a NumericDate. JSON's Infinity and NaN, which Python reads, are none."""
    return type(value) in (int, float) and 0 <= value < 1e11


def _serves(key: Key, algorithm: str) -> bool:
    """Whether a key is for signatures of this algorithm. RFC 7517, section 4; RFC 7518, section 3.3."""
    operations = key.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        return False
    if key.get("alg", algorithm) != algorithm or key.get("use", "sig") != "sig":
        return False
    if algorithm == "ES256":
        return key.get("kty") == "EC" and key.get("crv") == "P-256"
    return (
        key.get("kty") == "RSA"
        and MIN_RSA_BITS <= _bits(key.get("n")) <= MAX_RSA_BITS
        and 2 <= _bits(key.get("e")) <= MAX_EXPONENT_BITS
    )


def _bits(number: Any) -> int:
    """How many bits a base64url number has; 0 when it is none, or too long to look at."""
    if not isinstance(number, str) or len(number) > MAX_RSA_BITS // 4:
        return 0
    try:
        return int.from_bytes(urlsafe_b64decode(number + "=" * (-len(number) % 4)), "big").bit_length()
    except ValueError:
        return 0


def _opened(assertion: str, key: Key, algorithm: str) -> dict[str, Any] | None:
    """The claims, if this key signed them."""
    try:
        message = jws.deserialize_compact(assertion, _public(key, algorithm), registry=_REGISTRIES[algorithm])
        claims = json.loads(message.payload)
    except (JoseError, ValueError, TypeError, LookupError, AssertionError, RecursionError):
        return None
    return claims if isinstance(claims, dict) else None


def _public(key: Key, algorithm: str) -> RSAKey | ECKey:
    """The key without anything but its numbers: what else a JWK says was judged before."""
    if algorithm == "ES256":
        return ECKey.import_key({name: key[name] for name in ("kty", "crv", "x", "y")})
    return RSAKey.import_key({name: key[name] for name in ("kty", "n", "e")})


def _peek(assertion: str, part: int) -> dict[str, Any]:
    """The JSON object in one part of a compact JWS, unproven; empty when there is none."""
    if len(assertion) > MAX_LENGTH or assertion.count(".") != 2:
        return {}
    encoded = assertion.split(".")[part]
    try:
        value = json.loads(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
