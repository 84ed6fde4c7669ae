import re

import httpx2
import pytest
from fastapi.testclient import TestClient

from app import PUBLIC, VIEWS
from init.app import app
from lazyview import Views
from tests.lazymcp.asgi_peer import Peer
from tests.lazymcp.listening import listening

FROM_OUR_PAGE = {"sec-fetch-site": "same-origin"}


PASSWORD = "a-password-for-tests"


@pytest.fixture
def browser(sqlite_url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("LAZYAUTH_DEFAULT_PASS", PASSWORD)
    with TestClient(app, base_url="http://localhost:3000") as browser:
        yield browser


@pytest.fixture
def person(browser):
    """The same, signed in."""
    page = browser.post("/login", data={"username": "admin", "password": PASSWORD, "next": "/accounts"}, headers=FROM_OUR_PAGE)
    assert page.url.path == "/accounts"
    return browser


def rows(page):
    return re.findall(r"<tr><td>(.*?)</td>", page.text)


def test_the_home_page_says_how_to_connect_and_what_there_is(browser):
    """issue 2, "The example app": a home page."""
    page = browser.get("/")
    assert page.status_code == 200
    assert "claude mcp add --transport http example http://localhost:3000/mcp" in page.text
    for name in (
        "admin.user_count",
        "admin.user_report",
        "app://admin/users",
        "admin.audit",
        "skill://admin/oncall",
        "ui://admin/dashboard",
    ):
        assert f"<code>{name}</code>" in page.text


@pytest.mark.parametrize(("is_shown", "said"), [(True, "the terminal shows"), (False, "sign in,")])
def test_only_who_develops_is_sent_to_the_terminal(browser, is_shown, said):
    """issue 2, "The example app": in production the home page is read by visitors."""
    page = app.views.render("home/index", {"name": "example", "offers": [], "is_shown": is_shown})
    first = " ".join(page.partition("</section>")[0].split())
    assert said in first
    assert ("terminal" in page) is is_shown
    assert ("listed below" in page) is is_shown


def test_the_sign_in_pages_wear_the_layout_without_its_navigation(browser):
    """RFC 9700, 4.16: who signs in has one thing to do; both pages have a transaction."""
    page = app.views.render("home/index", {"name": "x", "offers": [], "is_shown": False, "transaction": "sealed"}, layout="app")
    assert "<nav" not in page
    assert '<header class="site">' in page
    assert "<nav" in browser.get("/").text


def test_the_files_that_the_home_page_sends_a_newcomer_to_exist(browser):
    root = VIEWS.parents[1]
    files = re.findall(r"<code>((?:app|init)/[\w/.]+)</code>", browser.get("/").text)
    assert len(files) >= 5
    assert [file for file in files if not (root / file).is_file()] == []


def test_every_page_has_its_stylesheet(browser):
    for path in ("/", "/accounts", "/no-such-page"):
        for asset in re.findall(r'(?:href|src)="([^"]+\.(?:css|svg))"', browser.get(path).text):
            assert browser.get(asset).status_code == 200
    assert browser.get("/app.css").content == (PUBLIC / "app.css").read_bytes()


def test_the_accounts_can_be_filtered(browser):
    assert rows(browser.get("/accounts")) == ["ada@example.com", "alan@example.com", "grace@example.com"]
    assert rows(browser.get("/accounts?active=true")) == ["ada@example.com", "grace@example.com"]
    assert rows(browser.get("/accounts?active=false")) == ["alan@example.com"]
    assert 'href="/accounts?active=false" aria-current="true"' in browser.get("/accounts?active=false").text


def test_who_is_signed_in_may_add_an_account_and_others_are_shown_the_way(browser):
    """docs/sign-in.md."""
    page = browser.get("/accounts")
    assert ('href="/login?next=/accounts"' in page.text, "<form" in page.text, "Sign out" in page.text) == (True, False, False)
    page = browser.post("/accounts", data={"email": "kay@example.com"}, headers={**FROM_OUR_PAGE, "accept": "text/html"})
    assert page.url.path == "/login"
    assert "kay@example.com" not in rows(browser.get("/accounts"))


def test_every_page_leads_strangers_to_the_sign_in(browser):
    """docs/sign-in.md."""
    assert '<a href="/login">Sign in</a>' in browser.get("/").text


def test_every_page_leads_people_out(person):
    """docs/sign-in.md."""
    page = person.get("/").text
    assert ('href="/login"' in page, "Sign out" in page) == (False, True)


def test_an_account_can_be_added(person):
    browser = person
    assert "Sign out" in browser.get("/accounts").text
    page = browser.post("/accounts", data={"email": " Kay@Example.com "}, headers=FROM_OUR_PAGE)
    assert page.history[0].status_code == 303
    assert "kay@example.com added" in page.text
    assert "kay@example.com" in rows(page)
    assert "added" not in browser.get("/accounts").text


def test_an_account_can_be_disabled_and_enabled(person):
    """docs/routes.md: member routes."""
    assert 'action="/accounts/ada%40example.com/disable"' in person.get("/accounts").text
    page = person.post("/accounts/ada%40example.com/disable", headers=FROM_OUR_PAGE)
    assert page.history[0].status_code == 303
    assert "ada@example.com is inactive now" in page.text
    assert rows(person.get("/accounts?active=true")) == ["grace@example.com"]
    person.post("/accounts/ada%40example.com/enable", headers=FROM_OUR_PAGE)
    assert rows(person.get("/accounts?active=true")) == ["ada@example.com", "grace@example.com"]


@pytest.mark.parametrize("email", ["nobody%40example.com", "ada", "%00@x.y"])
def test_an_account_that_is_not_there_cannot_be_disabled(person, email):
    """design 3: 404, and never a 500."""
    assert person.post(f"/accounts/{email}/disable", headers=FROM_OUR_PAGE).status_code == 404


def test_strangers_disable_nothing(browser):
    """docs/sign-in.md."""
    page = browser.post("/accounts/ada%40example.com/disable", headers={**FROM_OUR_PAGE, "accept": "text/html"})
    assert page.url.path == "/login"
    assert "ada@example.com" in rows(browser.get("/accounts?active=true"))


def test_the_accounts_can_be_downloaded(browser):
    """docs/controllers.md: `send_data`."""
    page = browser.get("/accounts/export")
    assert page.headers["content-disposition"] == 'attachment; filename="accounts.csv"'
    assert page.text.splitlines()[:2] == ["email,state", "ada@example.com,active"]


async def test_ai_clients_that_watch_the_users_hear_of_an_added_account(sqlite_url, monkeypatch):
    """docs/subscriptions.md: a controller tells what changed."""
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("LAZYAUTH_DEFAULT_PASS", PASSWORD)
    pages = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost:3000")
    users = {"resourceSubscriptions": ["app://admin/users"]}
    async with app.router.lifespan_context(app), pages as browser, listening(Peer(app.mcp.asgi()), users) as ear:
        await ear.next()
        await browser.post("/login", data={"username": "admin", "password": PASSWORD}, headers=FROM_OUR_PAGE)
        added = await browser.post("/accounts", data={"email": "kay@example.com"}, headers=FROM_OUR_PAGE)
        assert added.status_code == 303
        assert (await ear.next())["params"]["uri"] == "app://admin/users"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("ada", "Give an e-mail address, such as ada@example.com."),
        ("ADA@example.com", "There is already an account for ada@example.com."),
        ('"><script>alert(1)</script>', "Give an e-mail address"),
    ],
)
def test_a_form_that_fails_keeps_what_was_typed_and_says_what_is_wrong(person, typed, said):
    """design 3: a form that fails renders the index view again with status 422, values kept and errors by field."""
    browser = person
    page = browser.post("/accounts", data={"email": typed}, headers=FROM_OUR_PAGE)
    assert page.status_code == 422
    value = re.search(r'<input id="email"[^>]* value="(.*?)"', page.text)
    assert value is not None
    assert value[1] == typed.replace('"', "&#34;").replace("<", "&lt;").replace(">", "&gt;")
    assert re.search(r'id="email-error">(.*?)</p>', page.text)[1].startswith(said)
    assert "<script>alert" not in page.text
    assert "autofocus" not in page.text  # it would put the caret before what was typed
    assert len(rows(page)) == 3


def test_an_unknown_page_wears_the_layout(browser):
    page = browser.get("/no-such-page", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert '<p class="status">404</p>' in page.text
    assert '<header class="site">' in page.text


def test_every_template_of_the_application_compiles():
    assert Views([VIEWS]).compile() >= 5
