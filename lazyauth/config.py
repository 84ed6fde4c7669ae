"""`Config`: what an application says about its users."""

from dataclasses import dataclass
from typing import Any, Protocol

from lazyauth.authenticator import Authenticator
from lazyauth.user import User


class SingleSignOn(Protocol):
    """Another provider at which people sign in; `SSO` is one. Requests and responses are Starlette's."""

    label: str

    async def begin(self, request: Any, callback: str) -> Any:
        """Send the browser there."""
        ...

    async def finish(self, request: Any) -> User:
        """The user who comes back.

        Raises:
            SignInFailed: with a sentence for the person.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The value of `lazyapp.Config(auth=...)`.

    Attributes:
        authenticator: who checks the login form and renews logins, of those who come by single sign-on too.
        sso: another way in, with a button on the login page.
        passwords: whether people may sign in with a name and a password. False: `sso` is the only way, and no page asks for one.

    Raises:
        ValueError: nobody could sign in, by neither way.
    """

    authenticator: Authenticator
    sso: SingleSignOn | None = None
    passwords: bool = True

    def __post_init__(self) -> None:
        if not self.passwords and self.sso is None:
            raise ValueError("lazyauth.Config(passwords=False) needs sso=…, or nobody could sign in")
