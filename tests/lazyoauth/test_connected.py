"""The page of connected apps. RFC 9700, sections 4.7 and 4.12; WCAG 2.2, 2.4.6."""

import html
import re
from html.parser import HTMLParser

import httpx2
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazyauth import User
from lazyoauth import RegisteredClient, SQLConnections, SQLRefreshTokenStates
from lazyoauth.answers import HEADERS
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, ISSUER, PASSWORD, Browser, Journey

PAGE = "/oauth/connections"
OURS = {"sec-fetch-site": "same-origin"}


class Buttons(HTMLParser):
    """The ids of the logins that the page can end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ends: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "button" and found.get("name") == "end":
            self.ends.append(str(found["value"]))


async def at_page(journey: Journey, user: str = "ada") -> Browser:
    browser = journey.browser()
    await browser.open(PAGE)
    await browser.log_in(user)
    assert "Connected apps" in browser.page.text
    return browser


async def end(browser: Browser, family_id: str, **headers: str) -> httpx2.Response:
    """Press the button of one login; the answer itself."""
    return await browser.http.post(PAGE, data=browser.form.values | {"end": family_id}, headers=headers or OURS)


async def test_a_person_sees_who_is_connected(start: Start, clock):
    """Name, host, mark, scopes in words, since when, and the last use."""
    desk = RegisteredClient(id="desk", name="Desk", redirect_uris=("https://desk.example/cb",))
    journey = start(name="Example", clients=(desk,))
    await journey.register(CALLBACK, client_name="Notes helper")
    tokens = await journey.login()
    clock.now += 86_400
    await journey.refresh(tokens.refresh_token)
    page = html.unescape((await at_page(journey)).page.text)
    for words in (
        "Notes helper",
        "unverified",
        "client.example",
        "Use Example as you",
        "15 January 2027, 08:00 UTC",
        "16 January 2027",
    ):
        assert words in page
    journey.client_id = "desk"
    code = await journey.code(client_id="desk", redirect_uri="https://desk.example/cb")
    await journey.exchange(code, redirect_uri="https://desk.example/cb")
    page = (await at_page(journey)).page.text
    assert len(Buttons(page).ends) == 2
    assert page.count("unverified") == 1


async def test_without_a_login_nothing_is_seen(journey: Journey):
    """The page asks for a name and a password; wrong ones keep the name."""
    await journey.login()
    browser = journey.browser()
    page = await browser.open(PAGE)
    assert "Sign in" in page.text
    assert "Test client" not in page.text
    page = await browser.log_in("ada", "wrong")
    assert (page.status_code, browser.form.values["username"]) == (422, "ada")
    assert 'role="alert"' in page.text
    assert "Test client" in (await browser.log_in()).text


async def test_ending_a_login_is_immediate_and_leaves_the_others(journey: Journey):
    """At the resource and at the token endpoint."""
    one, other = await journey.login(), await journey.login()
    browser = await at_page(journey)
    for token in (one, other):
        assert (await journey.call(token.access_token)).status_code == 200
    family = journey.server._issuers[0].tokens.verify_refresh(one.refresh_token).family_id
    answer = await end(browser, family)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PAGE}?ended=1")
    assert (await journey.call(one.access_token)).status_code == 401
    assert (await journey.call(other.access_token)).status_code == 200
    assert (await journey.refresh(one.refresh_token)).status_code == 400
    assert (await journey.refresh(other.refresh_token)).status_code == 200
    page = (await browser.open(answer.headers["location"])).text
    assert 'role="status"' in page
    assert len(Buttons(page).ends) == 1


async def test_a_login_of_somebody_else_cannot_be_ended(journey: Journey):
    """Its id is no secret, so it is no key."""
    journey.users.add("bob", PASSWORD, [])
    tokens = await journey.login()
    (hers,) = Buttons((await at_page(journey)).page.text).ends
    assert "No application is connected" in (await at_page(journey, "bob")).page.text
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request())
    await browser.log_in("bob")
    await journey.exchange((await browser.decide("allow"))["code"])
    bob = await at_page(journey, "bob")
    assert hers not in Buttons(bob.page.text).ends
    for family_id in (hers, "", "x", hers.upper()):
        assert (await end(bob, family_id)).status_code == 303
    assert (await journey.call(tokens.access_token)).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, 303),
        ({"origin": ISSUER}, 303),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"x-nothing": "1"}, 403),
    ],
)
async def test_the_form_needs_evidence_that_our_page_sent_it(journey: Journey, headers, status):
    """RFC 9700, section 4.7."""
    tokens = await journey.login()
    browser = await at_page(journey)
    (family_id,) = Buttons(browser.page.text).ends
    assert (await end(browser, family_id, **headers)).status_code == status
    assert (await journey.call(tokens.access_token)).status_code == (401 if status == 303 else 200)


async def test_a_form_of_another_visit_is_useless(journey: Journey):
    """A9: the page of one browser in another, no page at all, and the one from before the login."""
    tokens = await journey.login()
    ada, stranger = await at_page(journey), journey.browser()
    (family_id,) = Buttons(ada.page.text).ends
    await stranger.open(PAGE)
    for browser, visit in (
        (stranger, ada.form.values["visit"]),
        (ada, stranger.form.values["visit"]),
        (ada, ""),
        (journey.browser(), "x"),
    ):
        form = {"visit": visit, "end": family_id}
        answer = await browser.http.post(PAGE, data=form, headers=OURS)
        assert (answer.status_code, "location" in answer.headers) == (400, False)
    assert (await journey.call(tokens.access_token)).status_code == 200
    assert (await end(ada, family_id)).status_code == 303


async def test_what_was_known_before_the_login_opens_nothing_after_it(journey: Journey):
    """A15; OWASP, session fixation."""
    await journey.login()
    browser = journey.browser()
    await browser.open(PAGE)
    ((name, before),) = browser.http.cookies.items()
    visit = browser.form.values["visit"]
    await browser.log_in()
    assert browser.http.cookies[name] != before
    assert browser.form.values["visit"] != visit
    page = await journey.browser().http.get(PAGE, headers={"cookie": f"{name}={before}"})
    assert "Sign in" in page.text


async def test_a_visit_is_over_soon_and_when_the_user_is(journey: Journey, clock):
    """Ten minutes; at once for a user who is gone or signed out everywhere."""
    browser = await at_page(journey)
    clock.now += 599
    assert "Connected apps" in (await browser.open(PAGE)).text
    user, password = journey.users.passwords["ada"]
    journey.users.passwords["ada"] = (User("ada", user.data, signed_out_at=clock.now), password)
    assert "Sign in" in (await browser.open(PAGE)).text
    browser = await at_page(journey)
    journey.users.remove("ada")
    assert "Sign in" in (await browser.open(PAGE)).text
    journey.users.add("ada", PASSWORD, [])
    browser = await at_page(journey)
    clock.now += 600
    assert "Sign in" in (await browser.open(PAGE)).text


async def test_who_is_signed_out_in_the_second_of_the_login_is_out(journey: Journey, clock):
    """RFC 7519, section 2: times have fractions, and none is cut off; a login after it, in the same second, goes on."""
    clock.now += 0.25
    browser = await at_page(journey)
    clock.now += 0.25
    user, password = journey.users.passwords["ada"]
    journey.users.passwords["ada"] = (User("ada", user.data, signed_out_at=clock.now), password)
    assert "Sign in" in (await browser.open(PAGE)).text
    clock.now += 0.25
    browser = await at_page(journey)
    assert "Connected apps" in (await browser.open(PAGE)).text


async def test_the_page_is_protected_like_the_others(journey: Journey):
    """RFC 9700, section 4.16; a cookie that only this origin can set."""
    browser = journey.browser()
    page = await browser.open(PAGE)
    cookie = page.headers["set-cookie"]
    assert cookie.startswith("__Host-lazyoauth-visit=")
    for attribute in ("HttpOnly", "Secure", "Path=/", "SameSite=lax", "Max-Age=600"):
        assert attribute in cookie
    for answer in (page, await browser.log_in()):
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert "access-control-allow-origin" not in answer.headers
        assert "<script" not in answer.text
    assert "set-cookie" not in (await browser.open(PAGE)).headers


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202eedualC", "{{ 7777 * 7777 }}"]
)
async def test_what_strangers_write_stays_text(journey: Journey, name):
    """A13, through what the client called itself."""
    await journey.register(CALLBACK, client_name=name)
    await journey.login()
    page = (await at_page(journey)).page.text
    assert not re.search(r"<script|<img|\u202e|60481729", page)


async def test_a_password_in_the_address_is_no_login(journey: Journey):
    """A43."""
    browser = journey.browser()
    await browser.open(PAGE)
    page = await browser.http.get(PAGE, params=browser.form.values | {"username": "ada", "password": PASSWORD})
    assert "Sign in" in page.text


async def test_a_login_ends_in_the_other_process_too(start: Start, database_url):
    """Two servers on one database: the page of one shows and ends what began at the other."""
    engines = [create_async_engine(database_url) for _ in range(2)]
    async with SQLRefreshTokenStates(engines[0]) as states, SQLRefreshTokenStates(engines[1]) as others:
        one = start(refresh_token_states=states, connections=SQLConnections(engines[0]))
        other = start(refresh_token_states=others, connections=SQLConnections(engines[1]))
        tokens = await one.login()
        browser = await at_page(other)
        (family_id,) = Buttons(browser.page.text).ends
        await end(browser, family_id)
        # Asked for the first time here, so the answer is the store's.
        assert (await one.call(tokens.access_token)).status_code == 401
        assert (await one.refresh(tokens.refresh_token)).status_code == 400
    for engine in engines:
        await engine.dispose()
