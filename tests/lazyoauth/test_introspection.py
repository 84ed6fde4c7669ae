"""Token introspection. RFC 7662."""

from typing import Any

import pytest

from lazyoauth import RegisteredClient
from lazyoauth.users import KNOWN_FOR_S
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, ISSUER, RESOURCE, Clock, Journey, PlainUsers, error_of, tokens_of
from tests.lazyoauth.test_client_credentials import SECRET, basic

GATEWAY = RegisteredClient(id="gateway", name="Gateway", grant_types=("client_credentials",), secret=SECRET)
PUBLIC = RegisteredClient(id="public", name="Public", redirect_uris=(CALLBACK,))


@pytest.fixture
def served(start: Start) -> Journey:
    return start(clients=(GATEWAY, PUBLIC))


async def ask(journey: Journey, token: str, headers: dict[str, str] | None = None, **form: str) -> Any:
    headers = basic("gateway", SECRET) if headers is None else headers
    return await journey.http.post("/oauth/introspect", data={"token": token, **form}, headers=headers)


async def told(journey: Journey, token: str, **form: str) -> Any:
    answer = await ask(journey, token, **form)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()


async def test_a_good_access_token_is_told_of(served, clock):
    """RFC 7662, section 2.2; what the application added is not passed on."""
    login = await served.login()
    answer = await told(served, login.access_token)
    assert answer.pop("jti")
    assert answer == {
        "active": True,
        "token_type": "Bearer",
        "scope": "mcp",
        "client_id": served.client_id,
        "sub": "ada",
        "aud": RESOURCE,
        "iss": ISSUER,
        "iat": int(clock()),
        "exp": int(clock()) + login.raw["expires_in"],
        "auth_time": int(clock()),
    }


@pytest.mark.parametrize("hint", ["access_token", "refresh_token", "nonsense"])
async def test_a_hint_changes_nothing(served, hint):
    """RFC 7662, section 2.1: it may be ignored."""
    login = await served.login()
    assert (await told(served, login.access_token, token_type_hint=hint))["active"]
    assert await told(served, login.refresh_token, token_type_hint=hint) == {"active": False}


async def test_what_is_no_good_access_token_is_not_active_and_why_is_not_said(served, start, clock: Clock, users: PlainUsers):
    """RFC 7662, section 2.2."""
    code = await served.code()
    login = tokens_of(await served.exchange(code))
    foreign = await start(secret="f" * 32).login()
    for token in (
        login.refresh_token,
        code,
        served.client_id,
        foreign.access_token,
        login.access_token[:-4] + "AAAA",
        "x",
        "a.b.c",
    ):
        assert await told(served, token) == {"active": False}
    clock.now += login.raw["expires_in"]
    assert await told(served, login.access_token) == {"active": False}


async def test_a_token_whose_login_has_ended_is_not_active(served, clock: Clock, users: PlainUsers):
    """RFC 7662, section 4: revoked, and not only expired; and a user who is gone, as soon as the bearer guard knows of it."""
    first, second = await served.login(), await served.login()
    await served.http.post("/oauth/revoke", data={"token": first.refresh_token, "client_id": served.client_id})
    assert await told(served, first.access_token) == {"active": False}
    assert (await told(served, second.access_token))["active"]
    users.remove("ada")
    clock.now += KNOWN_FOR_S
    assert await told(served, second.access_token) == {"active": False}


async def test_a_clients_own_token_is_told_of(served):
    """RFC 6749, section 4.4."""
    form = {"grant_type": "client_credentials"}
    own = tokens_of(await served.http.post("/oauth/token", data=form, headers=basic("gateway", SECRET)))
    answer = await told(served, own.access_token)
    assert (answer["active"], answer["sub"]) == (True, "gateway")
    assert "auth_time" not in answer


async def test_only_confidential_clients_may_ask(served):
    """RFC 7662, section 2.1: so that nobody can try tokens out."""
    login = await served.login()
    for headers, form in (
        ({}, {}),
        ({}, {"client_id": served.client_id}),
        ({}, {"client_id": "public"}),
        ({}, {"client_id": "gateway"}),
        (basic("gateway", "wrong"), {}),
        ({"authorization": f"Bearer {login.access_token}"}, {}),
    ):
        assert error_of(await ask(served, login.access_token, headers, **form)) == (401, "invalid_client")


async def test_the_token_is_required_and_comes_once_in_the_body(served):
    """RFC 7662, section 2.1; RFC 6749, section 3.1."""
    headers = basic("gateway", SECRET)
    assert error_of(await served.http.post("/oauth/introspect", data={}, headers=headers)) == (400, "invalid_request")
    twice = await served.http.post(
        "/oauth/introspect", content="token=a&token=b", headers={**headers, "content-type": "application/x-www-form-urlencoded"}
    )
    assert error_of(twice) == (400, "invalid_request")
    assert (await served.http.get("/oauth/introspect?token=a", headers=headers)).status_code == 405


async def test_without_a_confidential_client_there_is_no_such_endpoint(start):
    """What is not offered is not there, and not mentioned. RFC 8414, section 2."""
    journey = start(clients=(PUBLIC,))
    assert (await ask(journey, "x")).status_code == 404
    document = (await journey.http.get("/.well-known/oauth-authorization-server")).json()
    assert not any("introspection" in name for name in document)
