"""Signing and sealing JSON objects with everything pinned: algorithm, `typ`, and which header members may occur.

joserfc does the cryptography. What it leaves to its user is done here once, for all kinds of tokens: RFC 8725, sections 3.1
(the algorithm is ours to choose), 3.10 (no key material from the header) and 3.11 (explicit typing).
"""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from joserfc import jwe, jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OctKey

_HEADER = frozenset({"alg", "enc", "typ", "kid"})
_HS256 = jws.JWSRegistry(algorithms=["HS256"])
_ES256 = jws.JWSRegistry(algorithms=["ES256"])
_sign_hs256, _sign_es256 = _HS256.get_alg("HS256").sign, _ES256.get_alg("ES256").sign
_DIR = jwe.JWERegistry(algorithms=["dir", "A256GCM"])
# joserfc reads more; ours are smaller, and a stranger's megabyte is not worth parsing.
MAX_LENGTH = 16_384
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class Rejected(Exception):
    """Not a token of ours, or not of this kind; the message is for the log."""


def sign_public(claims: Mapping[str, Any], key: ECKey, typ: str) -> str:
    """A compact JWS that anyone can verify with our JWK Set: ES256."""
    return _signed(_header("ES256", typ, str(key.kid)), claims, _sign_es256, key)


def verify_public(token: str, keys: Mapping[str, ECKey], typ: str) -> dict[str, Any]:
    """The claims of an ES256 JWS of ours.

    Raises:
        Rejected: any part of it is not as we make it.
    """

    def key_of(message: Any) -> ECKey:
        return keys[message.headers().get("kid", "")]

    return _opened(lambda: _jws(token, key_of, _ES256), token, typ)


def sign_internal(claims: Mapping[str, Any], keys: Sequence[OctKey], typ: str) -> str:
    """A compact JWS for ourselves: HS256. The same claims give the same bytes."""
    return _signed(_header("HS256", typ), claims, _sign_hs256, keys[0])


def verify_internal(token: str, keys: Sequence[OctKey], typ: str) -> dict[str, Any]:
    """The claims of an HS256 JWS of ours, whichever of our keys signed it.

    Nobody else makes them and each has one spelling, so nothing is read before it has been compared with what we would write.

    Raises:
        Rejected: any part of it is not as we make it.
    """
    if len(token) > MAX_LENGTH or not token.isascii():
        raise Rejected("longer than any token of ours, or not text of ours")
    signed, _, signature = token.encode().rpartition(b".")
    header, _, payload = signed.partition(b".")
    if header != _header("HS256", typ):
        raise Rejected("a token of another kind")
    if not any(hmac.compare_digest(_base64(_sign_hs256(signed, key)), signature) for key in keys):
        raise Rejected("not signed by us")
    claims: dict[str, Any] = json.loads(urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))
    return claims


def seal(claims: Mapping[str, Any], keys: Sequence[OctKey], typ: str) -> str:
    """A compact JWE that only we can read: `dir` with A256GCM."""
    return jwe.encrypt_compact({"alg": "dir", "enc": "A256GCM", "typ": typ}, _dump(claims), keys[0], registry=_DIR)


def unseal(token: str, keys: Sequence[OctKey], typ: str) -> dict[str, Any]:
    """The claims of a JWE of ours, whichever of our keys sealed it.

    Raises:
        Rejected: any part of it is not as we make it.
    """
    return _first(keys, lambda key: _opened(lambda: _jwe(token, key), token, typ))


@lru_cache(maxsize=32)
def _header(algorithm: str, typ: str, kid: str = "") -> bytes:
    """The first segment. There are as many as kinds of tokens and keys, and joserfc would check and write each one again."""
    return _base64(_dump({"alg": algorithm, "typ": typ} | ({"kid": kid} if kid else {})))


def _signed(header: bytes, claims: Mapping[str, Any], sign: Callable[[bytes, Any], bytes], key: Any) -> str:
    text = header + b"." + _base64(_dump(claims))
    return (text + b"." + _base64(sign(text, key))).decode()


def _base64(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


def _jws(token: str, key: Any, registry: jws.JWSRegistry) -> tuple[Mapping[str, Any], bytes]:
    message = jws.deserialize_compact(token, key, registry=registry)
    return message.headers(), message.payload


def _jwe(token: str, key: OctKey) -> tuple[Mapping[str, Any], bytes]:
    message = jwe.decrypt_compact(token, key, registry=_DIR)
    return message.headers(), message.plaintext or b""


def _first(keys: Sequence[OctKey], attempt: Callable[[OctKey], dict[str, Any]]) -> dict[str, Any]:
    for key in keys[:-1]:
        try:
            return attempt(key)
        except Rejected:
            continue
    return attempt(keys[-1])


def _opened(read: Callable[[], tuple[Mapping[str, Any], bytes]], token: str, typ: str) -> dict[str, Any]:
    if len(token) > MAX_LENGTH:
        raise Rejected("longer than any token of ours")
    try:
        header, payload = read()
        claims = json.loads(payload)
    # joserfc lets some malformed input out as plain ValueError, TypeError or KeyError; all of it means "not ours".
    except (JoseError, ValueError, TypeError, LookupError, AssertionError) as error:
        raise Rejected(f"{type(error).__name__}: not signed by us") from error
    if header.get("typ") != typ or not _HEADER.issuperset(header):
        raise Rejected("a token of another kind")
    if not isinstance(claims, dict):
        raise Rejected("no JSON object")
    return claims


def _dump(claims: Mapping[str, Any]) -> bytes:
    return _encode(claims).encode()
