"""Signing in to the pages and out again, seen by a browser."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import lazyapp
import lazyauth
from lazyapp.routes import Routes
from lazyapp.sign_in import SignInController, draw, own_path
from tests.lazyapp.sign_in_site import NotesController, Seen, Site, cookie_of, sign_in
from tests.lazyoauth.journey import PASSWORD, PlainUsers

ELSEWHERE = (
    *("//evil.example", "/\\evil.example", "https://evil.example/", "javascript:alert(1)", "/\t/evil.example", "\\\\evil.example"),
    *(
        "/%0d\r\nset-cookie: a=b",
        " /notes",
        "evil.example",
        "",
        "/login",
        "/login?next=/login",
        "/logout",
        "/login/",
        "/" + "a" * 2000,
    ),
)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def browser(site: Site) -> Iterator[TestClient]:
    with site.open() as browser:
        yield browser


def test_a_person_signs_in_and_everything_that_runs_for_them_knows(browser: TestClient) -> None:
    """Issue 4, "App sessions": `current_user` in controllers and views, `lazyauth.current_user()` inside actions."""
    assert browser.get("/notes").text == "nobody"
    assert sign_in(browser).status_code == 303
    assert browser.get("/notes").text == "ada"
    assert browser.get("/api/me").json() == "ada"
    assert "<nav>ada</nav>" in browser.get("/logout").text


def test_the_form_is_a_page_of_the_application_and_keeps_where_to_go(browser: TestClient) -> None:
    page = browser.get("/login?next=/notes/3?tab=a")
    seen = Seen(page.text)
    assert "<title>Sign in</title>" in page.text
    assert (seen.action, seen.values["next"]) == ("/login", "/notes/3?tab=a")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"  # the form's Origin is said
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


def test_a_wrong_password_shows_the_form_again_without_the_password(browser: TestClient) -> None:
    """OWASP: one sentence for every kind of wrong."""
    pages = [sign_in(browser, user, "wrong password", after="/notes/3") for user in ("ada", "nobody")]
    assert [page.status_code for page in pages] == [422, 422]
    assert all("The name or the password is wrong." in page.text and "wrong password" not in page.text for page in pages)
    assert Seen(pages[0].text).values == {"next": "/notes/3", "username": "ada", "password": ""}
    assert browser.get("/notes").text == "nobody"


def test_a_login_goes_on_with_303_to_the_page_that_was_asked_for(browser: TestClient) -> None:
    """RFC 9700, section 4.12: a 307 would send the password on."""
    asked = browser.get("/notes/3?tab=a%20b")
    assert (asked.status_code, asked.headers["location"]) == (303, "/login?next=%2Fnotes%2F3%3Ftab%3Da%2520b")
    after = Seen(browser.get(asked.headers["location"]).text).values["next"]
    answer = sign_in(browser, after=after)
    assert (answer.status_code, answer.headers["location"]) == (303, "/notes/3?tab=a%20b")
    assert browser.get(answer.headers["location"]).text == "note 3 of ada"
    assert browser.get("/login?next=/notes/3").headers["location"] == "/notes/3"  # signed in already


def test_a_login_never_leads_to_another_place_than_ours(browser: TestClient) -> None:
    """CWE-601."""
    assert {own_path(target) for target in ELSEWHERE} == {"/"}
    assert {sign_in(browser, after=target).headers["location"] for target in ELSEWHERE} == {"/"}


@pytest.mark.parametrize(
    "target", ["/", "/notes", "/notes/3?next=//x", "/a//b", "/notes#top", "/log in".replace(" ", "%20"), "/logins"]
)
def test_a_path_of_ours_is_kept(target: str) -> None:
    assert own_path(target) == target


def test_a_page_for_people_asks_before_it_reads_anything(browser: TestClient) -> None:
    """What is wrong with a form, a path or a number is no stranger's business."""
    assert browser.post("/notes", data={"count": "many"}).headers["location"] == "/login"
    came_from = {"referer": "http://testserver/notes/new?a=1"}
    assert browser.post("/notes", headers=came_from).headers["location"] == "/login?next=%2Fnotes%2Fnew%3Fa%3D1"
    assert browser.post("/notes", headers={"referer": "https://evil.example/notes"}).headers["location"] == "/login"
    assert browser.get("/secrets").headers["location"] == "/login?next=%2Fsecrets"
    assert browser.get("/notes/new").headers["location"] == "/login?next=%2Fnotes%2Fnew"  # lazyauth.require_user() in the action


def test_a_program_is_told_401(browser: TestClient) -> None:
    """RFC 9110, section 15.5.2: with a challenge."""
    answer = browser.get("/secrets", headers={"accept": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")
    assert answer.headers["www-authenticate"].startswith("Cookie ")
    router = browser.get("/api/me", headers={"accept": "application/json"})
    assert (router.status_code, router.json()) == (401, {"detail": "sign in required"})
    sign_in(browser)
    assert browser.get("/secrets", headers={"accept": "application/json"}).json() == ["secret"]


def test_signing_out_ends_the_visit_by_a_form_only(browser: TestClient) -> None:
    sign_in(browser)
    browser.get("/keep?word=mine")
    page = browser.get("/logout")
    assert Seen(page.text).action == "/logout"
    assert browser.get("/notes").text == "ada"
    assert browser.post("/logout", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert browser.get("/notes").text == "ada"
    answer = browser.post("/logout")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert "[You are signed out. AI clients that you connected stay connected.]" in browser.get("/login").text
    assert browser.get("/notes").text == "nobody"
    assert browser.get("/kept").json() == [""]


def test_a8_nobody_signs_a_visitor_in_from_another_page(browser: TestClient) -> None:
    """Login CSRF: a login form is taken from our own page only, and a token exempts nobody."""
    for evidence in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "", "origin": "https://evil.example"},
        {"sec-fetch-site": "", "origin": "null"},
        {"sec-fetch-site": ""},
        {"authorization": "Bearer x"},
    ):
        assert sign_in(browser, **evidence).status_code == 403, evidence
    assert browser.get("/notes").text == "nobody"


def test_a_browser_that_sends_only_an_origin_signs_in(browser: TestClient) -> None:
    assert sign_in(browser, **{"sec-fetch-site": "", "origin": "http://testserver"}).status_code == 303


def test_behind_a_proxys_own_login_people_sign_in_all_the_same(browser: TestClient) -> None:
    """RFC 7617: a browser sends the proxy's Basic credentials with every request; only a bearer token is a program's."""
    browser.headers["authorization"] = "Basic eDp5"
    assert sign_in(browser).status_code == 303
    assert browser.get("/notes").text == "ada"


def test_guesses_are_counted_by_name_and_network(browser: TestClient) -> None:
    """OWASP, authentication: a limit on failures, which locks nobody else out."""
    answers = [sign_in(browser, password="wrong") for _ in range(11)]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert "Too many wrong passwords, try again later." in answers[-1].text
    assert sign_in(browser, "bob", "wrong").status_code == 422


def test_a15_what_was_in_the_browser_before_a_login_is_worth_nothing_after_it(site: Site, browser: TestClient) -> None:
    """OWASP, session fixation: who planted a session is not signed in by its victim, and its values are gone."""
    browser.get("/keep?word=planted")
    planted = cookie_of(browser)
    sign_in(browser)
    assert cookie_of(browser) != planted
    assert browser.get("/kept").json() == [""]
    thief = site.another()
    thief.cookies.set("lazyapp", planted)
    assert thief.get("/notes").text == "nobody"


def test_each_login_is_another_cookie_and_the_same_person_keeps_what_was_theirs(site: Site, browser: TestClient) -> None:
    sign_in(browser)
    browser.get("/keep?word=mine")
    first = cookie_of(browser)
    sign_in(browser)
    assert cookie_of(browser) != first
    assert browser.get("/kept").json() == ["mine"]
    site.users.add("bob", PASSWORD, [])
    sign_in(browser, "bob")
    assert browser.get("/notes").text == "bob"
    assert browser.get("/kept").json() == [""]


def test_a_user_who_is_gone_is_signed_out(site: Site, browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazyapp.visitors.ASK_EVERY_S", 0)
    sign_in(browser)
    assert browser.get("/notes").text == "ada"
    site.users.remove("ada")
    assert browser.get("/notes").text == "nobody"
    assert browser.get("/secrets").status_code == 303


def test_when_nothing_is_known_of_the_user_nobody_is_signed_out(
    site: Site, browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page fails, and the next one finds the person signed in."""
    monkeypatch.setattr("lazyapp.visitors.ASK_EVERY_S", 0)
    sign_in(browser)
    kept = site.users.passwords.pop("ada")
    site.users.passwords["ada"] = ()  # type: ignore[assignment]  # the store breaks
    assert browser.get("/notes").status_code == 500
    site.users.passwords["ada"] = kept
    assert browser.get("/notes").text == "ada"


def test_one_persons_page_is_kept_by_no_shared_cache(browser: TestClient) -> None:
    """RFC 9111, sections 4.1 and 5.2.2.7."""
    assert "cache-control" not in browser.get("/notes").headers
    assert browser.get("/notes").headers["vary"] == "cookie"
    sign_in(browser)
    page = browser.get("/notes")
    assert (page.headers["cache-control"], page.headers["vary"]) == ("private, no-cache", "cookie")


def test_over_https_the_cookie_is_one_that_no_subdomain_can_set(tmp_path: Path) -> None:
    """A47. RFC 6265bis, section 4.1.3.2."""
    with Site(tmp_path, origin="https://testserver").open() as browser:
        answer = sign_in(browser)
        cookie = answer.headers["set-cookie"]
        name, _, value = cookie.partition(";")[0].partition("=")
        assert name == "__Host-lazyapp"
        assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}
        assert "domain" not in cookie.lower()
        browser.cookies.clear()
        browser.cookies.set("lazyapp", value)
        assert browser.get("/notes").text == "nobody"


def test_an_application_without_users_has_no_login(tmp_path: Path) -> None:
    site = Site(tmp_path, auth=None, oauth=None)
    with site.open() as browser:
        assert browser.get("/login").status_code == 404
        assert browser.post("/login").status_code == 404
        assert browser.get("/secrets").status_code == 401


def test_the_applications_own_pages_win(tmp_path: Path) -> None:
    """Routes at the same path, and views of the same name."""
    view = tmp_path / "views/sign_in/new.html.j2"
    view.parent.mkdir(parents=True)
    view.write_text("our own form {{ next }}")
    with Site(tmp_path).open() as browser:
        assert "our own form /notes/3" in browser.get("/login?next=/notes/3").text
    routes = Routes()
    routes.get("/login", NotesController.index, name="enter")
    draw(routes)
    drawn = {(route.path, route.methods): route.controller for route in routes}
    assert drawn["/login", ("GET",)] is NotesController
    assert drawn["/login", ("POST",)] is SignInController


def test_an_application_without_a_layout_has_a_login_page_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    site = lazyapp.App(
        lazyapp.Config(name="bare.example", auth=lazyauth.MemoryUsers()),
        settings=lazyapp.Settings(env="test", root=tmp_path, given_public_url="http://testserver"),
    )
    with TestClient(site, headers={"accept": "text/html"}) as browser:
        page = browser.get("/login")
        assert "<title>Sign in · bare.example</title>" in page.text
        assert page.text.startswith("<!doctype html>")


def test_who_is_signed_out_everywhere_while_signing_in_is_not_signed_in(tmp_path: Path) -> None:
    """The old password was right when it was checked, and was changed before the cookie was made."""

    class Overtaken(PlainUsers):
        signed_out_at = 0.0

        async def authenticate(self, credential: lazyauth.Credential) -> lazyauth.User:
            user = lazyauth.User("ada", {}, self.signed_out_at)
            self.signed_out_at = time.time()
            time.sleep(0.001)
            return user

        async def find_user(self, user_id: str) -> lazyauth.User:
            return lazyauth.User("ada", {}, self.signed_out_at)

    with Site(tmp_path, Overtaken()).open() as browser:
        assert sign_in(browser).status_code == 303
        assert browser.get("/notes").text == "nobody"
