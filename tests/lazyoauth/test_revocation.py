"""RFC 7009."""

import pytest

from lazyoauth import RegisteredClient
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, Clock, Journey, error_of, tokens_of
from tests.lazyoauth.signing import Signer


async def revoke(journey: Journey, **form: str):
    return await journey.http.post("/oauth/revoke", data={"client_id": journey.client_id, **form})


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_any_token_of_a_login_ends_it_at_once(journey: Journey, kind):
    """RFC 7009, section 2.1."""
    login = await journey.login()
    assert (await journey.call(login.access_token)).status_code == 200
    answer = await revoke(journey, token=login.raw[kind], token_type_hint="refresh_token")
    assert (answer.status_code, answer.content) == (200, b"")
    assert (await journey.call(login.access_token)).status_code == 401
    assert error_of(await journey.refresh(login.refresh_token)) == (400, "invalid_grant")
    assert (await revoke(journey, token=login.raw[kind])).status_code == 200, "twice is as good as once"


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
async def test_another_clients_token_is_left_alone(journey: Journey, kind):
    """RFC 7009, section 2.1: the token must have been issued to the client that asks."""
    login = await journey.login()
    await journey.register(CALLBACK, client_name="Another")
    assert (await revoke(journey, token=login.raw[kind])).status_code == 200
    assert (await journey.call(login.access_token)).status_code == 200


async def test_what_is_no_token_is_no_error(journey: Journey):
    """RFC 7009, section 2.2."""
    await journey.register()
    for token in ("x", "a.b.c", journey.client_id):
        assert (await revoke(journey, token=token)).status_code == 200


async def test_a_bad_request_gets_an_error(journey: Journey):
    """RFC 7009, section 2.2.1."""
    await journey.register()
    assert error_of(await revoke(journey)) == (400, "invalid_request")
    assert error_of(await revoke(journey, token="x", client_id="unknown")) == (401, "invalid_client")


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("method", ["client_secret", "private_key_jwt"])
async def test_a_confidential_client_proves_itself_before_it_ends_anything(start: Start, clock: Clock, method, kind):
    """RFC 7009, section 2.1; RFC 6749, section 2.3."""
    signer, secret = Signer("desk", clock), "a-secret-that-nobody-guesses"
    given = {"secret": secret} if method == "client_secret" else {"jwks": signer.jwks}
    journey = start(clients=(RegisteredClient(id="desk", name="Desk", redirect_uris=(CALLBACK,), **given),))

    def proof() -> dict[str, str]:
        return {"client_secret": secret} if method == "client_secret" else signer.form()

    journey.client_id = "desk"
    login = tokens_of(await journey.exchange(await journey.code(), **proof()))
    for wrong in ({}, {"client_secret": "a-secret-that-somebody-guesses"}, signer.form(Signer("desk", clock).sign())):
        assert error_of(await revoke(journey, token=login.raw[kind], **wrong)) == (401, "invalid_client")
    stranger = await journey.register()
    assert (await revoke(journey, token=login.raw[kind], client_id=stranger)).status_code == 200
    assert (await journey.call(login.access_token)).status_code == 200, "all that had no effect"
    assert (await revoke(journey, token=login.raw[kind], client_id="desk", **proof())).status_code == 200
    assert (await journey.call(login.access_token)).status_code == 401
