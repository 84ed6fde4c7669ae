"""What outlives a server: logins. What ends them: a token that is used twice."""

import time
from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.flows.authorization import Wire, after
from tests.flows.browser import Browser
from tests.flows.front import Front
from tests.flows.journey import TOOL
from tests.flows.python_clients import CALLBACK, Storage, plain, sdk_client, sdk_oauth
from tests.flows.serving import Server, free_port
from tests.flows.typescript_client import typescript_client


async def test_a_killed_and_restarted_server_is_the_same_to_a_python_client(own_server):
    """Issue 2: the server is killed and started again between login and refresh: the client goes on."""
    storage = Storage()
    auth = sdk_oauth(own_server.url, storage)
    async with sdk_client(own_server.url, auth) as client:
        assert plain(await client.call_tool(TOOL, {}))["structuredContent"]
    first = storage.refresh_token

    own_server.kill()
    own_server.start()

    auth.context.token_expiry_time = time.time() - 1  # an hour later
    async with sdk_client(own_server.url, auth) as client:
        assert plain(await client.call_tool(TOOL, {}))["structuredContent"]
    assert storage.refresh_token != first, "it refreshed"
    assert storage.logins == 1, "and nobody was asked to log in again"


async def test_a_killed_and_restarted_server_is_the_same_to_a_typescript_client(own_server, node):
    async with typescript_client(node, "v2", own_server.url) as client:
        await client.journey()
        own_server.kill()
        own_server.start()
        assert (await client.refresh_and_call())["structuredContent"]
        assert client.logins == 1


async def test_login_on_one_server_refresh_on_another(postgres_url, tmp_path):
    """Issue 2: two servers with one SECRET_KEY on one PostgreSQL, behind one address."""
    async with Front() as front:
        environment = {"DATABASE_URL": postgres_url, "PUBLIC_URL": front.url}
        production = ("--production",)
        first = Server(tmp_path / "first.log", environment, options=production, port=free_port())
        second = Server(tmp_path / "second.log", environment, options=production, port=free_port())
        with first, second:
            storage = Storage()
            auth = sdk_oauth(front.url, storage)
            await front.lead_to(first.port)
            async with sdk_client(front.url, auth) as client:
                assert plain(await client.call_tool(TOOL, {}))["structuredContent"]
            assert storage.tokens is not None
            before = storage.tokens.access_token

            await front.lead_to(second.port)
            first.kill()
            async with sdk_client(front.url, auth) as client:
                assert plain(await client.call_tool(TOOL, {}))["structuredContent"], "its access token is good here too"
                auth.context.token_expiry_time = time.time() - 1
                assert plain(await client.call_tool(TOOL, {}))["structuredContent"]
            # Its refresh token may be the one it had: within a second of the login, production takes a refresh for the same burst.
            assert storage.tokens.access_token != before, "it refreshed"
            assert storage.logins == 1


@pytest.fixture
async def wire(server: Server) -> AsyncIterator[tuple[Wire, Browser]]:
    async with httpx2.AsyncClient(timeout=30) as http, Browser(callback=CALLBACK) as browser:
        yield Wire(http, server.url), browser


async def test_a_refresh_token_used_twice_ends_the_login_at_once(wire):
    """Issue 2; RFC 9700 4.14.2: `invalid_grant`, and the successor and its access token are dead."""
    client, browser = wire
    first = await client.log_in(await client.register(), browser)
    second = after(first, await client.refresh(first))
    assert (await client.call(second.access_token)).json()["result"]["structuredContent"]

    replayed = await client.refresh(first)
    assert (replayed.status_code, replayed.json()["error"]) == (400, "invalid_grant")

    dead = await client.refresh(second)
    assert (dead.status_code, dead.json()["error"]) == (400, "invalid_grant")
    refused = await client.call(second.access_token)
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused.headers["www-authenticate"]


async def test_another_login_of_the_same_user_goes_on(wire):
    """One family ends, not the user."""
    client, browser = wire
    client_id = await client.register()
    replayed, other = await client.log_in(client_id, browser), await client.log_in(client_id, browser)
    await client.refresh(replayed)
    assert (await client.refresh(replayed)).status_code == 400
    assert (await client.call(other.access_token)).status_code == 200
    assert (await client.refresh(other)).status_code == 200


async def test_a45_a_raised_signing_key_version_ends_access_tokens_and_no_login(sqlite_url, tmp_path):
    """RFC 7517, section 4.5: the drill for a stolen signing key, by the variable that an operator sets."""
    environment = {"DATABASE_URL": sqlite_url, "PUBLIC_URL": f"http://localhost:{(port := free_port())}"}
    before = Server(tmp_path / "before.log", environment, port=port)
    after = Server(tmp_path / "after.log", environment | {"SIGNING_KEY_VERSION": "2"}, port=port)
    async with httpx2.AsyncClient(timeout=30) as http, Browser(callback=CALLBACK) as browser:
        wire = Wire(http, environment["PUBLIC_URL"])
        with before:
            login = await wire.log_in(await wire.register(), browser)
            assert (await wire.call(login.access_token)).status_code == 200
        with after:
            assert (await wire.call(login.access_token)).status_code == 401
            renewed = await wire.refresh(login)
            assert renewed.status_code == 200, renewed.text
            assert (await wire.call(renewed.json()["access_token"])).status_code == 200
