"""RFC 7636."""

import pytest

from lazyoauth.errors import InvalidGrant, InvalidRequest
from lazyoauth.pkce import challenge_of, check_challenge, verify

# RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_the_example_of_the_standard_holds():
    """RFC 7636, appendix B."""
    assert challenge_of(VERIFIER) == CHALLENGE
    check_challenge(CHALLENGE, "S256")
    verify(VERIFIER, CHALLENGE)


def test_authlib_computes_the_same_challenge():
    """RFC 7636, section 4.2; Authlib is the judge."""
    from authlib.oauth2.rfc7636 import create_s256_code_challenge

    assert challenge_of("a" * 128) == create_s256_code_challenge("a" * 128)


@pytest.mark.parametrize(
    ("challenge", "method"),
    [
        ("", "S256"),
        ("", ""),
        (CHALLENGE, "plain"),
        (CHALLENGE, ""),
        (CHALLENGE, "s256"),
        (CHALLENGE + "=", "S256"),
        ("short", "S256"),
    ],
)
def test_anything_but_a_good_s256_challenge_is_refused(challenge, method):
    """RFC 9700, section 2.1.1; RFC 7636, section 4.3: a missing method means plain."""
    with pytest.raises(InvalidRequest):
        check_challenge(challenge, method)


@pytest.mark.parametrize(
    "verifier", ["", "a" * 42, "a" * 129, "ä" * 43, "a" * 42 + "+", VERIFIER + "x", VERIFIER + "\n", CHALLENGE]
)
def test_a_malformed_or_foreign_verifier_is_refused(verifier):
    """RFC 7636, sections 4.1 and 4.6."""
    with pytest.raises(InvalidGrant):
        verify(verifier, CHALLENGE)


@pytest.mark.parametrize("length", [43, 128])
def test_verifiers_of_the_extreme_lengths_are_accepted(length):
    """RFC 7636, section 4.1."""
    verify("~" * length, challenge_of("~" * length))
