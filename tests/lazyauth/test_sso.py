"""Single sign-on at a real OpenID provider, a process of its own, through a whole application."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from fastapi.testclient import TestClient

import lazyauth
from tests.lazyapp.sign_in_site import Seen, Site, cookie_of, sign_in
from tests.lazyapp.test_one_login import ask, send
from tests.lazyauth.openid_provider import CLIENT_ID, CLIENT_SECRET, running
from tests.lazyoauth.journey import make_users


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with running() as url:
        yield url


def user_of(claims: Mapping[str, Any]) -> lazyauth.User | None:
    return lazyauth.User("ada") if claims["email"] == "ada@corp.example" and claims["sub"] == "0042" else None


def site(folder: Path, issuer: str, *, passwords: bool = True, **options: Any) -> Site:
    given = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "user_of": user_of} | options
    users = make_users()
    sso = lazyauth.SSO(issuer=issuer, **given)
    return Site(folder, users, auth=lazyauth.Config(authenticator=users, sso=sso, passwords=passwords))


def travel(browser: TestClient, path: str = "/login/sso") -> str:
    """Leave for the provider and come back; the path and query of the callback."""
    leaving = browser.get(path)
    assert leaving.status_code == 302, leaving.text
    there = httpx2.get(leaving.headers["location"])
    assert there.status_code == 302, there.text
    assert there.headers["location"].startswith("http://testserver/login/callback?")
    return there.headers["location"].removeprefix("http://testserver")


def test_a_person_signs_in_at_the_provider_and_comes_back_to_where_they_were(provider: str, tmp_path: Path) -> None:
    """OpenID Connect Core 1.0, section 3.1; RFC 7636: the provider checks client, redirect URI and verifier."""
    with site(tmp_path, f"{provider}/good", label="Sign in at Corp").open() as browser:
        page = browser.get("/login?next=/notes/3")
        assert "Sign in at Corp" in page.text
        [button] = Seen(page.text).links
        back = browser.get(travel(browser, button))
        assert (back.status_code, back.headers["location"]) == (303, "/notes/3")
        assert browser.get("/notes/3").text == "note 3 of ada"


def test_the_login_page_of_an_ai_client_has_the_button_too(provider: str, tmp_path: Path) -> None:
    """Whoever comes back from the provider is asked for consent, even where the client had the person asked again."""
    with site(tmp_path, f"{provider}/good", label="Sign in at Corp").open() as browser:
        page = ask(browser, prompt="login")
        assert "Sign in at Corp" in page.text
        [button] = Seen(page.text).links
        back = browser.get(travel(browser, button))
        consent = browser.get(back.headers["location"], follow_redirects=True)
        assert urlsplit(str(consent.url)).path == "/oauth/consent"
        assert "<strong>ada</strong>" in consent.text
        assert "code" in parse_qs(urlsplit(send(browser, consent, decision="allow").headers["location"]).query)


def test_where_the_provider_is_the_only_way_no_page_asks_for_a_password(provider: str, tmp_path: Path) -> None:
    """OpenID Connect Core 1.0, section 3.1.2.3: it is the provider that authenticates the person."""
    with site(tmp_path, f"{provider}/good", passwords=False, label="Sign in at Corp").open() as browser:
        for page in (browser.get("/login?next=/notes/3"), ask(browser), browser.get("/oauth/connections")):
            assert page.status_code == 200
            seen = Seen(page.text)
            assert (seen.action, seen.values) == ("", {})
            [button] = seen.links
            assert ">Sign in at Corp</a>" in page.text
        back = browser.get(travel(browser, button))
        assert (back.status_code, back.headers["location"]) == (303, "/oauth/connections")
        assert browser.get("/notes/3").text == "note 3 of ada"


def test_where_the_provider_is_the_only_way_no_password_opens_the_pages(provider: str, tmp_path: Path) -> None:
    """The form that no page shows can still be sent."""
    with site(tmp_path, f"{provider}/good", passwords=False).open() as browser:
        assert sign_in(browser).status_code == 422
        assert browser.get("/notes").text == "nobody"


def test_nobody_can_be_left_without_a_way_in() -> None:
    with pytest.raises(ValueError, match="needs sso"):
        lazyauth.Config(authenticator=make_users(), passwords=False)


def test_a10_an_answer_counts_only_in_the_browser_that_asked(provider: str, tmp_path: Path) -> None:
    """Confused deputy, login CSRF: an attacker's own answer in a victim's browser signs nobody in, and it counts once."""
    app = site(tmp_path, f"{provider}/good")
    with app.open() as attacker:
        callback = travel(attacker)
        victim = app.another()
        answer = victim.get(callback)
        assert (answer.status_code, victim.get("/notes").text) == (403, "nobody")
        assert "begun in another browser" in answer.text
        victim.get("/login/sso")  # one of their own under way changes nothing
        assert (victim.get(callback).status_code, victim.get("/notes").text) == (403, "nobody")
        before = cookie_of(attacker)
        assert attacker.get(callback).status_code == 303
        assert attacker.get("/notes").text == "ada"
        # A15, and the same answer again in the browser as it was before: the provider knows the code no more.
        thief = app.another()
        thief.cookies.set("lazyapp", before)
        assert thief.get("/notes").text == "nobody"
        assert thief.get(callback).status_code == 403


@pytest.mark.parametrize(
    "wrong",
    [
        *("other-audience", "expired", "replayed", "other-issuer", "no-expiry", "other-key", "unsigned", "our-own-secret"),
        *("nobody", "garbage", "denied", "mixed-up"),
    ],
)
def test_what_cannot_be_believed_signs_nobody_in(
    provider: str, tmp_path: Path, wrong: str, caplog: pytest.LogCaptureFixture
) -> None:
    """OpenID Connect Core 1.0, section 3.1.3.7; RFC 9207, section 2.4. A page with advice, and never an error of ours."""
    caplog.set_level(logging.DEBUG, "lazyauth")
    with site(tmp_path, f"{provider}/{wrong}").open() as browser:
        callback = travel(browser, "/login/sso?next=/notes/3")
        answer = browser.get(callback)
        assert answer.status_code == 403
        assert 'role="alert"' in answer.text
        assert Seen(answer.text).links == ["/login/sso?next=%2Fnotes%2F3"]
        assert browser.get("/notes").text == "nobody"
    query = parse_qs(urlsplit(callback).query)
    assert not any(value in caplog.text for name in ("code", "state") for value in query.get(name, []))
    assert CLIENT_SECRET not in caplog.text


@pytest.mark.parametrize("issuer", ["{provider}/impostor", "http://127.0.0.1:9/nobody-listens"])
def test_a_provider_that_cannot_be_used_is_told_before_anybody_leaves(provider: str, tmp_path: Path, issuer: str) -> None:
    """OpenID Connect Discovery 1.0, section 4.3: the document must be the issuer's own."""
    with site(tmp_path, issuer.format(provider=provider)).open() as browser:
        for _ in range(2):
            answer = browser.get("/login/sso")
            assert answer.status_code == 502
            assert "cannot be reached at the moment" in answer.text


@pytest.mark.parametrize("user", [None, lazyauth.User("stranger")])
def test_who_is_unknown_here_does_not_come_in(provider: str, tmp_path: Path, user: lazyauth.User | None) -> None:
    """The application says who somebody is, and its authenticator must know them."""

    async def decide(claims: Mapping[str, Any]) -> lazyauth.User | None:
        return user

    with site(tmp_path, f"{provider}/good", user_of=decide).open() as browser:
        answer = browser.get(travel(browser))
        assert answer.status_code == 403
        assert "no account here" in answer.text
        assert browser.get("/notes").text == "nobody"


def test_without_a_provider_there_is_no_way_to_it(tmp_path: Path) -> None:
    with Site(tmp_path).open() as browser:
        assert browser.get("/login/sso").status_code == 404
        assert browser.get("/login/callback?code=x&state=y").status_code == 404


def test_a_provider_is_reached_by_https_and_its_secret_is_in_no_representation() -> None:
    given = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "user_of": user_of}
    with pytest.raises(ValueError, match="must be an https URL"):
        lazyauth.SSO(issuer="http://corp.example", **given)  # type: ignore[arg-type]
    assert CLIENT_SECRET not in repr(lazyauth.SSO(issuer="https://corp.example", **given))  # type: ignore[arg-type]
