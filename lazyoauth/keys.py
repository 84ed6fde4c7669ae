"""Every key of the server, derived from one secret.

HKDF-SHA256 (RFC 5869) with a label each: the keys are as many as there are kinds of tokens, so none can pass for another, and
every process that has the secret has the same keys. Fallback secrets verify and decrypt, they never sign.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from joserfc.jwk import ECKey, OctKey

from lazyoauth.errors import ConfigError

MIN_SECRET_BYTES = 32
_SALT = b"lazyoauth 1"
# FIPS 186-5, table of curve parameters: the order of P-256.
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True, slots=True, repr=False)
class Keys:
    """The keys, the current one first in each sequence.

    Attributes:
        signing: private ES256 key of access tokens, with its `kid` (RFC 7638 thumbprint).
        verifying: public keys by `kid`, of the current and the fallback secrets.
        refresh: HS256 keys of refresh tokens.
        code: A256GCM keys of authorization codes.
        client_id: HMAC keys of client ids.
        transaction: A256GCM keys of pending logins.
    """

    signing: ECKey
    verifying: Mapping[str, ECKey]
    refresh: Sequence[OctKey]
    code: Sequence[OctKey]
    client_id: Sequence[bytes]
    transaction: Sequence[OctKey]

    def jwks(self) -> dict[str, Any]:
        """The JWK Set of all public keys. RFC 7517, section 5."""
        return {"keys": [key.as_dict(private=False) for key in self.verifying.values()]}

    def __repr__(self) -> str:
        return f"Keys({', '.join(self.verifying)})"


def derive(secret: str, fallbacks: Sequence[str] = (), signing_key_version: int = 1) -> Keys:
    """The keys of a secret, and of those that it replaced.

    Args:
        signing_key_version: another number makes another signing key of each secret, and leaves every other key as it is.

    Raises:
        ConfigError: one of them is shorter than 32 bytes.
    """
    secrets = [value.encode() for value in (secret, *fallbacks)]
    if any(len(value) < MIN_SECRET_BYTES for value in secrets):
        least = f"at least {MIN_SECRET_BYTES} bytes each (lazyapp reads SECRET_KEY and SECRET_KEY_FALLBACKS)"
        raise ConfigError(f"lazyoauth.Config.secret and its fallbacks need {least}")
    signing = [_signing_key(value, signing_key_version) for value in secrets]
    return Keys(
        signing=signing[0],
        verifying={str(key.kid): ECKey.import_key(key.as_dict(private=False)) for key in signing},
        refresh=[OctKey.import_key(_bytes(value, "refresh token", 32)) for value in secrets],
        code=[OctKey.import_key(_bytes(value, "authorization code", 32)) for value in secrets],
        client_id=[_bytes(value, "client id", 32) for value in secrets],
        transaction=[OctKey.import_key(_bytes(value, "transaction", 32)) for value in secrets],
    )


def _bytes(secret: bytes, label: str, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=_SALT, info=label.encode()).derive(secret)


def _signing_key(secret: bytes, version: int) -> ECKey:
    """The P-256 key of a secret, the same in every process.

    FIPS 186-5, appendix A.2.1: 64 bits more than the order has, so that the remainder is as good as uniform.
    """
    # The first one keeps the label that it had before there were versions: nobody's tokens end because this package was updated.
    label = "access token" if version == 1 else f"access token {version}"
    scalar = int.from_bytes(_bytes(secret, label, 40), "big") % (_P256_ORDER - 1) + 1
    key = ECKey.import_key(ec.derive_private_key(scalar, ec.SECP256R1()), {"use": "sig", "alg": "ES256"})
    return ECKey.import_key(key.as_dict(private=True, kid=key.thumbprint()))
