"""For whom a command acts: whoever may start the process, or one of the application's users."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import lazyauth
import lazymcp
from lazyapp.app import App
from lazyapp.errors import ConfigurationError
from lazyapp.steps.mcp import NO_MODULES


@asynccontextmanager
async def acting_for(app: App, user: str, scopes: str | None = None) -> AsyncIterator[lazymcp.Scope]:
    """The application's MCP modules with its services open; inside the block the user is signed in, as by an AI client's token.

    Args:
        app: the application.
        user: the id of one of its users. "" is whoever may start the process, who may use every module; see `App.stdio`.
        scopes: what the token is granted, separated by blanks; None: all that the application offers.

    Raises:
        ConfigurationError: there is no such user, or no MCP module.
    """
    async with AsyncExitStack() as stack:
        if not user:
            yield await stack.enter_async_context(app.stdio())
            return
        await stack.enter_async_context(app.router.lifespan_context(app))
        if app.mcp is None:
            raise ConfigurationError(NO_MODULES)
        found = await find(app, user)
        stack.enter_context(lazyauth.signed_in(found, claims_of(app, found, scopes)))
        yield app.mcp


async def find(app: App, user: str) -> lazyauth.User:
    """One of the application's users; of those that a run makes up, the first administrator is there in every run.

    Raises:
        ConfigurationError: there is none of this id.
    """
    users = app.services.get(lazyauth.Authenticator)
    found = await users.find_user(user)
    if found is not None:
        return found
    if app.config.auth is None:
        name = (app.settings.default_user or "").strip() or "admin"
        if user == name:
            return lazyauth.User(name, {"username": name, "admin": True, "mcps": ["*"]})
        raise ConfigurationError(
            f"There is no user {user!r}: this application says nothing about users, so {name!r} is the only one."
        )
    raise ConfigurationError(f"There is no user {user!r}; `lazyapp user list` shows who there is.")


def claims_of(app: App, user: lazyauth.User, scopes: str | None) -> lazyauth.Claims:
    """What the access token of this user would say now."""
    oauth: Any = app.oauth.config if app.oauth is not None else None
    extra = oauth.claims(user) if oauth is not None else {"mcps": user.data.get("mcps")}
    granted = " ".join(oauth.scopes) if oauth is not None and scopes is None else scopes or ""
    return lazyauth.Claims({**extra, "sub": user.id, "client_id": "lazyapp", "scope": granted})
