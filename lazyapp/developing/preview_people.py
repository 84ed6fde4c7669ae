"""In whose name the preview calls: somebody of the application's users, with the grants and scopes that the developer chooses.

What a tool sees is what it would see behind the guard of `/mcp`: the same user, the same claims. No token is made for it, so no
login is remembered anywhere.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import lazyauth
from lazyapp.as_user import UnknownUser, find_user, signed
from lazyapp.developing.application import Application

CLIENT_ID = "lazyapp-preview"
MAX_LISTED = 200


class UnknownCaller(Exception):
    """There is no such user; the message says so."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls.

    Attributes:
        user: the id of a user; ignored where no OAuth protects the endpoint, for then nobody is known.
        mcps: the modules that the token would open; None leaves that to the user's own grants.
        scopes: of the token; None for all that the server gives.
    """

    user: str = ""
    mcps: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None

    @classmethod
    def read(cls, value: object) -> "Caller":
        """A caller as the page sends it; whatever is not understood is left out."""
        given = value if isinstance(value, Mapping) else {}
        user = given.get("user")
        return cls(user if isinstance(user, str) else "", _words(given.get("mcps")), _words(given.get("scopes")))


async def signed_in(app: Application, caller: Caller) -> AbstractContextManager[None]:
    """What makes the calls inside its block this caller's.

    Raises:
        UnknownCaller: the application has no user of this id, or they are disabled.
    """
    if app.oauth is None:
        return nullcontext()
    try:
        user = await find_user(app, caller.user)
    except UnknownUser:
        raise UnknownCaller(f"nobody here is called {caller.user!r}; choose one of the application's users") from None
    return lazyauth.signed_in(*signed(app, user, CLIENT_ID, scopes=caller.scopes, mcps=caller.mcps))


async def describe(app: Application) -> dict[str, Any]:
    """Who there is to choose from: users, modules, scopes."""
    modules = [] if app.mcp is None else [row.name for row in app.mcp.summary()]
    if app.oauth is None:
        return {"oauth": False, "users": [], "modules": modules, "scopes": []}
    config = app.oauth.config
    first = app.settings.first_user
    users = []
    for user_id in dict.fromkeys((first, *await _listed(config.authenticator))):
        user = await config.authenticator.find_user(user_id) if config.authenticator is not None else None
        if user is not None:
            users.append({"id": user.id, "mcps": list(lazyauth.Claims(config.claims(user)).mcps)})
    return {"oauth": True, "users": users, "modules": modules, "scopes": list(config.scopes)}


async def _listed(authenticator: Any) -> list[str]:
    """The ids of the users of a store that can be listed; of another, those are typed in."""
    if not hasattr(authenticator, "list"):
        return []
    return [record.id for record in await authenticator.list() if not record.disabled][:MAX_LISTED]


def _words(value: object) -> tuple[str, ...] | None:
    return tuple(word for word in value if isinstance(word, str)) if isinstance(value, list) else None
