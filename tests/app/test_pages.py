import csv
import re

import pytest

import lazyauth
from app import PUBLIC, VIEWS
from init.app import app
from lazyview import Views
from tests.lazymcp.asgi_peer import Peer
from tests.lazymcp.listening import listening


@pytest.fixture
def browser(client):
    """Nobody is signed in; `client` is lazyapp's."""
    return client


@pytest.fixture
async def person(client):
    """The same, signed in."""
    await client.sign_in(lazyauth.User("ann"))
    return client


def rows(page):
    return re.findall(r"<tr><td>(.*?)</td>", page.text)


async def test_the_home_page_says_how_to_connect_and_what_there_is(browser):
    """issue 2, "The example app": a home page."""
    page = await browser.get("/")
    assert page.status == 200
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


@pytest.mark.parametrize(("is_shown", "said"), [(True, "the terminal shows"), (False, "sign in and allow")])
def test_only_who_develops_is_sent_to_the_terminal(is_shown, said):
    """issue 2, "The example app": in production the home page is read by visitors."""
    page = app.views.render("home/index", {"name": "example", "offers": [], "is_shown": is_shown})
    first = " ".join(page.partition("</section>")[0].split())
    assert said in first
    assert ("terminal" in page) is is_shown
    assert ("listed below" in page) is is_shown


async def test_the_sign_in_pages_wear_the_layout_without_its_navigation(browser):
    """RFC 9700, 4.16: who signs in has one thing to do; both pages have a transaction."""
    page = app.views.render("home/index", {"name": "x", "offers": [], "is_shown": False, "transaction": "sealed"}, layout="app")
    assert "<nav" not in page
    assert '<header class="site">' in page
    assert "<nav" in (await browser.get("/")).text


async def test_the_files_that_the_home_page_sends_a_newcomer_to_exist(browser):
    root = VIEWS.parents[1]
    files = re.findall(r"<code>((?:app|init)/[\w/.]+)</code>", (await browser.get("/")).text)
    assert len(files) >= 5
    assert [file for file in files if not (root / file).is_file()] == []


async def test_every_page_has_its_stylesheet(browser):
    for path in ("/", "/accounts", "/no-such-page"):
        for asset in re.findall(r'(?:href|src)="([^"]+\.(?:css|svg))"', (await browser.get(path)).text):
            assert (await browser.get(asset)).status == 200
    assert (await browser.get("/app.css")).response.content == (PUBLIC / "app.css").read_bytes()


async def test_the_accounts_can_be_filtered(browser):
    assert rows(await browser.get("/accounts")) == ["ada@example.com", "alan@example.com", "grace@example.com"]
    assert rows(await browser.get("/accounts?active=true")) == ["ada@example.com", "grace@example.com"]
    assert rows(await browser.get("/accounts?active=false")) == ["alan@example.com"]
    assert 'href="/accounts?active=false" aria-current="true"' in (await browser.get("/accounts?active=false")).text


async def test_who_is_signed_in_may_add_an_account_and_others_are_shown_the_way(browser):
    """docs/sign-in.md."""
    page = await browser.get("/accounts")
    assert ('href="/login?next=/accounts"' in page.text, "<form" in page.text, "Sign out" in page.text) == (True, False, False)
    page = await browser.post("/accounts", data={"email": "kay@example.com"})
    assert page.path.partition("?")[0] == "/login"
    assert "kay@example.com" not in rows(await browser.get("/accounts"))


async def test_every_page_leads_strangers_to_the_sign_in(browser):
    """docs/sign-in.md."""
    assert '<a href="/login">Sign in</a>' in (await browser.get("/")).text


async def test_every_page_leads_people_out(person):
    """docs/sign-in.md."""
    page = (await person.get("/")).text
    assert ('href="/login"' in page, "Sign out" in page) == (False, True)


async def test_an_account_can_be_added(person):
    page = await person.get("/accounts")
    page = await page.fill({"E-mail": " Kay@Example.com "}).press("Add account")
    assert page.redirects[0].status == 303
    page.see("kay@example.com added")
    assert "kay@example.com" in rows(page)
    (await person.get("/accounts")).see_not("added")


async def test_an_account_can_be_disabled_and_enabled(person):
    """docs/routes.md: member routes."""
    page = await (await person.get("/accounts")).press("Disable ada@example.com")
    assert page.redirects[0].status == 303
    page.see("ada@example.com is inactive now")
    assert rows(await person.get("/accounts?active=true")) == ["grace@example.com"]
    await page.press("Enable ada@example.com")
    assert rows(await person.get("/accounts?active=true")) == ["ada@example.com", "grace@example.com"]


@pytest.mark.parametrize("email", ["nobody%40example.com", "ada", "%00@x.y"])
async def test_an_account_that_is_not_there_cannot_be_disabled(person, email):
    """design 3: 404, and never a 500."""
    assert (await person.post(f"/accounts/{email}/disable")).status == 404


async def test_strangers_disable_nothing(browser):
    """docs/sign-in.md."""
    page = await browser.post("/accounts/ada%40example.com/disable")
    assert page.path.partition("?")[0] == "/login"
    assert "ada@example.com" in rows(await browser.get("/accounts?active=true"))


async def test_the_accounts_can_be_downloaded(browser):
    """docs/controllers.md: `send_data`."""
    page = await browser.get("/accounts/export")
    assert page.headers["content-disposition"] == 'attachment; filename="accounts.csv"'
    assert page.text.splitlines()[:2] == ["email,state", "ada@example.com,active"]


async def test_a_downloaded_address_is_no_formula(person):
    """OWASP, CSV Injection; RFC 4180, section 2: what has a comma or a quotation mark is quoted."""
    for email in ("=1+1|cmd@evil.example", 'a,"b@evil.example'):
        await person.post("/accounts", data={"email": email})
    rows = list(csv.reader((await person.get("/accounts/export")).text.splitlines()))
    assert ["'=1+1|cmd@evil.example", "active"] in rows
    assert ['a,"b@evil.example', "active"] in rows


async def test_ai_clients_that_watch_the_users_hear_of_an_added_account(person):
    """docs/subscriptions.md: a controller tells what changed."""
    users = {"resourceSubscriptions": ["app://admin/users"]}
    async with listening(Peer(app.mcp.asgi()), users) as ear:
        await ear.next()
        page = await person.get("/accounts")
        await page.fill({"E-mail": "kay@example.com"}).press("Add account")
        assert (await ear.next())["params"]["uri"] == "app://admin/users"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("ada", "Give an e-mail address, such as ada@example.com."),
        ("ADA@example.com", "There is already an account for ada@example.com."),
        ('"><script>alert(1)</script>', "Give an e-mail address"),
    ],
)
async def test_a_form_that_fails_keeps_what_was_typed_and_says_what_is_wrong(person, typed, said):
    """design 3: a form that fails renders the index view again with status 422, values kept and errors by field."""
    page = await person.get("/accounts")
    page = await page.fill({"E-mail": typed}).press("Add account")
    assert page.status == 422
    assert page.value("E-mail") == typed
    value = re.search(r'<input id="email"[^>]* value="(.*?)"', page.text)
    assert value is not None
    assert value[1] == typed.replace('"', "&#34;").replace("<", "&lt;").replace(">", "&gt;")
    assert re.search(r'id="email-error">(.*?)</p>', page.text)[1].startswith(said)
    assert "<script>alert" not in page.text
    assert "autofocus" not in page.text  # it would put the caret before what was typed
    assert len(rows(page)) == 3


async def test_an_unknown_page_wears_the_layout(browser):
    page = await browser.get("/no-such-page")
    assert page.status == 404
    assert '<p class="status">404</p>' in page.text
    assert '<header class="site">' in page.text


def test_every_template_of_the_application_compiles():
    assert Views([VIEWS]).compile() >= 5
