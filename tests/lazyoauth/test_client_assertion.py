"""`private_key_jwt`. RFC 7523, section 3; RFC 7521, section 4.2."""

import asyncio
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import urlencode

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey

from lazyoauth import RegisteredClient
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, FORM, ISSUER, Clock, Journey, error_of, tokens_of
from tests.lazyoauth.signing import Signer, encoded, make_rsa

OWN_TOKENS = {"grant_type": "client_credentials"}


def robot(signer: Signer, **changes: Any) -> RegisteredClient:
    given = {"id": signer.client_id, "name": "Robot", "grant_types": ("client_credentials",), "jwks": signer.jwks}
    return RegisteredClient(**given | changes)


@pytest.fixture
def signer(clock: Clock) -> Signer:
    return Signer("robot", clock)


@pytest.fixture
def served(start: Start, signer: Signer) -> Journey:
    return start(clients=(robot(signer),))


async def ask(journey: Journey, signer: Signer, assertion: str = "", **more: str) -> Any:
    return await journey.http.post("/oauth/token", data={**OWN_TOKENS, **signer.form(assertion), **more})


@pytest.mark.parametrize("audience", [ISSUER, f"{ISSUER}/oauth/token", [ISSUER], [ISSUER, f"{ISSUER}/oauth/token"]])
@pytest.mark.parametrize("more", [{}, {"client_id": "robot"}])
async def test_a_client_proves_itself_by_its_key(served, signer, audience, more):
    """RFC 7523, section 3; RFC 7521, section 4.2: client_id may come besides."""
    tokens_of(await ask(served, signer, signer.sign(aud=audience), **more))


async def test_a_client_proves_itself_by_an_rsa_key(start, clock):
    """RFC 7518, section 3.3; ChatGPT signs with RS256."""
    signer = make_rsa("robot", clock)
    tokens_of(await ask(start(clients=(robot(signer),)), signer))


async def test_an_assertion_works_once(served, signer):
    """RFC 7523, section 3, item 7."""
    assertion = signer.sign()
    tokens_of(await ask(served, signer, assertion))
    assert error_of(await ask(served, signer, assertion)) == (401, "invalid_client")
    jti = "the same"
    tokens_of(await ask(served, signer, signer.sign(jti=jti)))
    assert error_of(await ask(served, signer, signer.sign(jti=jti, iat=None))) == (401, "invalid_client")


async def test_one_jti_of_two_clients_is_two(start, clock):
    """RFC 7519, section 4.1.7: unique for its issuer."""
    one, two = Signer("one", clock), Signer("two", clock)
    journey = start(clients=(robot(one), robot(two)))
    tokens_of(await ask(journey, one, one.sign(jti="x")))
    tokens_of(await ask(journey, two, two.sign(jti="x")))


def now_of(clock: Clock) -> int:
    return int(clock())


WRONG_CLAIMS: dict[str, Any] = {
    "another issuer": lambda now: {"iss": "other"},
    "no issuer": lambda now: {"iss": None},
    "another subject": lambda now: {"sub": "other"},
    "no audience": lambda now: {"aud": None},
    "another audience": lambda now: {"aud": "https://other.example"},
    "our name with a slash": lambda now: {"aud": f"{ISSUER}/"},
    "the resource": lambda now: {"aud": f"{ISSUER}/mcp"},
    "another audience besides": lambda now: {"aud": [ISSUER, "https://other.example"]},
    "an empty audience": lambda now: {"aud": []},
    "a nested audience": lambda now: {"aud": [[ISSUER]]},
    "no end": lambda now: {"exp": None},
    "an end that is over": lambda now: {"exp": now},
    "an end too far": lambda now: {"exp": now + 331},
    "an end that is no number": lambda now: {"exp": str(now + 60)},
    "an end that is true": lambda now: {"exp": True},
    "an end that is a list": lambda now: {"exp": [now + 60]},
    "an endless end": lambda now: {"exp": float("inf")},
    "no number for an end": lambda now: {"exp": float("nan")},
    "a beginning in the future": lambda now: {"iat": now + 31},
    "a beginning that is no number": lambda now: {"iat": "now"},
    "not yet": lambda now: {"nbf": now + 31},
    "no jti": lambda now: {"jti": None},
    "an empty jti": lambda now: {"jti": ""},
    "a jti that is a number": lambda now: {"jti": 7},
    "an endless jti": lambda now: {"jti": "x" * 513},
    "half of a surrogate pair in the jti": lambda now: {"jti": "x\ud800"},
}


@pytest.mark.parametrize("case", WRONG_CLAIMS)
async def test_claims_that_are_not_right_prove_nothing(served, signer, clock, case):
    """RFC 7523, section 3; RFC 7519, section 4.1."""
    changes = WRONG_CLAIMS[case](now_of(clock))
    refused = await ask(served, signer, signer.sign(**changes), client_id="robot")
    if case == "another subject":
        assert error_of(refused) == (400, "invalid_request"), "the request names two clients"
    else:
        assert error_of(refused) == (401, "invalid_client")
        assert refused.json()["error_description"] == "the client did not prove who it is"


WRONG_HEADERS: dict[str, Any] = {
    "a jwk": {"jwk": ECKey.generate_key("P-256").as_dict(private=False)},
    "a jku": {"jku": "https://evil.example/jwks"},
    "an x5u": {"x5u": "https://evil.example/cert"},
    "a critical extension": {"crit": ["exp"]},
    "an unencoded payload": {"b64": False},
    "an unknown kid": {"kid": "other"},
    "a kid that is a path": {"kid": "../../dev/null"},
    "a kid that is a number": {"kid": 1},
    "the type of an access token": {"typ": "at+jwt"},
    "a type that is a number": {"typ": 5},
}


@pytest.mark.parametrize("case", WRONG_HEADERS)
async def test_a_header_decides_nothing(served, signer, case):
    """RFC 8725, sections 3.1, 3.10 and 3.11."""
    assertion = signer.sign_header(WRONG_HEADERS[case])
    assert error_of(await ask(served, signer, assertion)) == (401, "invalid_client")


async def test_such_a_signature_is_good_without_such_a_header(served, signer):
    """What the test above would not show by itself."""
    tokens_of(await ask(served, signer, signer.sign_header({"x5t": "abc"})))


@pytest.mark.parametrize("typ", [None, "JWT", "jwt", "client-authentication+jwt"])
@pytest.mark.parametrize("kid", ["k1", None])
async def test_types_and_key_names_that_are_right(served, signer, typ, kid):
    """RFC 7515, section 4.1.9; without a kid every key is tried."""
    tokens_of(await ask(served, signer, signer.sign(header={"typ": typ, "kid": kid})))


async def test_the_algorithm_is_not_the_clients_to_choose(start, clock, signer):
    """RFC 8725, section 3.1: `none`, and the public key as a secret, and another key type under the same name."""
    journey = start(clients=(robot(signer),))
    head, payload, _ = signer.sign().split(".")
    unsigned = f"{encoded({'alg': 'none', 'kid': 'k1'})}.{payload}."
    pem = signer.key.as_pem(private=False)
    secret = Signer("robot", clock, "k1", "HS256", OctKey.import_key(urlsafe_b64encode(pem)))
    rsa = make_rsa("robot", clock)
    other = Signer("robot", clock, "k1", "RS256", rsa.key)
    for assertion in (
        unsigned,
        secret.sign(),
        other.sign(),
        Signer("robot", clock).sign(),
        f"{head}.{payload}.",
        f"{head}.{payload}.AA",
    ):
        assert error_of(await ask(journey, signer, assertion, client_id="robot")) == (401, "invalid_client")


KEYS: dict[str, Any] = {
    "for encryption": {"use": "enc"},
    "for signing only": {"key_ops": ["sign"]},
    "for nothing that can be read": {"key_ops": None},
    "for a number": {"key_ops": 5},
    "of another algorithm": {"alg": "ES384"},
    "of another curve": {"crv": "P-384"},
    "broken": {"x": "AA"},
    "without numbers": {"x": None, "y": None},
}


@pytest.mark.parametrize("case", KEYS)
async def test_a_key_is_used_for_what_it_says_only(start, signer, case):
    """RFC 7517, section 4."""
    changed = {**signer.public, **KEYS[case]}
    journey = start(clients=(robot(signer, jwks={"keys": [changed]}),))
    assert error_of(await ask(journey, signer)) == (401, "invalid_client")


async def test_a_small_rsa_key_is_no_key(start, clock):
    """RFC 7518, section 3.3: 2048 bits or more; a leading zero does not make it larger."""
    with pytest.warns(match="2048"):
        key = RSAKey.generate_key(1024)
    with pytest.warns(match="2048"):
        small = Signer("robot", clock, "k1", "RS256", RSAKey.import_key(key.as_dict(private=True)))
    modulus = "AAAA" * 50 + small.public["n"]
    for public in (small.public, small.public | {"n": modulus}):
        journey = start(clients=(robot(small, jwks={"keys": [public]}),))
        assert error_of(await ask(journey, small)) == (401, "invalid_client")


@pytest.mark.parametrize(
    "assertion",
    [
        "x",
        "a.b",
        "a.b.c.d",
        "....",
        "ä.ö.ü",
        "e30.e30.AAAA",
        "A" * 9000 + ".e30.AA",
        encoded([]) + ".e30.AA",
        f"e30.{'W1tb' * 600}.AA",
    ],
)
async def test_what_is_no_assertion_is_refused_without_a_fuss(served, signer, assertion):
    """RFC 6749, section 5.2: whatever comes, the answer is an error of the standard."""
    assert error_of(await ask(served, signer, assertion, client_id="robot")) == (401, "invalid_client")


async def test_a_signed_payload_that_is_no_object_is_refused(served, signer):
    """RFC 7519, section 7.2; signed by the client, so nothing else stops it."""
    for payload in (b"[]", b"7", b"nonsense", b"\xff", b"[" * 4000):
        assert error_of(await ask(served, signer, signer.sign(payload=payload), client_id="robot")) == (401, "invalid_client")


async def test_a_client_with_a_key_cannot_come_without_proof(served, signer):
    """RFC 6749, section 3.2.1."""
    assert error_of(await served.token(**OWN_TOKENS, client_id="robot")) == (401, "invalid_client")
    wrong = await served.token(**OWN_TOKENS, client_id="robot", client_secret="a-secret-of-some-length-or-other")
    assert error_of(wrong) == (401, "invalid_client")


async def test_a_public_client_cannot_sign(start, clock):
    """RFC 7521, section 4.2: a client without registered keys has nothing to be checked against."""
    journey = start()
    signer = Signer(await journey.register(CALLBACK), clock)
    assert error_of(await ask(journey, signer)) == (401, "invalid_client")


async def test_of_many_at_once_one_is_first(served, signer):
    """RFC 7523, section 3, item 7."""
    assertion = signer.sign()
    answers = await asyncio.gather(*(ask(served, signer, assertion) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 19


async def test_a_store_that_is_away_is_no_proof_and_no_refusal(start, signer):
    """RFC 6749, section 5.2: nothing is known, so the client may try again."""

    class Broken:
        async def spend(self, key: str, expires_at: float) -> bool:
            raise OSError("away")

    journey = start(clients=(robot(signer),), assertions=Broken())
    refused = await ask(journey, signer)
    assert error_of(refused) == (503, "temporarily_unavailable")
    assert refused.headers["retry-after"]


async def test_our_tokens_are_no_assertions_and_assertions_are_no_tokens(start, signer):
    """A16. RFC 8725, section 3.11: no kind passes for another, wherever it is presented."""
    journey = start(clients=(robot(signer),))
    code = await journey.code()
    login = tokens_of(await journey.exchange(await journey.code()))
    own = tokens_of(await ask(journey, signer)).access_token
    for token in (login.access_token, login.refresh_token, code, journey.client_id, own):
        for claimed in ("robot", journey.client_id):
            form = {**OWN_TOKENS, **signer.form(token), "client_id": claimed}
            refused = await journey.http.post("/oauth/token", data=form)
            assert error_of(refused) in ((401, "invalid_client"), (400, "invalid_request")), "ours names the person, not the client"
    assertion = signer.sign()
    assert (await journey.call(assertion)).status_code == 401
    assert error_of(await journey.refresh(assertion)) == (400, "invalid_grant")
    assert error_of(await journey.exchange(assertion)) == (400, "invalid_grant")
    told = await journey.http.post("/oauth/introspect", data={"token": assertion, **signer.form()})
    assert told.json() == {"active": False}
    await journey.http.post("/oauth/revoke", data={"token": assertion, **signer.form()})
    tokens_of(await ask(journey, signer, assertion))
    tokens_of(await journey.exchange(code))


@pytest.mark.parametrize("name", ["client_id", "client_secret", "client_assertion", "client_assertion_type"])
async def test_a_proof_that_comes_twice_is_no_proof(served, signer, name):
    """A42. RFC 6749, section 3.1."""
    form = urlencode({**OWN_TOKENS, **signer.form(), "client_id": "robot", "client_secret": ""})
    answer = await served.http.post("/oauth/token", content=f"{form}&{name}=x", headers=FORM)
    assert error_of(answer) == (400, "invalid_request")
