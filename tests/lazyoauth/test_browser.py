"""The login of an application's own pages, as the authorization server uses it alone, without lazyapp."""

from collections.abc import MutableMapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from lazyauth import Credential, User
from lazyoauth import SignedIn
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import PASSWORD, Browser, Clock, Journey, PlainUsers


class Pages:
    """A `BrowserSession` whose cookie is the user's name; enough for a test, and for nothing else."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, float]] = []

    async def current(self, scope: MutableMapping[str, Any]) -> SignedIn | None:
        for name, value in scope["headers"]:
            if name == b"cookie" and b"pages=" in value:
                return SignedIn(value.partition(b"pages=")[2].partition(b";")[0].decode(), 1_700_000_000)
        return None

    def begin(self, scope: MutableMapping[str, Any], user_id: str, auth_time: float) -> Sequence[tuple[bytes, bytes]]:
        self.begun.append((user_id, auth_time))
        return [(b"set-cookie", f"pages={user_id}; Path=/; Secure; HttpOnly; SameSite=Lax".encode())]


@pytest.fixture
def journey(start: Start) -> Journey:
    return start(browser=Pages())


async def ask(journey: Journey, browser: Browser, **changes: str) -> httpx2.Response:
    """The page that the browser ends at."""
    await journey.register()
    page = await browser.open("/oauth/authorize", journey.request(**changes))
    return await browser.open(page.headers["location"]) if page.status_code == 303 else page


async def test_one_login_serves_both_ways(journey: Journey) -> None:
    """Issue 4, "App sessions". The second client asks for consent, and not for the password."""
    browser = journey.browser()
    await ask(journey, browser)
    assert browser.form.action == "/oauth/login"
    await browser.log_in()
    assert browser.http.cookies["pages"] == "ada"
    page = await ask(journey, browser)
    assert urlsplit(str(page.url)).path == "/oauth/consent"
    assert "code" in await browser.decide("allow")


async def test_a_login_that_failed_signs_nobody_in(journey: Journey) -> None:
    browser = journey.browser()
    await ask(journey, browser)
    await browser.log_in(password="wrong")
    assert "pages" not in browser.http.cookies


@pytest.mark.parametrize("path", ["/oauth/authorize", "/oauth/connections"])
async def test_the_pages_hear_when_the_password_was_checked(start: Start, clock: Clock, path: str) -> None:
    """OpenID Connect Core 1.0, section 2, `auth_time`. What comes between the password and the cookie takes time."""

    class Slow(PlainUsers):
        async def authenticate(self, credential: Credential) -> User:
            user = await super().authenticate(credential)
            clock.now += 3
            return user

    users, pages = Slow(), Pages()
    users.add("ada", PASSWORD, [])
    journey = start(browser=pages, authenticator=users)
    await journey.register()
    clock.now += 0.5
    asked_at = clock.now
    browser = journey.browser()
    await browser.open(path, journey.request() if path.endswith("authorize") else {})
    await browser.log_in()
    assert pages.begun == [("ada", asked_at)]


async def test_a_client_may_have_the_person_asked_again(journey: Journey) -> None:
    """OpenID Connect Core 1.0, section 3.1.2.1."""
    browser = journey.browser()
    browser.http.cookies.set("pages", "ada")
    for prompt in ("login", "select_account"):
        await ask(journey, browser, prompt=prompt)
        assert browser.form.action == "/oauth/login"
