"""Who of the visitors is signed in to the pages: what the session remembers of a login, how long it counts, and its end.

The session holds the user's id and when they signed in; everything else is asked of the authenticator, at most every few seconds,
so who is disabled or signed out everywhere is so here too. State: the users asked for lately, of which a bounded number is kept.
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import lazyauth
import lazyoauth
from lazyapp.sessions import Clock, Header, Session, SessionOptions, Sessions
from lazyauth.config import SingleSignOn

ASK_EVERY_S = 5.0
REMEMBERED = 8_192
_LOGIN = "_login"


@dataclass(frozen=True, slots=True)
class Login:
    """A login to the pages, as its session tells it.

    Args:
        user_id: who signed in.
        auth_time: when, Unix seconds.
        seen: when a page was last asked for, as far as it was written down.
    """

    user_id: str
    auth_time: float
    seen: float


class Visitors:
    """Signs visitors in and out of the pages.

    Args:
        authenticator: knows the users.
        options: how long a login counts.
        throttle: makes wrong passwords wait; None: they do not.
        sso: another way in.
        passwords: whether a name and a password are a way in.
        now: the clock, Unix seconds.
    """

    def __init__(
        self,
        authenticator: lazyauth.Authenticator,
        options: SessionOptions | None = None,
        *,
        throttle: lazyauth.LoginThrottle | None = None,
        sso: SingleSignOn | None = None,
        passwords: bool = True,
        now: Clock = time.time,
    ) -> None:
        self._authenticator = authenticator
        self._throttle = throttle
        self.sso = sso
        self.passwords = passwords
        self._options = options or SessionOptions()
        self.now = now
        self._known: OrderedDict[str, tuple[float, lazyauth.User]] = OrderedDict()
        self._changes = 0
        # An authenticator that tells what changed; the next request asks anew.
        if isinstance(authenticator, lazyauth.AnnouncesUsers):
            authenticator.on_changed(self.forget)

    async def is_known(self, user_id: str) -> bool:
        """Whether the authenticator has this user, who may have come by another way than its own."""
        return await self._authenticator.find_user(user_id) is not None

    def __repr__(self) -> str:
        return f"Visitors({len(self._known)} known)"

    async def recognise(self, credential: lazyauth.Credential, address: str) -> lazyauth.User:
        """The user whose credential this is.

        Raises:
            InvalidCredentials: unknown, wrong or disabled, without saying which; always, where passwords are no way in.
            TooManyTries: nothing was checked; the error says when to come again.
            Overloaded: nothing was checked.
        """
        if not self.passwords:
            raise lazyauth.InvalidCredentials
        if self._throttle is None:
            return await self._authenticator.authenticate(credential)
        return await self._throttle.authenticate(self._authenticator, credential, address)

    def begin(self, session: Session, user_id: str, auth_time: float | None = None) -> None:
        """Sign a person in to a session, which begins anew: what somebody else left or planted there is gone.

        Args:
            session: the visitor's; what a login of the same person kept in it stays.
            user_id: who showed their credential.
            auth_time: when, if not now.
        """
        now = self.now()
        login = login_of(session)
        if login is None or login.user_id != user_id:
            session.clear()
        # The random part makes each login's cookie another, whatever the second.
        session[_LOGIN] = {"user": user_id, "at": now if auth_time is None else auth_time, "seen": now, "id": secrets.token_hex(8)}

    def end(self, session: Session) -> None:
        """Sign out, and forget all that the session held."""
        session.clear()

    def forget(self, user_id: str) -> None:
        """Ask for a user anew at the next request."""
        self._changes += 1
        self._known.pop(user_id, None)

    async def user_of(self, session: Session) -> lazyauth.User | None:
        """Who is signed in, as of now. A login that is over is taken out of the session.

        Whatever the authenticator raises passes: where nothing is known, nobody is signed out.
        """
        login = login_of(session)
        if login is None:
            return None
        now = self.now()
        if now - login.seen > self._options.login_idle_s or now - login.auth_time > self._options.login_absolute_s:
            self.end(session)
            return None
        user = await self._find(login.user_id, now)
        if user is None or login.auth_time < user.signed_out_at:
            self.forget(login.user_id)
            self.end(session)
            return None
        # Written down now and then only: a cookie for each page would cost each page.
        if now - login.seen > self._options.login_idle_s / 24:
            session[_LOGIN] = {**session[_LOGIN], "seen": now}
        return user

    async def _find(self, user_id: str, now: float) -> lazyauth.User | None:
        asked, user = self._known.get(user_id, (0.0, None))
        if user is not None and 0 <= now - asked < ASK_EVERY_S:
            return user
        changes = self._changes
        user = await self._authenticator.find_user(user_id)
        self._known.pop(user_id, None)
        # An announcement may have come while the answer was on its way: then it is good for this once.
        if user is not None and changes == self._changes:
            self._known[user_id] = (now, user)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return user


class PagesBrowser:
    """The pages' session as the OAuth pages use it: a `lazyoauth.BrowserSession`, so one login serves both.

    Args:
        sessions: reads and writes the cookie.
        visitors: signs in and out.
    """

    def __init__(self, sessions: Sessions, visitors: Visitors) -> None:
        self._sessions = sessions
        self._visitors = visitors

    async def current(self, scope: MutableMapping[str, Any]) -> lazyoauth.SignedIn | None:
        """Who is signed in to the pages in the browser that sent this request."""
        if not self._sessions.has_cookie(scope):
            return None
        session = self._sessions.of(scope)
        user = await self._visitors.user_of(session)
        login = login_of(session)
        return None if user is None or login is None else lazyoauth.SignedIn(user.id, login.auth_time)

    def begin(self, scope: MutableMapping[str, Any], user_id: str, auth_time: float) -> Sequence[Header]:
        """Sign in to the pages; the headers that the answer must carry."""
        session = self._sessions.of(scope)
        self._visitors.begin(session, user_id, auth_time)
        return self._sessions.headers(session, scope)


def login_of(session: Session) -> Login | None:
    """The login that a session tells of. It is signed, so what is in it was written here, by this version or an earlier one."""
    found = session.get(_LOGIN)
    if not isinstance(found, dict):
        return None
    try:
        return Login(str(found["user"]), float(found["at"]), float(found["seen"]))
    except (KeyError, TypeError, ValueError):
        return None
