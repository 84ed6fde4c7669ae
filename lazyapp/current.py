"""The request being answered, for template helpers and code that is handed none.

One context variable, set by `web.py` around each request and only there. Outside one (the OAuth pages, a command) there is none.
"""

import secrets
from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any

import lazyauth
from lazyapp.request_ids import request_id
from lazyapp.sessions import Session


class Current:
    """What one request has, made as it is asked for."""

    __slots__ = ("_nonce", "_request_id", "reported", "scope", "session")

    def __init__(self, scope: MutableMapping[str, Any], session: Session) -> None:
        self.scope = scope
        self.session = session
        self.reported: BaseException | None = None
        self._nonce = ""
        self._request_id = ""

    @property
    def user(self) -> lazyauth.User | None:
        """Who is signed in to the pages. Whoever asks makes an answer that depends on the cookie, and caches are told so."""
        self.session.read()
        return lazyauth.current_user()

    @property
    def path(self) -> str:
        """The decoded path that was asked for."""
        return str(self.scope["path"])

    @property
    def nonce(self) -> str:
        """The value that lets this page's own inline scripts and styles run; 128 random bits, made at the first use."""
        if not self._nonce:
            self._nonce = secrets.token_urlsafe(16)
        return self._nonce

    @property
    def nonce_if_used(self) -> str:
        """The nonce, or nothing when no template asked for it."""
        return self._nonce

    @property
    def request_id(self) -> str:
        """What ties the visitor's error page to the log: the id of this request, see `request_ids.py`."""
        if not self._request_id:
            self._request_id = request_id() or secrets.token_hex(8)
        return self._request_id


current: ContextVar[Current | None] = ContextVar("lazyapp_current", default=None)
