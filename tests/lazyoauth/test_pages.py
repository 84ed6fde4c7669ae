"""The pages for people. RFC 6749, section 10; RFC 9700, sections 4.7, 4.11, 4.12 and 4.16."""

import html

import pytest

from lazyoauth import TEMPLATES, Limits, MemoryRefreshTokenStates
from lazyoauth.pages import MAX_PENDING
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, ISSUER, Browser, Journey, arriving

PAYLOADS = [
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'onfocus='alert(1)"),
    *("{{ 7777 * 7777 }}", "javascript:alert(1)"),
]
OURS = {"sec-fetch-site": "same-origin"}


async def at_login(journey: Journey, **changes: str | None) -> Browser:
    if not journey.client_id:
        await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(**changes))
    return browser


async def at_consent(journey: Journey, **changes: str | None) -> Browser:
    browser = await at_login(journey, **changes)
    await browser.log_in()
    return browser


async def test_a_wrong_password_keeps_what_was_typed(journey: Journey):
    """WCAG 2.2, 3.3.1 and 3.3.7: the error is announced, the name is there, the password is not."""
    browser = await at_login(journey)
    page = await browser.log_in("ada&co", "wrong")
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert browser.form.values["username"] == "ada&co"
    assert browser.form.values["password"] == ""
    assert "wrong<" not in page.text.replace("is wrong.<", "")
    page = await browser.log_in()
    assert "Allow access?" in page.text


async def test_all_that_is_wrong_looks_the_same(journey: Journey):
    """OWASP, authentication: an unknown name and a wrong password cannot be told apart."""
    browser = await at_login(journey)
    known, unknown = await browser.log_in("ada", "wrong"), await browser.log_in("nobody", "wrong")
    strip = [str(page.text).replace(browser_name, "X") for page, browser_name in ((known, '"ada"'), (unknown, '"nobody"'))]
    sealed = [text.partition('name="transaction" value="')[2].partition('"')[0] for text in strip]
    assert strip[0].replace(sealed[0], "") == strip[1].replace(sealed[1], "")
    assert known.status_code == unknown.status_code


async def test_the_login_page_can_be_used_by_everyone(journey: Journey):
    """WCAG 2.2, 1.3.5, 2.4.2, 3.1.1, 4.1.2."""
    page = (await at_login(journey)).page.text
    assert '<html lang="en">' in page
    assert "<title>Sign in" in page
    assert 'name="viewport"' in page
    for name, purpose in (("username", "username"), ("password", "current-password")):
        assert f'<label for="oauth-{name}">' in page
        assert f'autocomplete="{purpose}"' in page
    assert page.count(" autofocus") == 1


async def test_a_login_hint_fills_the_name(journey: Journey):
    """OpenID Connect Core, section 3.1.2.1; clients send it to OAuth servers too."""
    browser = await at_login(journey, login_hint='ada"><b>')
    assert browser.form.values["username"] == 'ada"><b>'
    assert "<b>" not in browser.page.text


async def test_a_page_from_another_browser_is_useless(journey: Journey):
    """https://github.com/malloydata/malloyyo/pull/97: neither the attacker's page in the victim's browser nor the reverse."""
    attacker, victim, stranger = await at_consent(journey), await at_consent(journey), journey.browser()
    for browser, page in ((victim, attacker), (attacker, victim), (stranger, victim)):
        answer = await browser.http.post("/oauth/consent", data=page.form.values | {"decision": "allow"}, headers=OURS)
        assert (answer.status_code, "location" in answer.headers) == (400, False)
    assert (await stranger.http.get("/oauth/consent", params=victim.form.values)).status_code == 400
    assert "code" in await victim.decide("allow")


async def test_consent_cannot_be_given_before_the_login(journey: Journey):
    """The login page's own transaction, sent to the consent page."""
    browser = await at_login(journey)
    form = {"transaction": browser.form.values["transaction"], "decision": "allow"}
    answer = await browser.http.post("/oauth/consent", data=form, headers=OURS)
    assert (answer.status_code, "location" in answer.headers) == (400, False)
    assert (await browser.http.get("/oauth/consent", params=form)).status_code == 400


async def test_the_cookie_before_the_login_is_dead_after_it(journey: Journey):
    """OWASP, session fixation."""
    browser = await at_login(journey)
    ((name, before),) = browser.http.cookies.items()
    await browser.log_in()
    assert browser.http.cookies[name] != before
    browser.http.cookies.set(name, before, domain="app.example")
    browser.http.cookies.clear()
    answer = await browser.http.post(
        "/oauth/consent", data=browser.form.values | {"decision": "allow"}, headers=OURS | {"cookie": f"{name}={before}"}
    )
    assert answer.status_code == 400


async def test_an_answer_counts_once(journey: Journey):
    """The same page sent again: no second code."""
    browser = await at_consent(journey)
    form = browser.form.values | {"decision": "allow"}
    assert (await browser.http.post("/oauth/consent", data=form, headers=OURS)).status_code == 303
    assert (await browser.http.post("/oauth/consent", data=form, headers=OURS)).status_code == 400
    assert len(journey.server.config.refresh_token_states) == 1


async def test_several_logins_can_be_under_way_in_one_browser(journey: Journey):
    """Two tabs, two clients, any order."""
    first = await at_login(journey, state="first")
    second = Browser(first.http)
    await second.open("/oauth/authorize", journey.request(state="second"))
    await second.log_in()
    await first.log_in()
    assert (await second.decide("deny"))["state"] == "second"
    assert (await first.decide("allow"))["state"] == "first"


async def test_pending_logins_do_not_fill_the_cookie_jar(journey: Journey):
    """Somebody opens a hundred; the oldest give way."""
    browser = await at_login(journey)
    for _ in range(MAX_PENDING + 5):
        await browser.open("/oauth/authorize", journey.request())
    assert len(browser.http.cookies) <= MAX_PENDING
    assert "Allow access?" in (await browser.log_in()).text


async def test_the_consent_page_says_who_asks_and_where_the_answer_goes(start: Start):
    """RFC 9700, section 4.11; https://github.com/get-engram/engram/issues/447: the host is what a name cannot fake."""
    journey = start(name="Example")
    await journey.register(CALLBACK, client_name="Notes helper", logo_uri="https://client.example/logo.png")
    page = html.unescape((await at_consent(journey)).page.text)
    assert '<p class="oauth-host">client.example</p>' in page
    assert "Notes helper" in page
    assert "unverified" in page
    assert "chose its name itself" in page
    assert "ada" in page
    assert "Use Example as you" in page
    assert "Stay connected for up to 180 days" in page
    assert "logo.png" not in page
    assert "<img" not in page


async def test_a_client_on_this_computer_comes_with_a_warning(journey: Journey):
    """RFC 8252, section 8.6: any program can listen there."""
    await journey.register("http://localhost/cb")
    page = (await at_consent(journey, redirect_uri="http://localhost:9999/cb")).page.text
    assert "Go on only if you have just started this connection yourself" in page
    assert '<p class="oauth-host">an application on this computer (localhost)</p>' in page


async def test_saying_no_is_an_answer(journey: Journey):
    """RFC 6749, section 4.1.2.1."""
    found = await (await at_consent(journey)).decide("deny")
    assert (found["error"], found["iss"], "code" in found) == ("access_denied", ISSUER, False)


@pytest.mark.parametrize("decision", ["", "yes", "ALLOW", "allow "])
async def test_what_is_no_clear_yes_is_a_no(journey: Journey, decision):
    """Enter in an empty field, or a script that guesses."""
    assert (await (await at_consent(journey)).decide(decision))["error"] == "access_denied"


async def test_consent_is_asked_every_time(journey: Journey):
    """https://github.com/neondatabase/mcp-server-neon/issues/66: a client that registered itself is never approved in silence."""
    browser = await at_consent(journey)
    await browser.decide("allow")
    await browser.open("/oauth/authorize", journey.request())
    assert 'name="password"' in browser.page.text
    await browser.log_in()
    assert "Allow access?" in browser.page.text


@pytest.mark.parametrize("payload", PAYLOADS)
async def test_what_strangers_write_stays_text(start: Start, payload):
    """OWASP, cross-site scripting, through every value that can reach a page."""
    journey = start(scopes=("mcp", "x<script>alert(1)</script>"))
    await journey.register(CALLBACK, client_name=payload, client_uri=payload)
    browser = await at_login(journey, state=payload, scope=None, login_hint=payload)
    pages = [browser.page, await browser.log_in(payload, payload), await browser.log_in()]
    pages.append(await journey.http.get("/oauth/authorize", params={"client_id": payload, "error_description": payload}))
    for page in pages:
        assert "<script" not in page.text
        assert "<img" not in page.text
        assert "onfocus='" not in page.text
        assert "href=" not in page.text.replace('href="data:,"', "").replace('href="/oauth/style.css"', "")
        assert str(7777 * 7777) not in page.text


@pytest.mark.parametrize("path", ["/oauth/login", "/oauth/consent"])
async def test_a_get_with_credentials_is_no_login(journey: Journey, path):
    """RFC 9700, section 4.3: nothing secret in a URL."""
    browser = await at_login(journey)
    form = browser.form.values | {"username": "ada", "password": "correct horse", "decision": "allow"}
    answer = await browser.http.get(path, params=form)
    assert answer.status_code in (400, 405)
    assert "location" not in answer.headers


async def test_redirects_after_a_form_are_303(journey: Journey):
    """RFC 9700, section 4.12: a 307 would send the password on to the client."""
    browser = await at_login(journey)
    form = browser.form.values | {"username": "ada", "password": "correct horse"}
    answer = await browser.http.post("/oauth/login", data=form, headers=OURS)
    assert answer.status_code == 303
    await browser.open(answer.headers["location"])
    assert (await browser.send({"decision": "allow"})).status_code == 303


async def test_who_guesses_too_often_is_told_to_wait(start: Start):
    """RFC 6585, section 4; on the page, with the name kept."""
    browser = await at_login(start(limits=Limits(login_failures="1/minute")))
    await browser.log_in(password="wrong")
    page = await browser.log_in(password="wrong")
    assert page.status_code == 429
    assert int(page.headers["retry-after"]) > 0
    assert "Too many wrong passwords, try again later." in page.text
    assert browser.form.values["username"] == "ada"


async def test_when_the_store_is_away_the_client_is_told(start: Start, clock):
    """RFC 6749, section 4.1.2.1: temporarily_unavailable, rather than a page without a way on."""

    class Away(MemoryRefreshTokenStates):
        async def create(self, *_: object) -> None:  # type: ignore[override]
            raise OSError("connection refused")

    browser = await at_consent(start(refresh_token_states=Away(clock)))
    found = await browser.decide("allow")
    assert (found["error"], found["state"]) == ("temporarily_unavailable", "st/ate=1&2")


async def test_a_page_left_open_says_what_to_do(journey: Journey):
    """Ten minutes later."""
    browser = await at_consent(journey)
    journey.clock.now += 600
    page = await browser.send({"decision": "allow"})
    assert page.status_code == 400
    assert "connect again" in page.text


async def test_an_application_brings_its_own_pages(start: Start):
    """Design, section 5: `render` makes the whole page, this package only says what is on it."""
    seen = []

    def render(view: str, variables) -> str:
        seen.append((view, variables))
        hidden = f"<input name=transaction value={variables.get('transaction', '')}>"
        return f"<form method=post action={variables.get('action', '')}>{hidden}</form>"

    journey = start(render=render, name="Shop")
    browser = await at_login(journey)
    await browser.log_in()
    assert arriving(await browser.send({"decision": "allow"}))["code"]
    await journey.http.get("/oauth/authorize")
    assert [view for view, _ in seen] == ["oauth/login", "oauth/consent", "oauth/error"]
    assert all(variables["app_name"] == "Shop" and variables["title"] for _, variables in seen)
    assert "/oauth/style.css" not in journey.server.routes
    assert {path.name for path in (TEMPLATES / "oauth").iterdir()} >= {"login.html.j2", "consent.html.j2", "error.html.j2"}


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("/oauth/authorize?client_id=x", "remove this connection and add it again"),
        ("/oauth/consent?transaction=x", "go back to the application and connect again"),
        ("/oauth/authorize?client_id=x&client_id=y", "tell its makers"),
    ],
)
async def test_an_error_page_says_what_to_do(journey: Journey, path, advice):
    """WCAG 2.2, 3.3.3: whoever can do something is told what."""
    page = await journey.http.get(path)
    assert page.status_code == 400
    assert "What to do" in page.text
    assert advice in page.text
