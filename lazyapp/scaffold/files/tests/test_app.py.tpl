"""The application as it is met: a page by a person, and a tool by an AI client, from the first refusal to the answer."""

import base64
import hashlib
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

ORIGIN, REDIRECT_URI = "http://localhost:3000", "http://localhost:8976/callback"
USER, PASSWORD = "admin", "a-password-for-tests"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("LAZYAUTH_DEFAULT_USER", USER)
    monkeypatch.setenv("LAZYAUTH_DEFAULT_PASS", PASSWORD)
    from init.app import app

    with TestClient(app, base_url=ORIGIN, headers={"origin": ORIGIN}, follow_redirects=False) as client:
        yield client


def call_tool(client: TestClient, name: str, **headers: str):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}}
    return client.post("/mcp", json=message, headers={"accept": "application/json, text/event-stream", **headers})


def submit(client: TestClient, page: str, **answers: str):
    """Send the form on a page, with its hidden fields."""
    [action] = re.findall(r'<form method="post" action="([^"]+)"', page)
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
    return client.post(action, data=hidden | answers)


def test_the_home_page_is_served(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")


def test_a_client_without_a_token_is_told_where_to_sign_in(client: TestClient) -> None:
    refused = call_tool(client, "admin.user_count")
    assert refused.status_code == 401
    assert "resource_metadata=" in refused.headers["www-authenticate"]


def test_a_client_signs_in_and_calls_a_tool(client: TestClient) -> None:
    registration = {"client_name": "Test", "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "none"}
    client_id = client.post("/oauth/register", json=registration).json()["client_id"]
    about_us = {"client_id": client_id, "redirect_uri": REDIRECT_URI}

    # A person's browser: login, consent, and back to the client with a code.
    challenge = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    asked = {"response_type": "code", "state": "state-1", "resource": f"{ORIGIN}/mcp"}
    answer = client.get("/oauth/authorize", params={**about_us, **challenge, **asked})
    answer = follow(client, answer)
    answer = follow(client, submit(client, answer.text, username=USER, password=PASSWORD))
    answer = follow(client, submit(client, answer.text, decision="allow"))
    back = urlsplit(answer.headers["location"])
    code = parse_qs(back.query)["code"][0]

    # The client: a code becomes a token, and the token opens the tool.
    exchange = {"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER, **about_us}
    token = client.post("/oauth/token", data=exchange).json()["access_token"]
    result = call_tool(client, "admin.user_count", authorization=f"Bearer {token}").json()["result"]
    assert not result.get("isError")
    assert result["structuredContent"]["count"] >= 0


def follow(client: TestClient, answer):
    """Go where we are sent, as long as it is here."""
    while answer.is_redirect and not answer.headers["location"].startswith(REDIRECT_URI):
        answer = client.get(answer.headers["location"])
    return answer
