"""A8 to A15, A39, A43 and A47: the pages that people see."""

from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import jinja2
import pytest
from starlette.responses import RedirectResponse

from lazyoauth import answers, client_metadata, consent, http, pages, transactions
from lazyoauth.transactions import Transactions
from tests.attacks.harness import attack, nothing, replaced, yes
from tests.lazyoauth.journey import PASSWORD

CREDENTIALS = {"username": "ada", "password": PASSWORD}
HERE = {"sec-fetch-site": "same-origin", "origin": "null"}
CROSS_SITE: dict[str, Mapping[str, str]] = {
    "cross-site": {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
    "same-site": {"sec-fetch-site": "same-site", "origin": "https://sub.app.example"},
    "opaque origin": {"origin": "null"},
    "foreign origin": {"origin": "https://evil.example"},
    "our name within theirs": {"origin": "https://app.example.evil.example"},
    "our name over http": {"origin": "http://app.example"},
    "referer only": {"referer": "https://app.example/oauth/login"},
    "nothing": {},
    "repeated": {"sec-fetch-site": "same-origin, cross-site"},
}
begin_login = Transactions.sign_in


async def opened(journey):
    """A browser in front of a login page."""
    if not journey.client_id:
        await journey.register()
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request())
    return browser


@attack(same_origin=replaced(pages, "require_same_origin", nothing))
async def test_a08_a_login_form_is_sent_from_another_site(start):
    """RFC 9700, section 4.7; Fetch Metadata: only a page of this very origin may send it."""
    journey = start()
    through = []
    for name, headers in CROSS_SITE.items():
        browser = await opened(journey)
        answer = await browser.http.post("/oauth/login", data=browser.form.values | CREDENTIALS, headers=headers)
        through += [name] * (answer.status_code == 303)
    return through


@attack(the_cookie_of_the_page=replaced(transactions.hmac, "compare_digest", yes))
async def test_a08_a_login_form_is_sent_by_a_browser_that_did_not_open_it(start):
    """The sealed transaction of the page is worth nothing without the cookie of the same page."""
    journey = start()
    attacker, victim = await opened(journey), journey.browser()
    answer = await victim.http.post("/oauth/login", data=attacker.form.values | CREDENTIALS, headers=HERE)
    return ["logged in"] * (answer.status_code == 303)


@attack(same_origin=replaced(pages, "require_same_origin", nothing))
async def test_a09_a_consent_is_given_from_another_site(start):
    """https://github.com/ory/hydra/pull/770."""
    journey = start()
    through = []
    for name, headers in CROSS_SITE.items():
        browser = await opened(journey)
        await browser.log_in()
        answer = await browser.http.post("/oauth/consent", data=browser.form.values | {"decision": "allow"}, headers=headers)
        through += [name] * (answer.status_code == 303)
    return through


@attack(the_cookie_of_the_page=replaced(transactions.hmac, "compare_digest", yes))
async def test_a09_the_transaction_of_one_browser_is_answered_in_another(start):
    """https://github.com/malloydata/malloyyo/pull/97: either way round, before and after the password."""
    journey = start()
    journey.users.add("eve", "evil password", [])
    attacker, victim = await opened(journey), await opened(journey)
    await attacker.log_in("eve", "evil password")
    await victim.log_in()
    through = []
    for name, browser, page in (("hers in his", victim, attacker), ("his in hers", attacker, victim)):
        data = page.form.values | {"decision": "allow"}
        answer = await browser.http.post("/oauth/consent", data=data, headers=HERE)
        through += [name] * ("code=" in answer.headers.get("location", ""))
    return through


def take_out_cleaning(patch: pytest.MonkeyPatch) -> None:
    """Both of them: what is registered is cleaned, and what is shown, for names come from documents and settings too."""
    patch.setattr(client_metadata, "clean", str)
    patch.setattr(consent, "clean", str)


@attack(names_are_cleaned=take_out_cleaning)
async def test_a12_a_client_hides_who_it_is_behind_its_name(start):
    """The host of the redirect stands on the page, the name is cut and cleaned, and nobody vouches for it."""
    journey = start()
    through = []
    for name in (
        "Claude\u202egnp.exe",
        "Claude\u0000",
        "Claude\n\n\nverified by",
        "Claude\u200b" * 3,
        "x" * 500,
        "\u2066Claude\u2069",
    ):
        await journey.register("https://evil.example/callback", client_name=name)
        browser = journey.browser()
        await browser.open("/oauth/authorize", journey.request(redirect_uri="https://evil.example/callback"))
        await browser.log_in()
        text = browser.page.text
        assert "evil.example" in text
        assert "<img" not in text, "no logo is loaded from anywhere"
        hidden = [character for character in text if character in "\u202e\u0000\u200b\u2066\u2069"]
        through += [repr(name)] * (bool(hidden) or "x" * 100 in text or "\n\n\nverified" in text)
    return through


@attack(brands=replaced(consent, "borrowed", lambda *_: ""))
async def test_a12_a_client_calls_itself_by_a_name_that_people_trust(start):
    """https://github.com/engram-app/Engram/issues/1208: the page says that the answer goes to somebody else."""
    journey = start()
    through = []
    for name in ("Claude", "ChatGPT", "Visual Studio Code", "Cl\u0430ude", "CLAUDE desktop"):
        await journey.register("https://evil.example/callback", client_name="Somebody")
        plain = await shown(journey)
        await journey.register("https://evil.example/callback", client_name=name)
        named = (await shown(journey)).replace(name, "Somebody")
        # Besides the name itself there is a sentence more.
        through += [name] * (len(named) - len(plain) < 40)
    return through


async def shown(journey):
    """The text of the consent page."""
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(redirect_uri="https://evil.example/callback"))
    await browser.log_in()
    return browser.page.text.replace(browser.form.values["transaction"], "")


async def always(*_):
    return True


@attack(asked_every_time=replaced(pages, "is_remembered", always))
async def test_a11_a_client_that_registered_itself_is_approved_in_silence(start):
    """https://github.com/neondatabase/mcp-server-neon/issues/66: the same person, browser, client and scope, and asked again."""
    journey = start()
    browser = journey.browser()
    through = []
    for uri in ("https://client.example/callback", "http://localhost:3000/callback"):
        await journey.register(uri)
        for time in ("first", "second"):
            await browser.open("/oauth/authorize", journey.request(redirect_uri=uri))
            answer = await browser.log_in()
            if "code=" in answer.headers.get("location", ""):
                through.append(f"{time} {uri}")
                continue
            assert "code" in await browser.decide("allow")
    return through


PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "<a href=javascript:alert(1)>click</a>",
    "{{ 7 * 191 }}<b>",
    "</title><script>alert(1)</script>",
    "\u003cscript\u003ealert(1)\u003c/script\u003e",
)


class Active(HTMLParser):
    """Everything on a page that would run, or lead to something that does."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "svg", "iframe", "object", "b"):
            self.found.append(tag)
        leads = ("javascript:", "data:text", "vbscript:")
        self.found += [name for name, value in attrs if name.startswith("on") or (value or "").strip().lower().startswith(leads)]


def active(page):
    reader = Active()
    reader.feed(page.text)
    return reader.found + ["template"] * ("1337" in page.text)


class Unescaped(jinja2.Environment):
    """Jinja as it comes."""

    def __init__(self, **options) -> None:
        super().__init__(**options | {"autoescape": False})


@attack(escaping=replaced(jinja2, "Environment", Unescaped))
async def test_a13_markup_comes_in_by_what_a_client_says(start):
    """OWASP, cross-site scripting: in the name, the scope, the state, the login hint, the user name, and errors."""
    journey = start(scopes=("mcp", "admin"))
    through = []
    for payload in PAYLOADS:
        await journey.register(client_name=payload, client_uri="javascript:alert(1)")
        browser = journey.browser()
        seen = [await browser.open("/oauth/authorize", journey.request(scope=payload, state=payload, login_hint=payload))]
        seen.append(await browser.log_in(payload, "wrong"))
        seen.append(await browser.log_in())
        seen.append(await browser.open("/oauth/authorize", journey.request(client_id=payload, redirect_uri=payload)))
        seen.append(await browser.open("/oauth/consent", {"transaction": payload}))
        assert [page.status_code for page in seen] == [200, 422, 200, 400, 400]
        through += [f"{number}: {found}" for number, page in enumerate(seen) for found in active(page)]
        for page in seen:
            assert "script-src" not in page.headers["content-security-policy"]
            assert "default-src 'none'" in page.headers["content-security-policy"]
    return through


async def every_page(journey):
    """Each answer of a login that a browser shows or follows, by name; the last redirect is that of the code."""
    browser = await opened(journey)
    found = {"login": browser.page}
    found["wrong password"] = await browser.log_in("ada", "wrong")
    found["after the password"] = await browser.http.post("/oauth/login", data=browser.form.values | CREDENTIALS, headers=HERE)
    found["consent"] = await browser.open(found["after the password"].headers["location"])
    found["error"] = await journey.http.get("/oauth/authorize")
    found["refused form"] = await journey.http.post("/oauth/login", data={})
    found["the code"] = await browser.http.post("/oauth/consent", data=browser.form.values | {"decision": "allow"}, headers=HERE)
    assert "code=" in found["the code"].headers["location"]
    return found


@attack(headers=replaced(answers, "HEADERS", dict(http.NO_STORE)))
async def test_a14_a_page_is_shown_in_a_frame(start):
    """RFC 9700, section 4.16."""
    seen = await every_page(start())
    return [
        name
        for name, answer in seen.items()
        if "frame-ancestors 'none'" not in answer.headers.get("content-security-policy", "")
        or answer.headers.get("x-frame-options") != "DENY"
    ]


def sign_in_without_a_new_secret(self, transaction, *who):
    signed, secret = begin_login(self, transaction, *who)
    return replace(signed, browser=transaction.browser), secret


@attack(new_secret_at_login=replaced(Transactions, "sign_in", sign_in_without_a_new_secret))
async def test_a15_what_was_known_before_the_login_is_used_after_it(start):
    """OWASP, session fixation: the cookie that an attacker put there opens nothing once the victim has signed in."""
    journey = start()
    browser = await opened(journey)
    fixed = dict(browser.http.cookies)
    answer = await browser.http.post("/oauth/login", data=browser.form.values | CREDENTIALS, headers=HERE)
    (sealed,) = parse_qs(urlsplit(answer.headers["location"]).query)["transaction"]
    attacker = journey.browser()
    attacker.http.cookies.update(fixed)
    given = await attacker.http.post("/oauth/consent", data={"transaction": sealed, "decision": "allow"}, headers=HERE)
    return ["consent"] * ("code=" in given.headers.get("location", ""))


def redirect_307(url):
    return RedirectResponse(url, status_code=307, headers=answers.HEADERS)


@attack(see_other=replaced(pages, "redirect", redirect_307))
async def test_a39_a_password_is_carried_on_by_a_redirect(start):
    """RFC 9700, section 4.12: 303 after a form, so that the browser does not send it again elsewhere."""
    seen = await every_page(start())
    return [name for name, answer in seen.items() if "location" in answer.headers and answer.status_code != 303]


def any_method(handler, choose, methods, **options):
    return http_endpoint(handler, choose, ["GET", "POST"], **options)


http_endpoint = http.endpoint


def take_out_methods(patch: pytest.MonkeyPatch) -> None:
    async def read_both(request):
        return pages.read_query(request) if request.method == "GET" else await http.read_form(request)

    patch.setattr(http, "endpoint", any_method)
    patch.setattr(pages, "read_form", read_both)
    patch.setattr(pages, "require_same_origin", nothing)


@attack(post_only=take_out_methods)
async def test_a43_a_password_travels_in_an_address(start):
    """RFC 9110, section 9.2.1: a login is no safe method; where it was a GET, the password would stand in every log."""
    journey = start()
    browser = await opened(journey)
    answer = await browser.http.get("/oauth/login", params=browser.form.values | CREDENTIALS)
    return ["login by GET"] * (answer.status_code == 303)


async def test_a43_an_authorization_request_may_be_posted(start):
    """RFC 6749, section 3.1: GET and POST lead to the same page."""
    journey = start()
    await journey.register()
    posted = await journey.http.post("/oauth/authorize", data=journey.request())
    assert posted.status_code == 200
    assert 'name="password"' in posted.text


@attack(host_prefix=replaced(Transactions, "cookie_prefix", property(lambda _: "lazyoauth_")))
async def test_a47_a_sub_domain_puts_its_own_cookie_in_the_way(start):
    """RFC 6265bis, section 4.1.3.2: what another host sets cannot have the name that is read."""
    journey = start()
    attacker, victim = await opened(journey), journey.browser()
    for name, value in attacker.http.cookies.items():
        # The browser lets no other host set a cookie of this prefix.
        victim.http.cookies.set(name.removeprefix("__Host-"), value)
    answer = await victim.http.post("/oauth/login", data=attacker.form.values | CREDENTIALS, headers=HERE)
    return ["logged in to the attacker's transaction"] * (answer.status_code == 303)
