"""`Config`: what an application says about its users."""

from dataclasses import dataclass

from lazyauth.authenticator import Authenticator


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The value of `lazyapp.Config(auth=...)`.

    Attributes:
        authenticator: who checks the login form and renews logins.
    """

    authenticator: Authenticator
