"""One login serves the pages and the consent of AI clients, whichever comes first; and neither's key opens the other's door."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

import lazyapp
import lazyoauth
from lazyoauth.pkce import challenge_of
from tests.lazyapp.sign_in_site import ORIGIN, Seen, Site, cookie_of, sign_in
from tests.lazyoauth.journey import CALLBACK, PASSWORD

VERIFIER = secrets.token_urlsafe(32)
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "who.me",
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}},
    },
}
HEADERS = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "who.me",
    "Accept": "application/json, text/event-stream",
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path)
    site.users.add("ada", PASSWORD, ["*"])
    return site


@pytest.fixture
def browser(site: Site) -> Iterator[TestClient]:
    with site.open() as browser:
        yield browser


def ask(browser: TestClient, **more: str) -> Any:
    """An AI client sends the browser to the authorization endpoint; what the browser sees in the end."""
    registered = browser.post("/oauth/register", json={"client_name": "Test client", "redirect_uris": [CALLBACK]})
    parameters = {
        "response_type": "code",
        "client_id": registered.json()["client_id"],
        "redirect_uri": CALLBACK,
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
        "state": "s",
        **more,
    }
    return browser.get("/oauth/authorize", params=parameters, headers={"sec-fetch-site": "cross-site"}, follow_redirects=True)


def send(browser: TestClient, page: Any, **values: str) -> Any:
    seen = Seen(page.text)
    return browser.post(seen.action, data={**seen.values, **values}, follow_redirects=False)


def token(browser: TestClient, page: Any) -> str:
    """Agree on the consent page, and be the client that gets the code."""
    answer = send(browser, page, decision="allow")
    code = parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
    client_id = parse_qs(urlsplit(str(page.history[0].url)).query)["client_id"][0]
    return str(browser.post("/oauth/token", data={**form, "client_id": client_id}).json()["access_token"])


def test_who_is_signed_in_to_the_pages_goes_straight_to_consent(browser: TestClient) -> None:
    """Issue 4, "App sessions": one login serves pages and consent. The question itself is asked all the same."""
    sign_in(browser)
    page = ask(browser)
    assert urlsplit(str(page.url)).path == "/oauth/consent"
    assert "<strong>ada</strong>" in page.text
    assert (
        browser.post("/mcp", json=CALL, headers={**HEADERS, "authorization": f"Bearer {token(browser, page)}"}).status_code == 200
    )


def test_a_login_for_an_ai_client_is_one_to_the_pages(site: Site, browser: TestClient) -> None:
    browser.get("/keep?word=planted")
    planted = cookie_of(browser)
    page = ask(browser)
    assert Seen(page.text).action == "/oauth/login"
    answer = send(browser, page, username="ada", password=PASSWORD)
    assert answer.status_code == 303
    assert browser.get("/notes").text == "ada"
    # A15: what was there before is gone, and worth nothing.
    assert browser.get("/kept").json() == [""]
    thief = site.another()
    thief.cookies.set("lazyapp", planted)
    assert thief.get("/notes").text == "nobody"


@pytest.mark.parametrize("prompt", ["login", "select_account", "consent login"])
def test_a_client_may_have_the_person_asked_again(browser: TestClient, prompt: str) -> None:
    """OpenID Connect Core 1.0, section 3.1.2.1."""
    sign_in(browser)
    page = ask(browser, prompt=prompt)
    assert Seen(page.text).action == "/oauth/login"


def test_another_person_on_the_login_page_replaces_the_first(site: Site, browser: TestClient) -> None:
    site.users.add("bob", PASSWORD, ["*"])
    sign_in(browser)
    page = ask(browser, prompt="select_account")
    send(browser, page, username="bob", password=PASSWORD)
    assert browser.get("/notes").text == "bob"


def test_who_is_gone_from_the_pages_signs_in_again(site: Site, browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazyapp.visitors.ASK_EVERY_S", 0)
    sign_in(browser)
    site.users.remove("ada")
    assert Seen(ask(browser).text).action == "/oauth/login"


def test_signing_out_of_the_pages_ends_no_clients_login(browser: TestClient) -> None:
    """The page says so, and where such logins are ended."""
    sign_in(browser)
    bearer = {"authorization": f"Bearer {token(browser, ask(browser))}"}
    page = browser.get("/logout")
    assert "AI clients that you connected stay connected" in page.text
    assert "/oauth/connections" in Seen(page.text).links
    assert "Test client" in browser.get("/oauth/connections").text
    browser.post("/logout")
    assert browser.post("/mcp", json=CALL, headers=HEADERS | bearer).status_code == 200
    assert Seen(ask(browser).text).action == "/oauth/login"


def test_a19_neither_key_opens_the_others_door(site: Site, browser: TestClient) -> None:
    """A token is no visit to the pages, and a cookie no token: each is for its own audience."""
    sign_in(browser)
    bearer = {"authorization": f"Bearer {token(browser, ask(browser))}"}
    assert browser.post("/mcp", json=CALL, headers=HEADERS).status_code == 401
    stranger = site.another()
    assert stranger.get("/notes", headers=bearer).text == "nobody"
    assert stranger.get("/secrets", headers=bearer | {"accept": "application/json"}).status_code == 401
    # Together they are a program's request, which no cross-site check has looked at.
    assert browser.get("/notes", headers=bearer).text == "nobody"


def test_what_fails_on_one_login_page_counts_on_the_other(browser: TestClient) -> None:
    """Two pages are no second set of guesses."""
    page = ask(browser)
    for _ in range(5):
        assert sign_in(browser, password="wrong").status_code == 422
        assert send(browser, page, username="ada", password="wrong").status_code == 422
    assert sign_in(browser).status_code == 429
    assert send(browser, page, username="ada", password=PASSWORD).status_code == 429


def test_an_application_may_bring_a_login_of_its_own(tmp_path: Path) -> None:
    """`lazyoauth.Config(browser=…)`: given, lazyapp's is not put in its place."""

    class Desk:
        async def current(self, scope: Any) -> lazyoauth.SignedIn:
            return lazyoauth.SignedIn("ada", 1)

        def begin(self, scope: Any, user_id: str, auth_time: float) -> list[tuple[bytes, bytes]]:
            return []

    def oauth(ctx: lazyapp.AppContext) -> lazyoauth.Config:
        states = lazyoauth.MemoryRefreshTokenStates()
        return lazyoauth.Config(issuer=ORIGIN, refresh_token_states=states, browser=Desk())

    with Site(tmp_path, oauth=oauth).open() as browser:
        assert "<strong>ada</strong>" in ask(browser).text
