"""The official suite logs in as a client would, and judges the authorization server: no failure and no warning."""

import httpx2
import pytest

from tests.conformance.suite import SUCCESS
from tests.flows.browser import Browser
from tests.flows.serving import PASSWORD, USER, Server, free_port


async def register(http: httpx2.AsyncClient, callback: str) -> str:
    """The id of a public client."""
    metadata = {"client_name": "Suite", "redirect_uris": [callback], "token_endpoint_auth_method": "none"}
    answer = await http.post("/oauth/register", json=metadata)
    client_id: str = answer.json()["client_id"]
    return client_id


@pytest.mark.slow
async def test_the_official_suite_logs_in_and_finds_nothing(suite, sqlite_url, tmp_path):
    """RFC 8414, section 3.3; OAuth 2.1, section 4.1; https://github.com/modelcontextprotocol/conformance: both of its scenarios."""
    answers, port = tmp_path / "answers", free_port()
    answers.mkdir()
    callback = f"http://127.0.0.1:{port}/callback"
    with Server(tmp_path / "server.log", {"DATABASE_URL": sqlite_url}) as server:
        async with httpx2.AsyncClient(base_url=server.url) as http, Browser(callback=callback) as browser:
            options = ("--client-id", await register(http, callback), "--resource", f"{server.url}/mcp", "--port", str(port))

            async def visit(address: str) -> None:
                await http.get(await browser.log_in(address, USER, PASSWORD))

            report = await suite.log_in(server.url, options, answers, visit)
    assert [str(check) for check in report.checks if check.status != SUCCESS] == [], report.output
    assert report.scenarios == {"authorization-server-metadata-endpoint", "authorization-code-grant"}
