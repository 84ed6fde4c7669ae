"""Proof Key for Code Exchange, method S256 only (RFC 7636; OAuth 2.1 leaves `plain` no use)."""

import hmac
import re
from base64 import urlsafe_b64encode
from hashlib import sha256

from lazyoauth.errors import InvalidGrant, InvalidRequest

_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


def check_challenge(challenge: str, method: str) -> None:
    """Check that an authorization request carries a usable S256 challenge.

    Raises:
        InvalidRequest: there is none, or its method is not S256, or it is no SHA-256 digest.

    RFC 7636, sections 4.3 and 4.4.1. A missing method means `plain` (section 4.3), so it is refused with the rest.
    """
    if not challenge:
        raise InvalidRequest("code_challenge is required (PKCE, method S256)")
    if method != "S256":
        raise InvalidRequest("code_challenge_method must be S256")
    if not _CHALLENGE.fullmatch(challenge):
        raise InvalidRequest("code_challenge must be 43 characters of base64url, the SHA-256 of the verifier")


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a verifier. RFC 7636, section 4.2."""
    return urlsafe_b64encode(sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode("ascii")


def verify(verifier: str, challenge: str) -> None:
    """Check that a code verifier answers its S256 challenge.

    Args:
        verifier: 43 to 128 unreserved characters, as the client sent it.
        challenge: base64url of a SHA-256 digest, 43 characters, unpadded.

    Raises:
        InvalidGrant: the two do not match, or the verifier is malformed.

    RFC 7636, sections 4.1 and 4.6.
    """
    if not _VERIFIER.fullmatch(verifier):
        raise InvalidGrant("code_verifier must be 43 to 128 unreserved characters")
    if not hmac.compare_digest(challenge_of(verifier), challenge):
        raise InvalidGrant("code_verifier does not answer the code_challenge")
