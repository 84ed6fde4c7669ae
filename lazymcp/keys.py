"""Keys from the server's one secret: one for each purpose, so that what is made for one is worth nothing for another."""

from typing import Final

__all__ = ["derive"]

# RFC 5869, sections 3.1 and 3.2. The label keeps a key apart from all others that are derived from the same secret.
_SALT: Final = b"lazymcp 1"


def derive(secret: str, label: bytes) -> bytes:
    """A key of 32 bytes by HKDF (RFC 5869).

    Args:
        secret: shared by all processes of a server.
        label: the purpose.
    """
    # Imported with the first key: modules may import lazymcp, and local clients be served, without any cipher.
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=32, salt=_SALT, info=label).derive(secret.encode())
