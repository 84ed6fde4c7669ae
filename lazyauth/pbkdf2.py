"""Password hashes of GoLazy applications, which are read and never made: `pbkdf2-sha256$<iterations>$<salt>$<hash>`.

Salt and hash are standard base64 without padding. Whoever signs in with one is given an Argon2id hash in its place.
"""

import hashlib
import hmac
from base64 import b64decode

PREFIX = "pbkdf2-sha256$"
# Beyond any that was ever advised; a damaged count must not hold a thread for hours.
MAX_ITERATIONS = 5_000_000


def is_pbkdf2(password_hash: str) -> bool:
    """Whether a hash is of this form."""
    return password_hash.startswith(PREFIX)


def check(password_hash: str) -> None:
    """Refuse what only begins like one.

    Raises:
        ValueError: it is no such hash.
    """
    _parts(password_hash)


def verify(password_hash: str, password: bytes) -> bool:
    """Whether this is the password.

    Raises:
        ValueError: what is stored is no such hash.
    """
    iterations, salt, expected = _parts(password_hash)
    return hmac.compare_digest(hashlib.pbkdf2_hmac("sha256", password, salt, iterations, len(expected)), expected)


def _parts(password_hash: str) -> tuple[int, bytes, bytes]:
    _, count, salt, expected = password_hash.split("$")
    iterations, wanted = int(count), _decoded(expected)
    if not 0 < iterations <= MAX_ITERATIONS or not 16 <= len(wanted) <= 64:
        raise ValueError("no usable PBKDF2 hash")
    return iterations, _decoded(salt), wanted


def _decoded(text: str) -> bytes:
    return b64decode(text + "=" * (-len(text) % 4), validate=True)
