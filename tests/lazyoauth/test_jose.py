"""RFC 8725: what is verified besides the signature."""

import base64
import hmac
import json
from collections.abc import Mapping
from typing import Any

import pytest
from joserfc import jws, jwt
from joserfc.jwk import ECKey, KeySet

from lazyoauth import jose
from lazyoauth.keys import Keys, derive
from lazyoauth.tokens import ACCESS, REFRESH
from tests.lazyoauth.journey import SECRET, Journey

KEYS = derive("a" * 32, ["b" * 32])
CLAIMS = {"name": "Åsa", "n": 1}


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_each_form_goes_there_and_back():
    """RFC 7515, RFC 7516."""
    assert jose.verify_public(jose.sign_public(CLAIMS, KEYS.signing, "a"), KEYS.verifying, "a") == CLAIMS
    assert jose.verify_internal(jose.sign_internal(CLAIMS, KEYS.refresh, "a"), KEYS.refresh, "a") == CLAIMS
    assert jose.unseal(jose.seal(CLAIMS, KEYS.code, "a"), KEYS.code, "a") == CLAIMS


def test_what_a_fallback_key_made_is_still_read():
    """Rotation of the secret ends no login."""
    old = derive("b" * 32)
    assert jose.verify_public(jose.sign_public(CLAIMS, old.signing, "a"), KEYS.verifying, "a") == CLAIMS
    assert jose.verify_internal(jose.sign_internal(CLAIMS, old.refresh, "a"), KEYS.refresh, "a") == CLAIMS
    assert jose.unseal(jose.seal(CLAIMS, old.code, "a"), KEYS.code, "a") == CLAIMS


def test_the_same_claims_give_the_same_internal_token():
    """A lost answer can be given again only if it is the same."""
    assert jose.sign_internal(CLAIMS, KEYS.refresh, "a") == jose.sign_internal(CLAIMS, KEYS.refresh, "a")


def test_the_same_internal_token_has_one_spelling():
    """RFC 7515 leaves spelling and spare bits free; a token that can be spelled twice can be counted twice."""
    token = jose.sign_internal(CLAIMS, KEYS.refresh, "a")
    payload = token.split(".")[1]
    respelled = f"{part({'typ': 'a', 'alg': 'HS256'})}.{payload}"
    signature = hmac.digest(KEYS.refresh[0].raw_value, respelled.encode(), "sha256")
    others = [
        f"{respelled}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}",
        f"{token}=",
        f"{token[:-1]}B",
        f"{token}.",
        f" {token}",
    ]
    for other in others:
        with pytest.raises(jose.Rejected):
            jose.verify_internal(other, KEYS.refresh, "a")


def test_internal_tokens_are_what_joserfc_would_write():
    """RFC 7515, section 7.1: what earlier versions issued through it is still good."""
    by_library = jws.serialize_compact(
        {"alg": "HS256", "typ": "a"}, json.dumps(CLAIMS).encode(), KEYS.refresh[0], algorithms=["HS256"]
    )
    assert jose.verify_internal(by_library, KEYS.refresh, "a") == CLAIMS
    ours = jose.sign_public(CLAIMS, KEYS.signing, "a")
    assert jws.deserialize_compact(ours, KEYS.signing, algorithms=["ES256"]).headers() == {
        "alg": "ES256",
        "typ": "a",
        "kid": KEYS.signing.kid,
    }


def test_a_token_of_another_type_or_key_is_rejected():
    """RFC 8725, section 3.11."""
    for read, token in [
        (lambda token, typ: jose.verify_public(token, KEYS.verifying, typ), jose.sign_public(CLAIMS, KEYS.signing, "a")),
        (lambda token, typ: jose.verify_internal(token, KEYS.refresh, typ), jose.sign_internal(CLAIMS, KEYS.refresh, "a")),
        (lambda token, typ: jose.unseal(token, KEYS.code, typ), jose.seal(CLAIMS, KEYS.code, "a")),
    ]:
        with pytest.raises(jose.Rejected):
            read(token, "b")
    with pytest.raises(jose.Rejected):
        jose.unseal(jose.seal(CLAIMS, KEYS.transaction, "a"), KEYS.code, "a")
    with pytest.raises(jose.Rejected):
        jose.verify_public(jose.sign_public(CLAIMS, derive("c" * 32).signing, "a"), KEYS.verifying, "a")


def hs256(header: dict[str, object], claims: Mapping[str, Any], key: bytes) -> str:
    """Signed by hand, because joserfc refuses a public key as a shared secret."""
    text = f"{part(header)}.{part(claims)}"
    return f"{text}.{base64.urlsafe_b64encode(hmac.digest(key, text.encode(), 'sha256')).decode().rstrip('=')}"


def forgeries(keys: Keys = KEYS, typ: str = "a", claims: Mapping[str, Any] = CLAIMS) -> dict[str, str]:
    """Tokens that somebody without our key can make, from the public key set and one token of his own."""
    good = jose.sign_public(claims, keys.signing, typ)
    header, payload, signature = good.split(".")
    kid = keys.signing.kid
    public = keys.verifying[kid]
    his = ECKey.generate_key("P-256")
    his_header = {"alg": "ES256", "typ": typ, "kid": kid}
    body = json.dumps(claims).encode()
    return {
        "alg none": f"{part({'alg': 'none', 'typ': typ, 'kid': kid})}.{payload}.",
        "alg none, with signature": f"{part({'alg': 'none', 'typ': typ, 'kid': kid})}.{payload}.{signature}",
        "HS256 with the public key": hs256({"alg": "HS256", "typ": typ, "kid": kid}, claims, public.as_pem(private=False)),
        "embedded jwk": jws.serialize_compact(his_header | {"jwk": his.as_dict(private=False)}, body, his),
        "jku": jws.serialize_compact(his_header | {"jku": "https://evil.example/jwks"}, body, his),
        "x5u": jws.serialize_compact(his_header | {"x5u": "https://evil.example/x5"}, body, his),
        "own key": jws.serialize_compact(his_header, body, his),
        "kid with a path": jws.serialize_compact(his_header | {"kid": "../../dev/null"}, body, his),
        "kid that is no text": f"{part({'alg': 'ES256', 'typ': typ, 'kid': ['x']})}.{payload}.{signature}",
        "no kid": f"{part({'alg': 'ES256', 'typ': typ})}.{payload}.{signature}",
        "unknown crit": f"{part(his_header | {'crit': ['x'], 'x': 1})}.{payload}.{signature}",
        "other payload": f"{header}.{part({'n': 2})}.{signature}",
        "zero signature": f"{header}.{payload}.{base64.urlsafe_b64encode(bytes(64)).decode().rstrip('=')}",
        "trailing bytes": good + "AA",
        "four parts": good + ".x",
        "empty": "",
        "dots": "..",
        "words": "not a token at all",
        "not ascii": "ä.ö.ü",
        "header is a list": f"{part([])}.{payload}.{signature}",
        "huge": "a" * 20_000,
    }


@pytest.mark.parametrize("kind", forgeries())
def test_forged_tokens_are_rejected(kind):
    """RFC 8725, sections 2.1, 2.2, 3.1 and 3.10."""
    with pytest.raises(jose.Rejected):
        jose.verify_public(forgeries()[kind], KEYS.verifying, "a")
    with pytest.raises(jose.Rejected):
        jose.verify_internal(forgeries()[kind], KEYS.refresh, "a")
    with pytest.raises(jose.Rejected):
        jose.unseal(forgeries()[kind], KEYS.code, "a")


def test_our_own_signature_does_not_excuse_foreign_header_members():
    """RFC 8725, section 3.10: nothing in the header is ever followed."""
    header = {"alg": "ES256", "typ": "a", "kid": KEYS.signing.kid}
    signed = jws.serialize_compact(header | {"jku": "https://x.example/"}, b"{}", KEYS.signing)
    with pytest.raises(jose.Rejected):
        jose.verify_public(signed, KEYS.verifying, "a")
    with pytest.raises(jose.Rejected):
        jose.verify_public(jws.serialize_compact(header, b"[]", KEYS.signing), KEYS.verifying, "a")


@pytest.mark.parametrize("typ", [ACCESS, REFRESH])
async def test_a_forged_token_gets_through_no_door(journey: Journey, typ):
    """RFC 8725: each of them, with the claims of a good one, at each endpoint that takes something we made."""
    login = await journey.login()
    keys = derive(SECRET)
    claims = jwt.decode(login.access_token, KeySet.import_key_set(keys.jwks()), algorithms=["ES256"]).claims
    for kind, forged in forgeries(keys, typ, claims).items():
        guarded = await journey.http.post("/mcp", headers={"authorization": f"Bearer {forged}".encode()})
        assert guarded.status_code == 401, kind
        for answer in (await journey.refresh(forged), await journey.exchange(forged)):
            assert answer.json()["error"] == ("invalid_grant" if forged else "invalid_request"), kind
        assert (await journey.token(grant_type="refresh_token", client_id=forged)).json()["error"] == "invalid_client", kind
        await journey.http.post("/oauth/revoke", data={"client_id": journey.client_id, "token": forged})
        for path, name in (("/oauth/authorize", "client_id"), ("/oauth/consent", "transaction")):
            page = await journey.http.get(path, params=journey.request() | {name: forged})
            assert (page.status_code, "location" in page.headers) == (400, False), (kind, path)
    assert (await journey.call(login.access_token)).status_code == 200, "nothing was revoked"
