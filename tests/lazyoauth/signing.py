"""A client's own key, and the assertions it signs with it."""

import json
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

from lazyoauth.authentication import ASSERTION_TYPE
from tests.lazyoauth.journey import ISSUER, Clock


@dataclass(frozen=True)
class Signer:
    """A private key, its name, and the client it belongs to."""

    client_id: str
    clock: Clock
    kid: str = "k1"
    algorithm: str = "ES256"
    key: Any = field(default_factory=lambda: ECKey.generate_key("P-256"))

    @property
    def public(self) -> dict[str, Any]:
        return {**self.key.as_dict(private=False), "kid": self.kid, "alg": self.algorithm, "use": "sig"}

    @property
    def jwks(self) -> dict[str, Any]:
        return {"keys": [self.public]}

    def claims(self, **changes: Any) -> dict[str, Any]:
        """Good claims, with changes; None leaves one out."""
        now = int(self.clock())
        good = {
            "iss": self.client_id,
            "sub": self.client_id,
            "aud": ISSUER,
            "jti": secrets.token_urlsafe(12),
            "iat": now,
            "exp": now + 300,
        }
        return {name: value for name, value in {**good, **changes}.items() if value is not None}

    def sign(self, *, header: dict[str, Any] | None = None, payload: bytes | None = None, **changes: Any) -> str:
        members = {"alg": self.algorithm, "kid": self.kid, **(header or {})}
        members = {name: value for name, value in members.items() if value is not None}
        registry = jws.JWSRegistry(algorithms=[members["alg"]], strict_check_header=False)
        content = json.dumps(self.claims(**changes)).encode() if payload is None else payload
        return jws.serialize_compact(members, content, self.key, registry=registry)

    def sign_header(self, header: dict[str, Any]) -> str:
        """A good signature, by hand, under a header that no library would write."""
        text = f"{encoded({'alg': 'ES256', 'kid': self.kid, **header})}.{encoded(self.claims())}"
        der = self.key.private_key.sign(text.encode(), ec.ECDSA(SHA256()))
        signature = b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(der))
        return f"{text}.{urlsafe_b64encode(signature).decode().rstrip('=')}"

    def form(self, assertion: str = "") -> dict[str, str]:
        """The parameters of RFC 7521, section 4.2."""
        return {"client_assertion_type": ASSERTION_TYPE, "client_assertion": assertion or self.sign()}


def encoded(value: Any) -> str:
    """A part of a compact JWS."""
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def make_rsa(client_id: str, clock: Clock, bits: int = 2048) -> Signer:
    return Signer(client_id, clock, "r1", "RS256", RSAKey.generate_key(bits))
