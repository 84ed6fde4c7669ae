"""Pages, as a person with a browser meets them."""

from lazyapp.testing import Client
from tests.people import ANN


async def test_the_home_page_is_served(client: Client) -> None:
    page = await client.get("/")
    assert page.status == 200
    page.see("It runs.")


async def test_who_is_signed_in_adds_an_account(client: Client) -> None:
    page = await client.get("/accounts")
    page.see("Sign in to add an account.")

    await client.sign_in(ANN)
    page = await client.get("/accounts")
    page = await page.fill({"E-mail": "kay@example.com"}).press("Add account")
    page.see("kay@example.com added")


async def test_a_form_that_is_wrong_is_shown_again(client: Client) -> None:
    await client.sign_in(ANN)
    page = await client.get("/accounts")
    page = await page.fill({"E-mail": "kay"}).press("Add account")
    assert page.status == 422
    assert page.value("E-mail") == "kay"


async def test_a_page_that_is_not_there_leads_home(client: Client) -> None:
    page = await client.get("/nothing-here")
    assert page.status == 404
    page = await page.click("Back to the home page")
    assert page.path == "/"
