"""Who can be signed in during a test: the application's own users, and those whom the test brings.

A user of a test is known to the application's authenticator for as long as the client is open, so pages, logins of AI clients and
tools find them as they find anybody else. Nobody has to type a password, and none is made.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import httpx2

import lazyauth
from lazyapp.app import App
from lazyapp.sessions import Session
from lazyapp.startup import Running
from lazyapp.testing.errors import NotSignedIn


class People:
    """The users of one run of an application.

    Args:
        app: the application.
        running: its run.
    """

    def __init__(self, app: App, running: Running) -> None:
        self._app = app
        self._running = running
        self._brought: dict[str, lazyauth.User] = {}

    @contextlib.contextmanager
    def known(self) -> Iterator[None]:
        """Let the application's authenticators find the users of the test too; their own answers are back afterwards."""
        authenticators = [self._running.authenticator]
        if self._running.oauth is not None and self._running.oauth.config.authenticator not in (None, *authenticators):
            authenticators.append(self._running.oauth.config.authenticator)  # type: ignore[arg-type]
        with contextlib.ExitStack() as stack:
            for each in authenticators:
                stack.enter_context(self._extended(each))
            yield

    async def find(self, user: str | lazyauth.User) -> lazyauth.User:
        """The user of this id, or the one that the test brings, who is known from now on.

        Raises:
            NotSignedIn: the application has no users, or none of this id.
        """
        if not self._app._has_users:
            raise NotSignedIn("this application has no users; give its Config an auth= or an oauth= to sign somebody in")
        if isinstance(user, lazyauth.User):
            self._brought[user.id] = user
            self._running.visitors.forget(user.id)
            return user
        found = await self._running.authenticator.find_user(user)
        if found is None:
            raise NotSignedIn(
                f"nobody here is called {user!r}: add them to the application's users, or bring somebody for this test alone with "
                f'lazyauth.User({user!r}, {{"mcps": ["*"]}})'
            )
        return found

    def begin(self, http: httpx2.AsyncClient, url: str, user: lazyauth.User) -> None:
        """Sign a user in to the pages of a browser, as the login form does."""
        session = self.session(http, url)
        visitors = self._running.visitors
        visitors.begin(session, user.id, max(visitors.now(), user.signed_out_at))
        self._write(http, url, session)

    def end(self, http: httpx2.AsyncClient, url: str) -> None:
        """Sign out of the pages of a browser."""
        session = self.session(http, url)
        self._running.visitors.end(session)
        self._write(http, url, session)

    def session(self, http: httpx2.AsyncClient, url: str) -> Session:
        """What the cookies of a browser remember."""
        session = self._running.sessions.of(_scope(http, url))
        session.read()
        return session

    def _write(self, http: httpx2.AsyncClient, url: str, session: Session) -> None:
        headers = self._running.sessions.headers(session, _scope(http, url))
        http.cookies.extract_cookies(httpx2.Response(200, headers=headers, request=httpx2.Request("GET", url)))

    @contextlib.contextmanager
    def _extended(self, authenticator: Any) -> Iterator[None]:
        if not hasattr(authenticator, "__dict__"):  # slots: it knows whom it knows
            yield
            return
        own, before = authenticator.find_user, vars(authenticator).get("find_user")

        async def find_user(user_id: str) -> lazyauth.User | None:
            brought = self._brought.get(user_id)
            return brought if brought is not None else await own(user_id)

        # On the object itself and not around it: what the application asks of its authenticator's class stays true.
        vars(authenticator)["find_user"] = find_user
        try:
            yield
        finally:
            del vars(authenticator)["find_user"]
            if before is not None:
                vars(authenticator)["find_user"] = before


def _scope(http: httpx2.AsyncClient, url: str) -> dict[str, Any]:
    request = http.build_request("GET", url)
    return {"type": "http", "scheme": request.url.scheme, "headers": [(name.lower(), value) for name, value in request.headers.raw]}
