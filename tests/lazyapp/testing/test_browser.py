"""`lazyapp.testing.browser`: what a browser says, keeps and follows."""

from collections.abc import AsyncIterator

import pytest

from lazyapp.testing import Client, NotOnPage, Redirect
from lazyapp.testing import client as opened
from tests.lazyapp.testing.shop import shop

ORIGIN = "http://localhost:3000"


async def said(client: Client, method: str) -> dict[str, str]:
    headers: dict[str, str] = (await client.request(method, "/echo")).json()["headers"]
    return headers


async def test_a_typed_address_and_a_form_say_where_they_come_from(client: Client) -> None:
    """Fetch Metadata, section 2.3; Fetch, "append a request Origin header"."""
    typed = await said(client, "GET")
    assert (typed["sec-fetch-site"], "origin" in typed, "referer" in typed) == ("none", False, False)
    assert typed["accept"].startswith("text/html")
    sent = await said(client, "POST")
    assert (sent["sec-fetch-site"], sent["origin"]) == ("same-origin", ORIGIN)
    pressed = (await (await client.get("/page")).press("Find")).json()["headers"]
    assert (pressed["sec-fetch-site"], pressed["referer"]) == ("same-origin", f"{ORIGIN}/page")


async def test_redirects_are_followed_and_known(client: Client) -> None:
    page = await client.post("/buy", data={"a": "1"})
    assert page.path == "/me"
    assert page.redirects == (
        Redirect(f"{ORIGIN}/buy", 303, f"{ORIGIN}/hop"),
        Redirect(f"{ORIGIN}/hop", 302, f"{ORIGIN}/me"),
    )
    assert client.page is page
    stopped = await client.get("/hop", follow=False)
    assert (stopped.status, stopped.location) == (302, f"{ORIGIN}/me")


async def test_another_site_is_not_visited(client: Client) -> None:
    page = await client.get("/away")
    assert (page.status, page.location) == (302, "https://elsewhere.example/")
    with pytest.raises(NotOnPage, match="nothing is sent elsewhere"):
        await client.get("https://elsewhere.example/")


async def test_a_307_is_asked_again_with_what_was_sent(client: Client) -> None:
    """RFC 9110, section 15.4.8."""
    again = (await client.post("/again", data={"a": "1"})).json()
    assert (again["method"], again["form"]) == ("POST", [["a", "1"]])
    assert again["headers"]["origin"] == ORIGIN


async def test_a_circle_of_redirects_is_named(client: Client) -> None:
    with pytest.raises(AssertionError, match="http://localhost:3000/round redirects without end"):
        await client.get("/round")


async def test_cookies_are_kept_by_each_browser_for_itself(client: Client) -> None:
    await client.post("/buy", data={"a": "1"})
    assert client.session == {"bought": {"a": "1"}}
    (await client.get("/me")).see("{'a': '1'}")
    (await client.browser().get("/me")).see("nobody bought None")


async def test_json_is_sent_and_asked_for(client: Client) -> None:
    refused = await client.post("/missing", json={"a": 1})
    assert (refused.status, refused.headers["content-type"]) == (404, "application/problem+json")
    for method in (client.put, client.patch, client.delete):
        assert (await method("/echo")).json()["method"] == method.__name__.upper()
    assert (await client.get("/echo", params={"q": "x"}, headers={"accept": "a/b"})).json()["headers"]["accept"] == "a/b"


async def test_before_anything_is_asked_for_there_is_no_page(client: Client) -> None:
    with pytest.raises(NotOnPage, match="no page is open"):
        _ = client.page


async def test_what_fails_in_an_action_is_raised(client: Client) -> None:
    with pytest.raises(ZeroDivisionError, match="nothing to divide by"):
        await client.get("/broken")


@pytest.fixture
async def visitor() -> AsyncIterator[Client]:
    async with opened(shop(), raise_errors=False) as client:
        yield client


async def test_or_answered_as_a_visitor_sees_it(visitor: Client) -> None:
    page = await visitor.get("/broken")
    assert page.status == 500
    page.see_not("nobody")
