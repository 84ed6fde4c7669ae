"""Real OAuth clients that are not MCP SDKs, and what `tests/flows/test_clients.py` leaves out of those."""

import time

import fastmcp
import pytest
from authlib.integrations.httpx_client import AsyncOAuth2Client
from fastmcp.client.auth import OAuth

from tests.clients.libraries import MCP_REMOTE, Machine
from tests.flows.authorization import Wire
from tests.flows.browser import Browser
from tests.flows.journey import TOOL
from tests.flows.node import packages
from tests.flows.python_clients import CALLBACK, desktop, visit
from tests.flows.serving import PASSWORD, USER

VERIFIER = "authlib-" + "v" * 56


async def test_authlib_logs_in_refreshes_by_itself_and_revokes(server, http):
    """The client of Authlib, with the endpoints from our document: RFC 6749, 7636, 7009."""
    client_id = await Wire(http, server.url).register()
    document = (await http.get(f"{server.url}/.well-known/oauth-authorization-server")).json()
    updated = []

    async def keep(token, refresh_token=None, access_token=None):
        updated.append(token)

    async with AsyncOAuth2Client(
        client_id,
        token_endpoint_auth_method="none",
        revocation_endpoint_auth_method="none",
        redirect_uri=CALLBACK,
        scope="mcp offline_access",
        code_challenge_method="S256",
        token_endpoint=document["token_endpoint"],
        update_token=keep,
    ) as client:
        url, state = client.create_authorization_url(
            document["authorization_endpoint"], code_verifier=VERIFIER, resource=f"{server.url}/mcp"
        )
        async with Browser(callback=CALLBACK) as browser:
            came_back = await browser.log_in(url, USER, PASSWORD)
        token = await client.fetch_token(
            document["token_endpoint"], authorization_response=came_back, state=state, code_verifier=VERIFIER
        )
        first = token["refresh_token"]
        client.token = {**token, "expires_at": 1}
        answer = await client.post(f"{server.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert answer.status_code != 401, answer.text
        assert [new["refresh_token"] != first for new in updated] == [True]
        assert (await Wire(http, server.url).call(client.token["access_token"])).json()["result"]["structuredContent"]
        revoked = await client.revoke_token(document["revocation_endpoint"], client.token["refresh_token"], "refresh_token")
        assert revoked.status_code == 200
        assert (await Wire(http, server.url).call(client.token["access_token"])).status_code == 401


@pytest.mark.filterwarnings("ignore:Using in-memory token storage")
async def test_fastmcp_logs_in_once_and_refreshes_by_itself(server):
    """Its own OAuth, before and after the end of its access token. RFC 6749, section 6."""
    auth, opened = OAuth(), list[str]()

    def person(url: str) -> None:
        opened.append(url)
        visit(url)

    refresh_tokens = set()
    with desktop(person):
        for _ in range(2):
            async with fastmcp.Client(f"{server.url}/mcp", auth=auth) as client:
                assert not (await client.call_tool_mcp(TOOL, {})).is_error
            refresh_tokens.add(auth.context.current_tokens.refresh_token)
            auth.context.token_expiry_time = time.time() - 1
    assert (len(refresh_tokens), len(opened)) == (2, 1)


@pytest.fixture(scope="session")
def remote_packages(request):
    return packages(request.config.cache, MCP_REMOTE)


async def test_mcp_remote_logs_in_once_and_refreshes_after_a_restart(server, remote_packages, tmp_path):
    """The bridge that programs without OAuth start; its next process finds only an access token that is no longer good."""
    machine = Machine(remote_packages, tmp_path)
    async with machine.remote(server.url) as remote:
        await remote.shake_hands()
        assert not (await remote.ask(2, "tools/call", {"name": TOOL, "arguments": {}})).get("isError")
    machine.edit_tokens(lambda tokens: tokens.update(access_token="expired"))
    async with machine.remote(server.url) as remote:
        await remote.shake_hands()
        assert not (await remote.ask(2, "tools/call", {"name": TOOL, "arguments": {}})).get("isError")
    assert machine.logins == 1
