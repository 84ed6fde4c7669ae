"""For whom a command acts: whoever may start the process, or one of the application's users."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import lazyauth
import lazymcp
from lazyapp.app import App
from lazyapp.as_user import find_user, signed
from lazyapp.errors import ConfigurationError
from lazyapp.steps.mcp import NO_MODULES

CLIENT_ID = "lazyapp"


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
        found = await find_user(app, user)
        granted = None if scopes is None else tuple(scopes.split())
        stack.enter_context(lazyauth.signed_in(*signed(app, found, CLIENT_ID, scopes=granted)))
        yield app.mcp
