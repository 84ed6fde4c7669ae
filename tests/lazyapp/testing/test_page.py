"""`lazyapp.testing.page`: what a test asks of a page."""

import pytest

from lazyapp.testing import Client, NotOnPage


async def test_a_page_says_what_it_is(client: Client) -> None:
    page = await client.get("/page")
    assert (page.status, page.path, page.title, page.redirects, page.location) == (200, "/page", "A shop", (), "")
    assert page.words.startswith("My things Elsewhere End Goods & more Buy E-mail *")
    assert "<h1>Goods &amp; more</h1>" in page.text
    assert page.links["Elsewhere"] == "https://elsewhere.example/"
    assert page.headers["content-type"] == "text/html; charset=utf-8"


async def test_seeing_is_asserting_and_can_go_on(client: Client) -> None:
    page = await client.get("/page")
    assert page.see("Goods & more", "The   end").see_not("unseen", "secret") is page
    with pytest.raises(NotOnPage, match=r"Page\(200 http://localhost:3000/page\) does not say 'Sold out'; it says: My things"):
        page.see("Sold out")
    with pytest.raises(NotOnPage, match="says 'The end'"):
        page.see_not("The end")


async def test_what_is_no_html_is_read_as_it_is(client: Client) -> None:
    (await client.get("/ticks")).see("one two")
    assert (await client.get("/season")).json() == {"season": "winter"}
    with pytest.raises(AssertionError, match=r"is no JSON but text/plain; charset=utf-8: one two"):
        (await client.get("/ticks")).json()


async def test_a_form_is_filled_and_sent_from_its_page(client: Client) -> None:
    """docs/testing.md, "Pages"."""
    page = await client.get("/page")
    assert page.fill({"Email": "a@b.c"}).value("E-mail") == "a@b.c"
    done = await page.press("Buy")
    done.see("bought {'token': 't1', 'email': 'a@b.c'}")
    found = (await page.press(form=page.form("Find"))).json()
    assert found["query"] == [["q", "shoes"], ["go", "1"]]


async def test_a_link_is_followed_by_its_text(client: Client) -> None:
    page = await client.get("/page")
    assert (await page.click("my things")).path == "/me"
    assert (await page.click("end")) is page  # its own fragment
    with pytest.raises(NotOnPage, match="no links called 'Help'; its links are 'My things', 'Elsewhere', 'End'"):
        await page.click("Help")
    with pytest.raises(NotOnPage, match="2 links called 's'"):
        await page.click("s")
    with pytest.raises(NotOnPage, match=r"https://elsewhere\.example/ is not an address of this application"):
        await page.click("Elsewhere")


async def test_what_is_not_on_the_page_is_answered_with_what_is(client: Client) -> None:
    page = await client.get("/page")
    with pytest.raises(NotOnPage, match=r"has no forms called 'Sell'; there are Form\('Buy', .*Form\('Find'"):
        page.form("Sell")
    with pytest.raises(NotOnPage, match="has 2 forms; there are"):
        page.form()
    with pytest.raises(NotOnPage, match=r"has no forms with the fields 'Name'; there are Form\('Buy', fields="):
        page.fill({"Name": "x"})
    with pytest.raises(NotOnPage, match="has no forms with a button 'Sell'; its buttons are 'Buy now', 'Find'"):
        await page.press("Sell")
    with pytest.raises(NotOnPage, match="has 2 forms with a button ''"):
        await page.press()
