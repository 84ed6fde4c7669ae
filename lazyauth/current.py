"""Who is asking, for the code that runs inside a request.

State: one context variable. Only `signed_in` changes it, and takes its change back when its block ends, whichever way it ends.
Tasks and threads started inside the block (`asyncio.create_task`, `asyncio.to_thread`) inherit the value.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar, Token

from lazyauth.claims import Claims
from lazyauth.errors import SignInRequired
from lazyauth.user import User

_Identity = tuple[User, Claims | None]
_identity: ContextVar[_Identity | None] = ContextVar("lazyauth.identity", default=None)


def current_user() -> User | None:
    """The signed-in user, or None when nobody is."""
    identity = _identity.get()
    return None if identity is None else identity[0]


def require_user() -> User:
    """The signed-in user.

    Raises:
        SignInRequired: nobody is signed in.
    """
    identity = _identity.get()
    if identity is None:
        raise SignInRequired
    return identity[0]


def current_claims() -> Claims | None:
    """The claims of the token that this request came with, or None when it came with none (a session, stdio, no OAuth)."""
    identity = _identity.get()
    return None if identity is None else identity[1]


def signed_in(user: User, claims: Claims | None = None) -> AbstractContextManager[None]:
    """Everything inside the block acts for this user.

    Enter and leave in the same task. Blocks nest: the inner one hides the outer one, claims included.
    """
    return _SignedIn(user, claims)


class _SignedIn(AbstractContextManager[None]):
    """A class because a generator-based context manager costs three times as much, and every call through a guard pays it."""

    __slots__ = ("_token", "_value")

    def __init__(self, user: User, claims: Claims | None) -> None:
        self._value = (user, claims)

    def __enter__(self) -> None:
        self._token: Token[_Identity | None] = _identity.set(self._value)

    def __exit__(self, *_: object) -> None:
        _identity.reset(self._token)
