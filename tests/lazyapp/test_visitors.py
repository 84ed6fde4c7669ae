"""How long a login to the pages counts, and what is asked of the authenticator meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest

from lazyapp.sessions import Session, SessionOptions, Sessions
from lazyapp.visitors import ASK_EVERY_S, PagesBrowser, Visitors, login_of
from lazyauth import Credential, User
from lazyoauth import SignedIn

HOUR, DAY = 3600, 86_400


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Users:
    """An authenticator that counts, and tells when it is told to."""

    def __init__(self) -> None:
        self.user: User | None = User("ada")
        self.asked = 0
        self.tell: Callable[[str], None] = lambda _: None

    async def authenticate(self, credential: Credential) -> User:
        raise NotImplementedError

    async def find_user(self, user_id: str) -> User | None:
        self.asked += 1
        assert user_id == "ada"
        return self.user

    def on_changed(self, callback: Callable[[str], None]) -> None:
        self.tell = callback


class Browser:
    """A cookie, and what happens to it."""

    def __init__(self, clock: Clock, users: Users, **options: Any) -> None:
        settings = SessionOptions(**options)
        self.sessions = Sessions("s" * 32, options=settings, now=clock)
        self.visitors = Visitors(users, settings, now=clock)
        self.cookie = b""

    def session(self) -> Session:
        return self.sessions.of(self.scope)

    @property
    def scope(self) -> dict[str, Any]:
        return {"scheme": "http", "headers": [(b"cookie", self.cookie)] if self.cookie else []}

    def keep(self, session: Session) -> None:
        for name, value in self.sessions.headers(session, self.scope):
            if name == b"set-cookie":
                self.cookie = value.partition(b";")[0]

    def sign_in(self, **more: Any) -> None:
        session = self.session()
        self.visitors.begin(session, "ada", **more)
        self.keep(session)

    async def visit(self) -> str:
        """A page; who is signed in there."""
        session = self.session()
        user = await self.visitors.user_of(session)
        self.keep(session)
        return user.id if user else ""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def users() -> Users:
    return Users()


@pytest.fixture
def browser(clock: Clock, users: Users) -> Browser:
    return Browser(clock, users)


async def test_who_comes_back_within_twelve_hours_stays_for_thirty_days(browser: Browser, clock: Clock) -> None:
    """OWASP, session management: an idle and an absolute limit."""
    browser.sign_in()
    began = clock.now
    while clock.now + 11 * HOUR < began + 30 * DAY:
        clock.now += 11 * HOUR
        assert await browser.visit() == "ada"
    clock.now = began + 30 * DAY + 1
    assert await browser.visit() == ""


async def test_who_does_not_come_back_is_signed_out(browser: Browser, clock: Clock) -> None:
    browser.sign_in()
    clock.now += 12 * HOUR + 1
    assert await browser.visit() == ""
    assert login_of(browser.session()) is None


async def test_the_cookie_is_written_now_and_then_only(browser: Browser, clock: Clock) -> None:
    browser.sign_in()
    first = browser.cookie
    clock.now += 29 * 60
    await browser.visit()
    assert browser.cookie == first
    clock.now += 2 * 60
    await browser.visit()
    assert browser.cookie != first


async def test_an_application_sets_both_limits(clock: Clock, users: Users) -> None:
    browser = Browser(clock, users, login_idle_s=60, login_absolute_s=100)
    browser.sign_in()
    for later, who in ((50, "ada"), (49, "ada"), (2, "")):
        clock.now += later
        assert await browser.visit() == who
    browser.sign_in()
    clock.now += 61
    assert await browser.visit() == ""


async def test_the_user_is_asked_for_every_few_seconds_only(browser: Browser, clock: Clock, users: Users) -> None:
    browser.sign_in()
    for _ in range(5):
        assert await browser.visit() == "ada"
    assert users.asked == 1
    users.user = None
    assert await browser.visit() == "ada"
    clock.now += ASK_EVERY_S
    assert await browser.visit() == ""
    users.user = User("ada")
    assert await browser.visit() == ""


async def test_an_authenticator_that_tells_is_asked_at_once(browser: Browser, users: Users) -> None:
    browser.sign_in()
    await browser.visit()
    users.user = None
    users.tell("bob")
    assert await browser.visit() == "ada"
    users.tell("ada")
    assert await browser.visit() == ""


async def test_what_is_told_while_the_answer_is_on_its_way_counts_at_once(clock: Clock) -> None:
    """The answer was true when it was given; it must not be remembered over what came after it."""

    class Overtaken(Users):
        async def find_user(self, user_id: str) -> User | None:
            answer = await super().find_user(user_id)
            self.user = None
            self.tell("ada")
            return answer

    browser = Browser(clock, Overtaken())
    browser.sign_in()
    assert [await browser.visit(), await browser.visit()] == ["ada", ""]


async def test_who_was_signed_out_everywhere_signs_in_again(browser: Browser, clock: Clock, users: Users) -> None:
    """A login that began before `signed_out_at` is over; a later one is not, though in the same second."""
    browser.sign_in()
    clock.now += 0.25
    users.user = User("ada", signed_out_at=clock.now)
    users.tell("ada")
    assert await browser.visit() == ""
    clock.now += 0.25
    browser.sign_in()
    assert await browser.visit() == "ada"


async def test_a_login_on_the_oauth_page_is_dated_when_the_password_was_checked(browser: Browser, clock: Clock) -> None:
    """OpenID Connect Core 1.0, section 2, `auth_time`; with the fraction, for `signed_out_at` has one."""
    pages, checked_at = PagesBrowser(browser.sessions, browser.visitors), clock.now + 0.25
    clock.now += 3
    for name, value in pages.begin(browser.scope, "ada", checked_at):
        browser.cookie = value.partition(b";")[0] if name == b"set-cookie" else browser.cookie
    assert await pages.current(browser.scope) == SignedIn("ada", checked_at)


async def test_a_clock_that_was_set_back_asks_anew(browser: Browser, clock: Clock, users: Users) -> None:
    session = browser.session()
    browser.visitors.begin(session, "ada")
    await browser.visitors.user_of(session)
    clock.now -= HOUR
    assert await browser.visitors.user_of(session) is users.user
    assert users.asked == 2


@pytest.mark.parametrize("kept", ["ada", {"user": "ada"}, {"user": "ada", "at": "noon", "seen": 1}, None, []])
async def test_a_session_that_another_version_wrote_tells_of_no_login(browser: Browser, users: Users, kept: object) -> None:
    session = browser.session()
    session["_login"] = kept
    browser.keep(session)
    assert await browser.visit() == ""
    assert users.asked == 0


async def test_the_users_remembered_are_a_bounded_number(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazyapp.visitors.REMEMBERED", 2)
    found: list[str] = []

    class Anybody(Users):
        async def find_user(self, user_id: str) -> User | None:
            found.append(user_id)
            return User(user_id)

    browser = Browser(clock, Anybody())
    for name in ("a", "b", "c", "c", "b", "a"):
        session = browser.session()
        browser.visitors.begin(session, name)
        await browser.visitors.user_of(session)
    assert found == ["a", "b", "c", "a"]
