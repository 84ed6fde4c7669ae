"""The whole login, once down and once up."""

import time
import uuid
from contextlib import AsyncExitStack

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import create_async_engine
from starlette.responses import PlainTextResponse

from lazyauth import MemoryUsers
from lazyoauth import MemoryRefreshTokenStates, RefreshTokenStateStore, SQLRefreshTokenStates, TemporarilyUnavailable
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, ISSUER, PASSWORD, RESOURCE, error_of, tokens_of

CODE = "1.0.cccccccccccccccccccccc"


async def test_a_stranger_logs_in_calls_refreshes_and_a_replay_ends_it(start: Start, sqlite_states: SQLRefreshTokenStates):
    """RFC 6749, section 4.1; RFC 9728, section 5; RFC 9700, section 4.14.2."""
    users = MemoryUsers()
    await users.add("ada", PASSWORD, {"mcps": ["admin"]})
    journey = start(refresh_token_states=sqlite_states, authenticator=users, now=time.time)

    refused = await journey.http.post("/mcp")
    assert refused.status_code == 401
    assert f'resource_metadata="{ISSUER}/.well-known/oauth-protected-resource/mcp"' in refused.headers["www-authenticate"]
    resource = (await journey.http.get("/.well-known/oauth-protected-resource/mcp")).json()
    assert resource["resource"] == RESOURCE
    server = (await journey.http.get(f"{resource['authorization_servers'][0]}/.well-known/oauth-authorization-server")).json()
    assert server["issuer"] == ISSUER

    await journey.register()
    browser = journey.browser()
    await browser.open(server["authorization_endpoint"], journey.request())
    await browser.log_in()
    answer = await browser.send({"decision": "allow"})
    assert answer.headers["location"].startswith(f"{CALLBACK}?code=")
    assert "state=st%2Fate%3D1%262" in answer.headers["location"]

    code = answer.headers["location"].partition("code=")[2].partition("&")[0]
    first = tokens_of(await journey.exchange(code))
    assert (await journey.call(first.access_token)).text == "ada admin"
    second = tokens_of(await journey.refresh(first.refresh_token))
    assert (await journey.call(second.access_token)).text == "ada admin"
    assert second.refresh_token != first.refresh_token

    assert error_of(await journey.refresh(first.refresh_token)) == (400, "invalid_grant")
    assert error_of(await journey.refresh(second.refresh_token)) == (400, "invalid_grant")
    assert (await journey.call(second.access_token)).status_code == 401
    assert (await journey.call(first.access_token)).status_code == 401


async def test_routes_are_exact_paths_and_the_resources_are_apart(start: Start):
    """Design, section 3: OAuth is at the root whenever it is set, the resource's documents only beside the resource."""
    server = start().server
    names = ("authorize", "login", "consent", "token", "register", "revoke", "jwks")
    assert {f"/oauth/{name}" for name in names} < set(server.routes)
    assert set(server.resource_routes) == {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"}
    assert not set(server.routes) & set(server.resource_routes)


async def test_fastapi_takes_the_routes_and_the_guard_as_they_are(start: Start):
    """docs/login.md, "Alone": a route takes a function for a handler of requests, so none of these is a function."""
    server, app = start().server, FastAPI()
    for path, endpoint in {**server.routes, **server.resource_routes}.items():
        app.add_route(path, endpoint)
    app.add_route("/mcp", server.guard(PlainTextResponse("inside")))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ISSUER) as client:
        answers = [(await client.get(path)).status_code for path in ("/oauth/jwks", "/oauth/style.css", "/mcp")]
        assert answers == [200, 200, 401]
        assert (await client.post("/oauth/token")).json()["error"] == "invalid_request"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "memory" else str(request.getfixturevalue(f"{request.param}_url"))


async def test_logins_that_ended_more_than_a_day_ago_are_purged(start: Start, clock, store_url):
    """Design, section 5: the table holds logins, so it must not hold all there ever were."""
    clock.now = time.time()
    async with AsyncExitStack() as stack:
        states: RefreshTokenStateStore = MemoryRefreshTokenStates(clock)
        if store_url:
            engine = create_async_engine(store_url)
            stack.push_async_callback(engine.dispose)
            states = await stack.enter_async_context(SQLRefreshTokenStates(engine))
        journey = start(refresh_token_states=states)
        login = await journey.login()
        ids = {name: str(uuid.uuid4()) for name in ("long ago", "revoked long ago", "yesterday", "revoked")}
        for name, family_id in ids.items():
            await states.create(family_id, CODE, clock.now + {"yesterday": -86_000, "revoked": 600}.get(name, -86_500))
            if name.startswith("revoked"):
                assert await states.revoke(family_id)
        assert [await journey.server.purge(), await journey.server.purge()] == [2, 0]
        found = {name: (await states.rotate(family_id, CODE, "1.1.x")).rotation.value for name, family_id in ids.items()}
        assert found == {"long ago": "unknown", "revoked long ago": "unknown", "yesterday": "expired", "revoked": "revoked"}
        tokens_of(await journey.refresh(login.refresh_token))


async def test_a_store_that_is_away_is_purged_another_time(start: Start, clock):
    """Contract of the store, 6."""

    class Away(MemoryRefreshTokenStates):
        async def purge(self, before: float) -> int:
            raise OSError("connection refused")

    with pytest.raises(TemporarilyUnavailable):
        await start(refresh_token_states=Away(clock)).server.purge()


async def test_two_servers_in_one_process_share_nothing(start: Start):
    """No hidden registry: what one ends, the other does not know."""
    one, other = start(), start(secret="n" * 32)
    login = await one.login()
    assert (await one.call(login.access_token)).status_code == 200
    assert (await other.call(login.access_token)).status_code == 401
