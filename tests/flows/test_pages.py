"""The pages as a person uses them, through the real server, on SQLite and on PostgreSQL."""

import pytest
from starlette.responses import HTMLResponse

from tests.flows.browser import Browser
from tests.flows.served import served
from tests.flows.serving import PASSWORD


@pytest.fixture
async def browser():
    async with Browser() as browser:
        yield browser


async def sign_in(page, browser):
    """From a page that says who may do more, by its own link, and back to it."""
    await browser.open(page.links["Sign in"])
    back = await browser.submit({"User name": "admin", "Password": PASSWORD}, press="Sign in")
    assert (back.status, back.url) == (200, page.url)
    return back


async def test_an_account_is_added_with_the_form(server, browser):
    """Issue 2, item 8."""
    home = await browser.open(server.url)
    assert home.status == 200
    page = await sign_in(await browser.open(home.links["Accounts"]), browser)
    assert "ada@example.org" not in page.text
    page = await browser.submit({"E-mail": "ada@example.org"}, press="Add account")
    assert (page.status, page.url) == (200, f"{server.url}/accounts"), "after a redirect, so that reload adds nothing"
    assert "ada@example.org added" in page.text
    again = await browser.open(page.url)
    assert "ada@example.org added" not in again.text, "said once"
    assert "ada@example.org" in again.text


async def test_a_form_that_fails_keeps_what_was_typed(server, browser):
    """Issue 2, "Bad input"."""
    await sign_in(await browser.open(f"{server.url}/accounts"), browser)
    page = await browser.submit({"E-mail": "nobody"})
    assert page.status == 422
    assert [form.values["email"] for form in page.forms if "email" in form.values] == ["nobody"]


async def test_a_form_on_another_site_is_refused(server, browser):
    """Design, section 3: unsafe methods come from our own pages."""
    form = f'<form method="post" action="{server.url}/accounts"><input name="email" value="mallory@example.org"></form>'
    await sign_in(await browser.open(f"{server.url}/accounts"), browser)
    async with served(HTMLResponse(form)) as elsewhere:
        await browser.open(elsewhere)
        page = await browser.submit()
    assert page.status == 403
    assert "mallory" not in (await browser.open(f"{server.url}/accounts")).text


async def test_a_person_signs_out_again(server, browser):
    """Issue 4, "App sessions"."""
    page = await sign_in(await browser.open(f"{server.url}/accounts"), browser)
    page = await browser.open(page.links["Sign out"])
    assert "AI clients that you connected stay connected" in page.text
    page = await browser.submit(press="Sign out")
    assert (page.status, page.url) == (200, f"{server.url}/login")
    assert "You are signed out." in page.text
    assert "Sign in" in (await browser.open(f"{server.url}/accounts")).links


async def test_the_pages_wear_their_stylesheet(server, browser):
    page = await browser.open(server.url)
    (href,) = page.stylesheets
    style = await browser.open(href)
    assert style.status == 200
    assert style.response.headers["content-type"].startswith("text/css")


async def test_a_page_that_does_not_exist_says_so(server, browser):
    page = await browser.open(f"{server.url}/nowhere")
    assert page.status == 404
    assert page.title
