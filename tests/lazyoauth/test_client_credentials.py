"""Tokens for a client itself. RFC 6749, section 4.4; MCP extension SEP-1046."""

import time
from base64 import b64encode
from typing import Any
from urllib.parse import quote_plus

import httpx2
import pytest
from authlib.integrations.httpx_client import AsyncOAuth2Client
from joserfc.jwk import RSAKey
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)

from lazyoauth import MemoryRefreshTokenStates, RegisteredClient
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, ISSUER, RESOURCE, Clock, Journey, PlainUsers, error_of, mount, tokens_of

SECRET = "a secret: of 30 + characters %"
NIGHTLY = {
    "id": "nightly",
    "name": "Nightly report",
    "grant_types": ("client_credentials",),
    "secret": SECRET,
    "claims": {"mcps": ["reports"], "sub": "ada", "scope": "all"},
}


def basic(client_id: str, secret: str) -> dict[str, str]:
    pair = f"{quote_plus(client_id)}:{quote_plus(secret)}"
    return {"authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def nightly(**changes: Any) -> RegisteredClient:
    return RegisteredClient(**{**NIGHTLY, **changes})


@pytest.fixture
def served(start: Start) -> Journey:
    return start(clients=(nightly(),), scopes=("mcp", "reports"))


async def ask(journey: Journey, headers: dict[str, str] | None = None, **form: str) -> Any:
    headers = basic("nightly", SECRET) if headers is None else headers
    return await journey.http.post("/oauth/token", data={"grant_type": "client_credentials", **form}, headers=headers)


async def test_a_client_gets_a_token_of_its_own(served, clock):
    """RFC 6749, section 4.4.3: no refresh token; RFC 9068, section 2.2: the subject is the client."""
    answer = await ask(served)
    login = tokens_of(answer)
    assert set(login.raw) == {"access_token", "token_type", "expires_in", "scope"}
    claims = served.server._issuers[0].tokens.verify_access(login.access_token)
    assert (claims["sub"], claims["client_id"], claims["aud"]) == ("nightly", "nightly", RESOURCE)
    assert claims["mcps"] == ["reports"], "from the registration"
    assert claims["scope"] == "mcp reports", "what has a meaning of its own is never the application's to say"
    assert "auth_time" not in claims, "nobody signed in"
    called = await served.call(login.access_token)
    assert (called.status_code, called.text) == (200, "nightly reports")


async def test_both_ways_to_show_a_secret(served):
    """RFC 6749, section 2.3.1; the header is form-encoded."""
    tokens_of(await ask(served))
    tokens_of(await ask(served, {}, client_id="nightly", client_secret=SECRET))


@pytest.mark.parametrize(
    ("headers", "form"),
    [
        ({}, {}),
        ({}, {"client_id": "nightly"}),
        (basic("nightly", ""), {}),
        (basic("nightly", SECRET + "x"), {}),
        (basic("nightly", SECRET[:-1]), {}),
        (basic("other", SECRET), {}),
        ({}, {"client_id": "nightly", "client_secret": "wrong"}),
        ({}, {"client_secret": SECRET}),
    ],
)
async def test_who_does_not_prove_itself_gets_nothing(served, headers, form):
    """RFC 6749, section 5.2: 401, and a challenge for who came with Basic."""
    refused = await ask(served, headers, **form)
    assert error_of(refused) == (401, "invalid_client")
    assert ("www-authenticate" in refused.headers) == bool(headers)
    assert SECRET not in refused.text


@pytest.mark.parametrize(
    ("client", "form", "scope"),
    [
        ({}, {}, "mcp reports"),
        ({}, {"scope": "reports"}, "reports"),
        ({}, {"scope": "reports unknown offline_access"}, "reports"),
        ({"scopes": ("reports",)}, {}, "reports"),
        ({"scopes": ("reports",)}, {"scope": "mcp"}, "reports"),
    ],
)
async def test_a_client_is_granted_what_it_is_registered_for(start, client, form, scope):
    """RFC 6749, sections 3.3 and 4.4.2: the answer says what was granted."""
    journey = start(clients=(nightly(**client),), scopes=("mcp", "reports"))
    assert tokens_of(await ask(journey, **form)).scope == scope


async def test_a_token_is_for_this_resource_only(served):
    """RFC 8707, section 2."""
    tokens_of(await ask(served, resource=RESOURCE))
    assert error_of(await ask(served, resource="https://other.example/mcp")) == (400, "invalid_target")


async def test_clients_that_are_not_registered_for_it_are_refused(start):
    """RFC 6749, section 5.2: unauthorized_client."""
    desk = RegisteredClient(id="desk", name="Desk", redirect_uris=(CALLBACK,), secret=SECRET)
    journey = start(clients=(nightly(), desk))
    assert error_of(await ask(journey, basic("desk", SECRET))) == (400, "unauthorized_client")
    public = await journey.register(grant_types=["authorization_code", "client_credentials"])
    assert error_of(await ask(journey, {}, client_id=public)) == (400, "unauthorized_client")


async def test_a_client_is_never_taken_for_a_person(start, users: PlainUsers):
    """RFC 9700, section 4.15."""
    journey = start(clients=(nightly(id="ada"),))
    assert error_of(await ask(journey, basic("ada", SECRET))) == (400, "unauthorized_client")
    users.remove("ada")
    tokens_of(await ask(journey, basic("ada", SECRET)))


async def test_its_token_ends_by_revocation_and_by_time(served, clock: Clock):
    """RFC 7009, section 2; the family is as long as the token."""
    first, second = tokens_of(await ask(served)), tokens_of(await ask(served))
    revoked = await served.http.post("/oauth/revoke", data={"token": first.access_token}, headers=basic("nightly", SECRET))
    assert revoked.status_code == 200
    assert (await served.call(first.access_token)).status_code == 401
    assert (await served.call(second.access_token)).status_code == 200, "the other is a login of its own"
    clock.now += first.raw["expires_in"]
    assert (await served.call(second.access_token)).status_code == 401


async def test_nothing_can_refresh_it(served):
    """RFC 6749, section 4.4.3."""
    login = tokens_of(await ask(served))
    for grant, name in (("refresh_token", "refresh_token"), ("authorization_code", "code")):
        form = {"grant_type": grant, name: login.access_token}
        refused = await served.http.post("/oauth/token", data=form, headers=basic("nightly", SECRET))
        assert error_of(refused) == (400, "unauthorized_client")


async def test_a_person_cannot_sign_in_through_it(served):
    """RFC 6749, section 3.1.2.4: it has no redirect URI, so nobody is sent anywhere."""
    served.client_id = "nightly"
    page = await served.http.get("/oauth/authorize", params=served.request())
    assert page.status_code == 400
    assert "location" not in page.headers


async def test_a_confidential_client_signs_people_in_and_proves_itself_each_time(start):
    """RFC 6749, sections 3.2.1 and 6: at the code and at each refresh."""
    desk = RegisteredClient(id="desk", name="Desk", redirect_uris=(CALLBACK,), secret=SECRET, scopes=("mcp",))
    journey = start(clients=(desk,), scopes=("mcp", "reports"))
    journey.client_id = "desk"
    code = await journey.code(scope="mcp reports")
    assert error_of(await journey.exchange(code)) == (401, "invalid_client"), "and the code is not used up"
    login = tokens_of(await journey.exchange(code, client_secret=SECRET))
    assert login.scope == "mcp", "what it is registered for, whatever it asks for"
    assert error_of(await journey.refresh(login.refresh_token)) == (401, "invalid_client")
    again = tokens_of(await journey.refresh(login.refresh_token, client_secret=SECRET))
    assert error_of(await journey.http.post("/oauth/revoke", data={"token": again.access_token, "client_id": "desk"}))[0] == 401
    assert (await journey.call(again.access_token)).status_code == 200


class Kept:
    """What the SDK's client wants to remember."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client: Any) -> None:
        self.client = client


@pytest.mark.parametrize("way", ["client_secret_basic", "client_secret_post", "private_key_jwt"])
async def test_the_official_sdk_gets_its_token_and_calls(start, way):
    """SEP-1046, with both of the Python SDK's providers: from the first 401 to the called resource, by discovery alone."""
    key = RSAKey.generate_key(2048)
    given = {"secret": SECRET} if way != "private_key_jwt" else {"secret": "", "jwks": {"keys": [key.as_dict(private=False)]}}
    journey = start(clients=(nightly(**given),), now=time.time, refresh_token_states=MemoryRefreshTokenStates())
    more = {"server_url": RESOURCE, "storage": Kept(), "client_id": "nightly", "issuer": ISSUER}
    provider: httpx2.Auth
    if way == "private_key_jwt":
        signed = SignedJWTParameters(
            issuer="nightly", subject="nightly", signing_algorithm="RS256", signing_key=key.as_pem(private=True).decode()
        )
        provider = PrivateKeyJWTOAuthProvider(**more, assertion_provider=signed.create_assertion_provider())
    else:
        provider = ClientCredentialsOAuthProvider(**more, client_secret=SECRET, token_endpoint_auth_method=way)
    async with httpx2.AsyncClient(transport=journey.http._transport, base_url=ISSUER, auth=provider) as http:
        for _ in range(2):
            assert (await http.post("/mcp")).text == "nightly reports"


@pytest.mark.parametrize("sent", [SECRET, quote_plus(SECRET)])
async def test_a_secret_in_the_header_may_be_encoded_or_not(served, sent):
    """RFC 6749, section 2.3.1 says encoded; RFC 7617, as it is."""
    tokens_of(await ask(served, {"authorization": f"Basic {b64encode(f'nightly:{sent}'.encode()).decode()}"}))


@pytest.mark.parametrize("way", ["client_secret_basic", "client_secret_post"])
async def test_authlibs_client_gets_its_token(start, way):
    """RFC 6749, sections 2.3.1 and 4.4, as an independent library reads them."""
    journey = start(clients=(nightly(),))
    transport = httpx2.ASGITransport(app=mount(journey.server))
    async with AsyncOAuth2Client("nightly", SECRET, token_endpoint_auth_method=way, transport=transport) as client:
        token = await client.fetch_token(f"{ISSUER}/oauth/token", grant_type="client_credentials")
        assert (await client.introspect_token(f"{ISSUER}/oauth/introspect", token["access_token"])).json()["active"]
        assert (await client.revoke_token(f"{ISSUER}/oauth/revoke", token["access_token"])).status_code == 200
    assert (await journey.call(token["access_token"])).status_code == 401
