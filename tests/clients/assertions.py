"""`AssertionKey`: the key by which a hosted client signs, with a new assertion for each request. RFC 7523, section 3."""

import secrets
import time
from typing import Any

from joserfc import jwt
from joserfc.jwk import RSAKey

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
LIFETIME_S = 120


class AssertionKey:
    """An RSA key of a vendor's key set."""

    def __init__(self, kid: str) -> None:
        self._key = RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})
        self._kid = kid

    @property
    def public(self) -> dict[str, Any]:
        """The key as it stands in the key set."""
        return {**self._key.as_dict(private=False), "kid": self._kid}

    def parameters(self, client_id: str, audience: str) -> dict[str, str]:
        """What proves the client in one request. RFC 7521, section 4.2."""
        now = int(time.time())
        claims = {
            "iss": client_id,
            "sub": client_id,
            "aud": audience,
            "jti": secrets.token_urlsafe(16),
            "iat": now,
            "exp": now + LIFETIME_S,
        }
        signed = jwt.encode({"alg": "RS256", "kid": self._kid, "typ": "JWT"}, claims, self._key)
        return {"client_assertion_type": TYPE, "client_assertion": signed}
