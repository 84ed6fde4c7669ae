"""Who calls when a developer says "as ada": the user, and the claims that an access token of theirs would have.

For calls without a token, from the terminal, the preview and a coding agent. No token is made, so no login is remembered.
"""

import time
from typing import NamedTuple, Protocol

import lazyauth
import lazyoauth
from lazyapp.config import Config
from lazyapp.errors import ConfigurationError
from lazyapp.services import Services
from lazyapp.settings import Settings

LASTS_S = 600


class UnknownUser(ConfigurationError):
    """The application has no user of this id, or they are disabled; the message says who there is."""


class Signed(NamedTuple):
    """Who is signed in, as `lazyauth.signed_in` takes it."""

    user: lazyauth.User
    claims: lazyauth.Claims


class Application(Protocol):
    """An application with its services open, by what is used of it."""

    config: Config
    services: Services

    @property
    def settings(self) -> Settings:
        """Of this run."""
        ...

    @property
    def oauth(self) -> "lazyoauth.Server | None":
        """Its authorization server."""
        ...


async def find_user(app: Application, user_id: str) -> lazyauth.User:
    """One of the application's users; of those that a run makes up, the first administrator is there in every run.

    Raises:
        UnknownUser: there is none of this id.
    """
    of_pages = app.services.get(lazyauth.Authenticator)
    users = (app.oauth.config.authenticator if app.oauth is not None else None) or of_pages
    found = await users.find_user(user_id) if user_id.strip() else None
    if found is not None:
        return found
    if app.config.auth is None and users is of_pages:
        name = app.settings.first_user
        if user_id == name:
            return lazyauth.User(name, {"username": name, "admin": True, "mcps": ["*"]})
        raise UnknownUser(f"There is no user {user_id!r}: this application says nothing about users, so {name!r} is the only one.")
    raise UnknownUser(f"There is no user {user_id!r}; `lazyapp user list` shows who there is.")


def signed(
    app: Application, user: lazyauth.User, client_id: str, *, scopes: tuple[str, ...] | None, mcps: tuple[str, ...] | None = None
) -> Signed:
    """What the guard of `/mcp` would sign in for an access token that this user's client got now.

    Args:
        app: whose user.
        user: as `find_user` found it.
        client_id: whose token it would be.
        scopes: of the token; None for all that the server gives.
        mcps: the modules that it opens; None leaves that to the user's own grants.
    """
    if app.oauth is None:  # no guard, and so no claims but what the user's data opens
        own = {"sub": user.id, "client_id": client_id, "scope": " ".join(scopes or ())}
        return Signed(user, lazyauth.Claims({"mcps": user.data.get("mcps") if mcps is None else list(mcps), **own}))
    from lazyoauth.tokens import RESERVED  # here, where the server is there already: a local process without one loads none of it

    config = app.oauth.config
    told = {name: value for name, value in config.claims(user).items() if name not in RESERVED}
    if mcps is not None:
        told["mcps"] = list(mcps)
    now = int(time.time())
    scope = " ".join(config.scopes if scopes is None else scopes)
    own = {"iss": config.issuer, "sub": user.id, "client_id": client_id, "scope": scope}
    # As lazyoauth's guard: to a tool the user is what the token tells of them, and nothing of the store.
    return Signed(
        lazyauth.User(user.id, told), lazyauth.Claims({**told, **own, "iat": now, "exp": now + LASTS_S, "auth_time": now})
    )
