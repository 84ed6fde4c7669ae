"""The token endpoint: codes and refresh tokens. RFC 6749, sections 4.1.3, 5 and 6; RFC 7636; RFC 8707; RFC 9700."""

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from lazyauth import User
from lazyoauth import MemoryRefreshTokenStates
from lazyoauth.pkce import challenge_of
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, ISSUER, RESOURCE, Journey, PlainUsers, error_of, tokens_of


async def claims_of(journey: Journey, access_token: str) -> dict[str, object]:
    keys = KeySet.import_key_set((await journey.http.get("/oauth/jwks")).json())
    return jwt.decode(access_token, keys, algorithms=["ES256"]).claims


async def test_a_code_becomes_tokens(journey: Journey):
    """RFC 6749, sections 4.1.4 and 5.1."""
    answer = await journey.exchange(await journey.code())
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["pragma"] == "no-cache"
    body = answer.json()
    assert set(body) == {"access_token", "token_type", "expires_in", "scope", "refresh_token"}
    assert (body["token_type"], body["expires_in"], body["scope"]) == ("Bearer", 3600, "mcp")


async def test_a_code_that_comes_again_ends_the_login(journey: Journey):
    """RFC 6749, section 4.1.2; https://github.com/cloudflare/workers-oauth-provider/issues/148."""
    code = await journey.code()
    first = tokens_of(await journey.exchange(code))
    assert (await journey.call(first.access_token)).status_code == 200
    assert error_of(await journey.exchange(code)) == (400, "invalid_grant")
    assert (await journey.call(first.access_token)).status_code == 401
    assert error_of(await journey.refresh(first.refresh_token)) == (400, "invalid_grant")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": "short"}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"redirect_uri": f"{CALLBACK}/other"}, "invalid_grant"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
        ({"client_id": "unknown"}, "invalid_client"),
    ],
)
async def test_a_thief_without_the_verifier_neither_uses_nor_ends_the_login(journey: Journey, changes, error):
    """https://github.com/giantswarm/muster/issues/269: everything is checked before the code counts as used."""
    code = await journey.code()
    assert error_of(await journey.exchange(code, **changes))[1] == error
    first = tokens_of(await journey.exchange(code))
    assert (await journey.call(first.access_token)).status_code == 200


async def test_a_code_belongs_to_one_client(journey: Journey):
    """RFC 6749, section 4.1.3."""
    code = await journey.code()
    owner = journey.client_id
    other = await journey.register(CALLBACK, client_name="Another")
    assert other != owner
    assert error_of(await journey.exchange(code)) == (400, "invalid_grant")
    journey.client_id = owner
    tokens_of(await journey.exchange(code))


@pytest.mark.parametrize("redirect_uri", [CALLBACK, ""])
async def test_the_redirect_uri_may_be_left_out_but_not_changed(journey: Journey, redirect_uri):
    """OAuth 2.1, section 4.1.3: PKCE binds the code."""
    tokens_of(await journey.exchange(await journey.code(), redirect_uri=redirect_uri))


@pytest.mark.parametrize("code", ["x", "a.b.c", "a..b.c.d", "eyJ.eyJ.sig", "Z" * 5000])
async def test_what_is_no_code_of_ours_is_refused(journey: Journey, code):
    """RFC 6749, section 5.2."""
    await journey.register()
    assert error_of(await journey.exchange(code)) == (400, "invalid_grant")


async def test_a_code_lives_for_a_minute(journey: Journey):
    """RFC 6749, section 4.1.2."""
    code = await journey.code()
    journey.clock.now += 60
    assert error_of(await journey.exchange(code)) == (400, "invalid_grant")


async def test_a_verifier_for_a_code_of_another_login_is_refused(journey: Journey):
    """RFC 9700, section 4.5.3: an injected code fails."""
    stolen = await journey.code()
    journey.verifier = "v" * 43
    mine = await journey.code()
    assert error_of(await journey.exchange(stolen)) == (400, "invalid_grant")
    tokens_of(await journey.exchange(mine))
    assert challenge_of("v" * 43)


async def test_a_stolen_refresh_token_ends_the_login_whoever_comes_second(journey: Journey):
    """RFC 9700, section 4.14.2: whoever is second cannot know who is right, so nobody is."""
    stolen = await journey.login()
    winner = tokens_of(await journey.refresh(stolen.refresh_token))
    assert error_of(await journey.refresh(stolen.refresh_token)) == (400, "invalid_grant")
    assert error_of(await journey.refresh(winner.refresh_token)) == (400, "invalid_grant")
    for access_token in (stolen.access_token, winner.access_token):
        assert (await journey.call(access_token)).status_code == 401


async def test_a_login_that_ends_takes_no_other_with_it(journey: Journey):
    """https://github.com/cloudflare/workers-oauth-provider/issues/297: one client id, many logins."""
    one, other = await journey.login(), await journey.login()
    await journey.refresh(one.refresh_token)
    await journey.refresh(one.refresh_token)
    assert (await journey.call(other.access_token)).status_code == 200
    tokens_of(await journey.refresh(other.refresh_token))


async def test_a_refresh_token_belongs_to_one_client(journey: Journey):
    """RFC 6749, section 10.4: another client gets nothing, and does the owner no harm."""
    login, owner = await journey.login(), journey.client_id
    await journey.register(CALLBACK, client_name="Another")
    assert error_of(await journey.refresh(login.refresh_token)) == (400, "invalid_grant")
    journey.client_id = owner
    tokens_of(await journey.refresh(login.refresh_token))


async def test_a_refresh_may_narrow_the_scope_for_once(start: Start):
    """RFC 6749, section 6: narrowing does not shrink later refreshes, widening is refused and costs nothing."""
    journey = start(scopes=("mcp", "mcp:admin", "root"))
    login = await journey.login(scope="mcp mcp:admin")
    narrowed = tokens_of(await journey.refresh(login.refresh_token, scope="mcp"))
    assert narrowed.scope == "mcp"
    assert (await claims_of(journey, narrowed.access_token))["scope"] == "mcp"
    for wider in ("root", "mcp root", "unheard-of"):
        assert error_of(await journey.refresh(narrowed.refresh_token, scope=wider)) == (400, "invalid_scope")
    whole = tokens_of(await journey.refresh(narrowed.refresh_token))
    assert whole.scope == "mcp mcp:admin"


async def test_a_refresh_repeats_what_was_asked_at_first(journey: Journey):
    """https://github.com/google-gemini/gemini-cli: scope and resource are sent at every refresh, unknown ones included."""
    login = await journey.login(scope="openid mcp offline_access")
    assert login.scope == "mcp offline_access"
    again = tokens_of(await journey.refresh(login.refresh_token, scope="openid mcp offline_access", resource=f"{RESOURCE}/"))
    assert again.scope == "mcp offline_access"


async def test_the_resource_cannot_be_swapped(journey: Journey):
    """RFC 8707, section 2.2."""
    login = await journey.login()
    assert error_of(await journey.refresh(login.refresh_token, resource="https://evil.example/mcp")) == (400, "invalid_target")
    tokens_of(await journey.refresh(login.refresh_token, resource=RESOURCE))


@pytest.mark.parametrize("resource", [RESOURCE, f"{RESOURCE}/", None])
async def test_the_audience_is_the_resource_as_the_client_spelled_it(journey: Journey, resource):
    """https://github.com/n8n-io/n8n/issues/30500, https://github.com/sigbit/mcp-auth-proxy/issues/123."""
    login = await journey.login(resource=resource)
    assert (await claims_of(journey, login.access_token))["aud"] == (resource or RESOURCE)
    assert (await journey.call(login.access_token)).status_code == 200


async def test_access_token_claims_are_those_of_the_profile(journey: Journey):
    """RFC 9068, section 2.2."""
    login = await journey.login()
    claims = await claims_of(journey, login.access_token)
    assert {"iss", "exp", "aud", "sub", "client_id", "iat", "jti", "scope", "auth_time"} <= set(claims)
    assert (claims["iss"], claims["sub"], claims["client_id"], claims["mcps"]) == (ISSUER, "ada", journey.client_id, ["admin"])


async def test_roles_are_read_anew_at_each_refresh(journey: Journey):
    """The user's data as of now, not as of login."""
    login = await journey.login()
    journey.users.add("ada", "correct horse", ["*"])
    refreshed = tokens_of(await journey.refresh(login.refresh_token))
    assert (await journey.call(refreshed.access_token)).text == "ada *"


async def test_a_user_who_is_gone_cannot_refresh(journey: Journey):
    """The login ends, with its access token."""
    login = await journey.login()
    assert (await journey.call(login.access_token)).status_code == 200
    journey.users.remove("ada")
    assert error_of(await journey.refresh(login.refresh_token)) == (400, "invalid_grant")
    assert (await journey.call(login.access_token)).status_code == 401


async def test_an_application_may_choose_its_claims_but_not_ours(start: Start):
    """RFC 9068, section 2.2: what means something to a resource server is not the application's to overwrite."""
    journey = start(claims=lambda user: {"tenant": f"of {user.id}", "sub": "root", "aud": "x", "scope": "root", "fid": "x"})
    login = await journey.login()
    claims = await claims_of(journey, login.access_token)
    assert (claims["tenant"], claims["sub"], claims["scope"]) == ("of ada", "ada", "mcp")
    assert (await journey.call(login.access_token)).status_code == 200


async def test_a_login_ends_when_it_is_not_used(journey: Journey):
    """RFC 9700, section 4.14.2: refresh tokens expire when the client is inactive."""
    login = await journey.login()
    journey.clock.now += 29 * 86_400
    login = tokens_of(await journey.refresh(login.refresh_token))
    journey.clock.now += 30 * 86_400
    assert error_of(await journey.refresh(login.refresh_token)) == (400, "invalid_grant")


async def test_a_login_ends_after_half_a_year_used_or_not(journey: Journey):
    """The absolute end is in the row, and rotation never moves it."""
    login = await journey.login()
    for _ in range(8):
        journey.clock.now += 20 * 86_400
        login = tokens_of(await journey.refresh(login.refresh_token))
    journey.clock.now += 20 * 86_400
    assert error_of(await journey.refresh(login.refresh_token)) == (400, "invalid_grant")


async def test_a_client_that_registered_for_codes_only_gets_no_refresh_token(journey: Journey):
    """RFC 7591, section 2 (`grant_types`); its login lives as long as its access token."""
    await journey.register(CALLBACK, grant_types=["authorization_code"])
    login = await journey.login()
    assert login.refresh_token == ""
    assert "refresh_token" not in login.raw
    assert (await journey.call(login.access_token)).status_code == 200
    assert error_of(await journey.refresh("x")) == (400, "unauthorized_client")


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({}, "invalid_request"),
        ({"grant_type": ""}, "invalid_request"),
        ({"grant_type": "password", "username": "ada", "password": "x"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unauthorized_client"),
        ({"grant_type": "authorization_code"}, "invalid_request"),
        ({"grant_type": "refresh_token"}, "invalid_request"),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, "invalid_grant"),
    ],
)
async def test_a_bad_request_gets_the_error_of_the_standard(journey: Journey, form, error):
    """RFC 6749, section 5.2."""
    await journey.register()
    assert error_of(await journey.token(**form)) == (400, error)


async def test_no_token_of_one_kind_is_taken_for_another(journey: Journey):
    """RFC 8725, section 3.11, at every endpoint that takes a token."""
    code = await journey.code()
    login = tokens_of(await journey.exchange(await journey.code()))
    for wrong in (login.access_token, login.refresh_token, journey.client_id):
        assert error_of(await journey.exchange(wrong)) == (400, "invalid_grant")
    for wrong in (login.access_token, code, journey.client_id):
        assert error_of(await journey.refresh(wrong)) == (400, "invalid_grant")
    for wrong in (login.refresh_token, code, journey.client_id):
        assert (await journey.call(wrong)).status_code == 401
    assert (await journey.call(login.access_token)).status_code == 200
    tokens_of(await journey.refresh(login.refresh_token))


async def test_another_process_with_the_secret_goes_on(start: Start, clock):
    """A restart or another pod: the store and the secret are all that a login needs."""
    states = MemoryRefreshTokenStates(clock)
    first = start(refresh_token_states=states)
    code = await first.code()
    second = start(refresh_token_states=states)
    second.client_id, second.verifier = first.client_id, first.verifier
    login = tokens_of(await second.exchange(code))
    third = start(refresh_token_states=states, secret="n" * 32, secret_fallbacks=(first.server.config.secret,))
    third.client_id = first.client_id
    refreshed = tokens_of(await third.refresh(login.refresh_token))
    assert (await third.call(refreshed.access_token)).status_code == 200
    assert error_of(await first.refresh(login.refresh_token)) == (400, "invalid_grant")
    assert (await second.call(login.access_token)).status_code == 401


class Failing(MemoryRefreshTokenStates):
    """A store whose every answer is an error."""

    async def rotate(self, *_: object) -> None:  # type: ignore[override]
        raise OSError("connection refused")


async def test_a_store_that_is_away_costs_no_login(start: Start, clock):
    """Neither success nor theft: 503, Retry-After, and the same token works afterwards."""
    states = MemoryRefreshTokenStates(clock)
    journey = start(refresh_token_states=states)
    login = await journey.login()
    away = start(refresh_token_states=Failing(clock))
    away.client_id = journey.client_id
    answer = await away.refresh(login.refresh_token)
    assert error_of(answer) == (503, "temporarily_unavailable")
    assert int(answer.headers["retry-after"]) > 0
    tokens_of(await journey.refresh(login.refresh_token))


class Flaky(PlainUsers):
    """Users whose database goes away after the login."""

    away = False

    async def find_user(self, user_id: str) -> User | None:
        if self.away:
            raise OSError("connection refused")
        return await super().find_user(user_id)


async def test_users_that_cannot_be_read_cost_no_login(start: Start):
    """Everything that can fail comes before the swap: https://github.com/DuendeArchive/Support/issues/667."""
    users = Flaky()
    users.add("ada", "correct horse", [])
    journey = start(authenticator=users)
    login = await journey.login()
    users.away = True
    assert error_of(await journey.refresh(login.refresh_token)) == (503, "temporarily_unavailable")
    users.away = False
    tokens_of(await journey.refresh(login.refresh_token))


async def test_claims_that_fail_cost_no_login(start: Start):
    """The application's own function is fallible, so it runs before the swap."""
    broken = [False]

    def claims(user: User) -> dict[str, object]:
        if broken[0]:
            raise RuntimeError("roles table is locked")
        return {}

    journey = start(claims=claims)
    login = await journey.login()
    broken[0] = True
    answer = await journey.refresh(login.refresh_token)
    assert error_of(answer) == (503, "temporarily_unavailable")
    assert "locked" not in answer.text
    broken[0] = False
    tokens_of(await journey.refresh(login.refresh_token))


async def test_codes_and_tokens_are_bound_to_the_issuer_that_was_asked(start: Start):
    """Design: in development three names are issuers; what one issues, another does not take."""
    names = ("http://localhost:3000", "http://127.0.0.1:3000")
    journey = start(issuer=names[0], local_issuers=names)
    login = await journey.login()
    elsewhere = {"host": "127.0.0.1:3000"}
    form = {"grant_type": "refresh_token", "refresh_token": login.refresh_token, "client_id": journey.client_id}
    assert error_of(await journey.http.post("/oauth/token", data=form, headers=elsewhere)) == (400, "invalid_grant")
    token = {"authorization": f"Bearer {login.access_token}"}
    for headers, status in ((elsewhere, 401), ({}, 200), (elsewhere, 401), ({}, 200)):
        assert (await journey.http.get("/mcp", headers=headers | token)).status_code == status
    tokens_of(await journey.refresh(login.refresh_token))
