from base64 import b64encode

import pytest

from lazyauth import needs_rehash, verify_password
from lazyauth.pbkdf2 import MAX_ITERATIONS, check, is_pbkdf2, verify

# RFC 7914, section 11: PBKDF2-HMAC-SHA-256, P="passwd", S="salt", c=1, dkLen=64.
DIGEST = bytes.fromhex(
    "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
    "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
)
RFC_7914 = f"pbkdf2-sha256$1$c2FsdA${b64encode(DIGEST).decode().rstrip('=')}"


def test_it_computes_what_the_standard_computes():
    """RFC 7914, section 11."""
    assert verify(RFC_7914, b"passwd")
    assert not verify(RFC_7914, b"Passwd")


async def test_such_a_hash_answers_its_password_and_asks_to_be_renewed():
    assert is_pbkdf2(RFC_7914)
    assert needs_rehash(RFC_7914)
    assert await verify_password(RFC_7914, "passwd")
    assert not await verify_password(RFC_7914, "password")


@pytest.mark.parametrize(
    "stored",
    [
        "pbkdf2-sha256$",
        "pbkdf2-sha256$1$c2FsdA",
        "pbkdf2-sha256$one$c2FsdA$" + "A" * 43,
        "pbkdf2-sha256$0$c2FsdA$" + "A" * 43,
        f"pbkdf2-sha256${MAX_ITERATIONS + 1}$c2FsdA$" + "A" * 43,
        "pbkdf2-sha256$1$c2FsdA$AAAA",
        "pbkdf2-sha256$1$c2!sdA$" + "A" * 43,
        "pbkdf2-sha256$1$c2FsdA$" + "A" * 43 + "$more",
    ],
)
async def test_a_damaged_hash_is_simply_no(stored):
    """As in the ancestor; and after the work that an unknown user costs."""
    with pytest.raises(ValueError):
        check(stored)
    assert not await verify_password(stored, "")
