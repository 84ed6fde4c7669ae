"""The tokens of one issuer, each of its own kind."""

from dataclasses import replace

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from lazyoauth import Lifetimes, jose
from lazyoauth.errors import InvalidGrant, InvalidToken
from lazyoauth.keys import derive
from lazyoauth.records import Code, Grant
from lazyoauth.tokens import ACCESS, REFRESH, Tokens
from tests.lazyoauth.journey import CALLBACK, ISSUER, RESOURCE, SECRET, Clock

GRANT = Grant(
    family_id="8a0a0f4c-54a7-4a0b-9d10-0d1f0a6f9a11",
    jti="1.0.aaaaaaaaaaaaaaaaaaaaaa",
    user_id="ada",
    client_id="client",
    scope="mcp",
    asked_scope="mcp openid",
    resource=RESOURCE,
    auth_time=1_799_999_000,
)
CODE = Code(grant=GRANT, redirect_uri=CALLBACK, code_challenge="c" * 43)


@pytest.fixture
def tokens(clock: Clock) -> Tokens:
    return Tokens(derive(SECRET), ISSUER, RESOURCE, Lifetimes(), clock)


def test_an_access_token_is_what_others_can_verify(tokens, clock):
    """RFC 9068, sections 2.1 and 2.2; verified here from the published key set alone."""
    token = tokens.issue_access(
        GRANT, "mcp", {"mcps": ["admin"], "sub": "root", "aud": "elsewhere", "scope": "all", "nbf": 1, "cnf": {}}, "token-id"
    )
    read = jwt.decode(token, KeySet.import_key_set(tokens.keys.jwks()), algorithms=["ES256"])
    assert read.header == {"alg": "ES256", "typ": "at+jwt", "kid": tokens.keys.signing.kid}
    assert read.claims == {
        "iss": ISSUER,
        "sub": "ada",
        "aud": RESOURCE,
        "client_id": "client",
        "iat": int(clock.now),
        "exp": int(clock.now) + 3600,
        "auth_time": GRANT.auth_time,
        "jti": "token-id",
        "scope": "mcp",
        "fid": GRANT.family_id,
        "mcps": ["admin"],
    }
    assert tokens.verify_access(token) == read.claims


def test_a_code_and_a_refresh_token_carry_the_whole_grant(tokens, clock):
    """RFC 9700, section 4.14.2: the signed refresh token carries the grant, the store four columns."""
    assert tokens.verify_code(tokens.issue_code(CODE)) == CODE
    assert tokens.verify_refresh(tokens.issue_refresh(GRANT, clock.now + 10**9)) == GRANT
    plain = replace(GRANT, asked_scope="mcp")
    assert tokens.verify_refresh(tokens.issue_refresh(plain, clock.now + 10**9)) == plain


def test_every_token_ends(tokens, clock):
    """RFC 6749, section 4.1.2; RFC 9700, section 4.14.2 (idle refresh tokens expire; the login as a whole does too)."""
    access = tokens.issue_access(GRANT, "mcp", {}, "x")
    code = tokens.issue_code(CODE)
    idle = tokens.issue_refresh(GRANT, clock.now + 10**9)
    last = tokens.issue_refresh(GRANT, clock.now + 100)
    begin = clock.now
    for after_s, read, token, error in [
        (60, tokens.verify_code, code, InvalidGrant),
        (100, tokens.verify_refresh, last, InvalidGrant),
        (3600, tokens.verify_access, access, InvalidToken),
        (30 * 86_400, tokens.verify_refresh, idle, InvalidGrant),
    ]:
        clock.now = begin + after_s - 1
        read(token)
        clock.now = begin + after_s
        with pytest.raises(error):
            read(token)


def test_a_refresh_token_is_a_function_of_the_grant_and_the_row(tokens, clock):
    """Whichever process answers, and whenever: the successor of a rotation is one token."""
    stored = replace(GRANT, jti=f"{GRANT.jti}.1800000000123")
    first = tokens.issue_refresh(stored, 1_900_000_000.5)
    clock.now += 17
    assert tokens.issue_refresh(stored, 1_900_000_000.5) == first


def test_no_kind_passes_for_another(tokens, clock):
    """RFC 8725, section 3.11: a refresh token as access token, a code as refresh token, and every other pair."""
    made = {
        "access": tokens.issue_access(GRANT, "mcp", {}, "x"),
        "refresh": tokens.issue_refresh(GRANT, clock.now + 10**9),
        "code": tokens.issue_code(CODE),
    }
    readers = {"access": tokens.verify_access, "refresh": tokens.verify_refresh, "code": tokens.verify_code}
    for kind, token in made.items():
        for other, read in readers.items():
            if kind != other:
                with pytest.raises((InvalidToken, InvalidGrant)):
                    read(token)


@pytest.mark.parametrize(
    "change", [{"aud": RESOURCE}, {"aud": [ISSUER]}, {"v": 2}, {"auth_time": "x"}, {"resource": None}, {"exp": None}, {"fid": 1}]
)
def test_a_refresh_token_with_our_signature_but_other_claims_is_refused(tokens, change):
    """RFC 7519, section 4.1.3; RFC 8725, section 3.9: it is addressed to the issuer."""
    good = jose.verify_internal(tokens.issue_refresh(GRANT, 2e9), tokens.keys.refresh, REFRESH)
    claims = {name: value for name, value in (good | change).items() if value is not None}
    with pytest.raises(InvalidGrant):
        tokens.verify_refresh(jose.sign_internal(claims, tokens.keys.refresh, REFRESH))


def test_a_token_of_another_issuer_is_refused(tokens, clock):
    """RFC 9068, section 4: `iss` must match, even under the same key."""
    other = replace(tokens, issuer="https://other.example", resource=RESOURCE)
    with pytest.raises(InvalidToken):
        tokens.verify_access(other.issue_access(GRANT, "mcp", {}, "x"))
    with pytest.raises(InvalidGrant):
        tokens.verify_refresh(other.issue_refresh(GRANT, clock.now + 10**9))
    with pytest.raises(InvalidGrant):
        tokens.verify_code(other.issue_code(CODE))


@pytest.mark.parametrize(
    "change",
    [
        {"aud": "https://other.example/mcp"}, {"aud": [RESOURCE]}, {"aud": [RESOURCE, "https://other.example/mcp"]}, {"aud": None},
        {"exp": None}, {"exp": "2100-01-01"}, {"exp": True}, {"exp": 1e12}, {"iat": 1_800_000_061}, {"iat": None},
        {"sub": None}, {"sub": 7}, {"fid": None}, {"scope": ["mcp"]}, {"iss": None}, {"jti": None},
    ],
)  # fmt: skip
def test_a_token_with_our_signature_but_other_claims_is_refused(tokens, change):
    """RFC 9068, section 4; RFC 8707, section 2.2; GHSA-p2fr-6hmx-4528: audience and expiry are essential."""
    claims = tokens.verify_access(tokens.issue_access(GRANT, "mcp", {}, "x")) | change
    claims = {name: value for name, value in claims.items() if value is not None}
    with pytest.raises(InvalidToken):
        tokens.verify_access(jose.sign_public(claims, tokens.keys.signing, ACCESS))


def test_the_audience_may_be_spelled_as_the_client_did(tokens):
    """https://github.com/sigbit/mcp-auth-proxy/issues/123."""
    spelled = replace(GRANT, resource=f"{RESOURCE}/")
    assert tokens.verify_access(tokens.issue_access(spelled, "mcp", {}, "x"))["aud"] == f"{RESOURCE}/"


def test_tokens_never_show():
    """Values that hold secrets have a masked form."""
    from lazyoauth.records import TokenResponse

    answer = TokenResponse(access_token="eyJsecret", expires_in_s=1, scope="mcp", refresh_token="eyJother")
    assert "eyJ" not in repr(answer)
    assert "c" * 43 not in repr(CODE)
