"""The pages of a login for a person who is signed in to the application's own pages. Design, section 5."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode

import httpx2
import pytest
from starlette.requests import Request

from lazyoauth import RegisteredClient, SignedIn
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import PASSWORD, Browser, Journey, arriving
from tests.lazyoauth.test_pages import OURS, at_login


class Pages:
    """An application whose pages know who is signed in, by a cookie."""

    def __init__(self) -> None:
        self.auth_time = 1_799_999_000

    async def current(self, scope) -> SignedIn | None:
        cookies = Request(scope).cookies
        return SignedIn(cookies["session"], self.auth_time) if "session" in cookies else None

    def begin(self, scope, user_id: str, auth_time: float) -> list[tuple[bytes, bytes]]:
        return [(b"set-cookie", f"session={user_id}; Path=/".encode())]


@pytest.fixture
async def one_login(start: Start) -> Journey:
    """One login serves pages and consent."""
    desk = RegisteredClient(id="desk", name="Desk", redirect_uris=("https://desk.example/cb",))
    journey = start(browser=Pages(), clients=(desk,))
    await journey.register()
    journey.users.add("bob", PASSWORD, [])
    return journey


async def open_signed_in(journey: Journey, **changes: str | None) -> Browser:
    browser = journey.browser()
    browser.http.cookies.set("session", "ada", domain="app.example")
    await follow(browser, await browser.open("/oauth/authorize", journey.request(**changes)))
    return browser


async def follow(browser: Browser, page: httpx2.Response) -> None:
    if page.status_code == 303 and page.headers["location"].startswith("/"):
        await browser.open(page.headers["location"])


async def test_who_is_signed_in_to_the_pages_is_only_asked(one_login: Journey):
    """Design, section 5. The login that counts is the one that there was."""
    browser = await open_signed_in(one_login)
    assert "Allow access?" in browser.page.text
    tokens = await one_login.exchange((await browser.decide("allow"))["code"])
    grant = one_login.server._issuers[0].tokens.verify_refresh(tokens.json()["refresh_token"])
    assert (grant.user_id, grant.auth_time) == ("ada", Pages().auth_time)


@pytest.mark.parametrize("prompt", ["login", "select_account", "login consent"])
async def test_a_client_can_ask_for_the_login_again(one_login: Journey, prompt):
    """OpenID Connect Core, section 3.1.2.1."""
    assert 'name="password"' in (await open_signed_in(one_login, prompt=prompt)).page.text


async def test_nothing_is_approved_without_a_page(one_login: Journey):
    """A50; RFC 9700, section 4.11.2: a login and an earlier yes are there, and `prompt=none` is refused all the same."""
    known = {"client_id": "desk", "redirect_uri": "https://desk.example/cb"}
    browser = await open_signed_in(one_login, **known)
    one_login.client_id = "desk"
    await one_login.exchange((await browser.decide("allow"))["code"], redirect_uri=known["redirect_uri"])
    page = (await open_signed_in(one_login, **known, prompt="none")).page
    assert (page.status_code, arriving(page)["error"]) == (303, "login_required")
    assert "code" in arriving((await open_signed_in(one_login, **known)).page)
    assert "Allow access?" in (await open_signed_in(one_login, **known, prompt="consent")).page.text


async def test_a_login_here_is_a_login_to_the_pages(one_login: Journey):
    """The next client is answered by a click."""
    browser = await at_login(one_login)
    await browser.log_in()
    assert browser.http.cookies["session"] == "ada"
    assert "Allow access?" in browser.page.text
    await browser.open("/oauth/connections")
    assert "Connected apps" in browser.page.text


async def test_a_person_can_sign_in_as_somebody_else(one_login: Journey):
    """The same request goes on, for the other person; the page from before is dead."""
    browser = await open_signed_in(one_login)
    before = browser.form.values
    page = await browser.send({"decision": "switch"})
    assert (page.status_code, browser.form.values["username"]) == (200, "")
    assert "bob" in (await browser.log_in("bob")).text
    dead = await browser.http.post("/oauth/consent", data=before | {"decision": "allow"}, headers=OURS)
    assert dead.status_code == 400
    await one_login.exchange((await browser.decide("allow"))["code"])
    assert await one_login.server.connections_of("ada") == []
    assert len(await one_login.server.connections_of("bob")) == 1


async def test_the_list_of_connected_apps_is_that_of_who_is_signed_in(one_login: Journey):
    """Whoever signs out of the pages, or in as another, sees their own."""
    browser = await at_login(one_login)
    await browser.log_in()
    await one_login.exchange((await browser.decide("allow"))["code"])
    assert "Test client" in (await browser.open("/oauth/connections")).text
    browser.http.cookies.set("session", "bob", domain="app.example")
    del browser.http.cookies["session"]
    assert "Sign in" in (await browser.open("/oauth/connections")).text
    browser.http.cookies.set("session", "bob", domain="app.example")
    assert "Test client" not in (await browser.open("/oauth/connections")).text


async def test_where_passwords_are_no_way_in_none_opens(start: Start):
    """OpenID Connect Core 1.0, section 3.1.2.3. The form that no page shows can still be sent."""
    shown: dict[str, Any] = {}

    def render(view: str, variables: Mapping[str, Any]) -> str:
        shown.update(variables)
        return view

    journey = start(browser=Pages(), render=render, passwords=False, sign_in_links=lambda after: {"Corp": f"/corp?{after}"})
    await journey.register()
    browser = journey.browser()
    for path, asked, sealed in (("/oauth/authorize", journey.request(), "transaction"), ("/oauth/connections", {}, "visit")):
        await browser.open(path, asked)
        assert (shown["asks_password"], list(shown["links"])) == (False, ["Corp"])
        form = {sealed: shown[sealed], "username": "ada", "password": PASSWORD}
        answer = await browser.http.post(shown["action"], data=form, headers=OURS)
        assert (answer.status_code, "session" in browser.http.cookies) == (422, False)


async def test_a_client_that_wants_the_question_put_again_gets_that_by_every_way_in(start: Start):
    """OpenID Connect Core 1.0, section 3.1.2.1, `prompt=consent`: whoever comes back from another provider is asked too."""
    desk = RegisteredClient(id="desk", name="Desk", redirect_uris=("https://desk.example/cb",))
    links = {"sign_in_links": lambda after: {"Corp": f"/corp?{urlencode({'next': after})}"}}
    journey = start(browser=Pages(), clients=(desk,), **links)
    known = {"client_id": "desk", "redirect_uri": "https://desk.example/cb"}
    agreed = await open_signed_in(journey, **known)
    await journey.exchange((await agreed.decide("allow"))["code"], **known)
    for prompt, is_asked in (("login", False), ("login consent", True)):
        browser = journey.browser()
        page = (await browser.open("/oauth/authorize", journey.request(**known, prompt=prompt))).text
        (link,) = re.findall(r'href="/corp\?([^"]+)"', page)
        # Back from there, signed in.
        browser.http.cookies.set("session", "ada", domain="app.example")
        await follow(browser, await browser.open(parse_qs(unescape(link))["next"][0]))
        assert ("Allow access?" in browser.page.text) == is_asked
