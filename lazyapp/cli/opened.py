"""A command that works on the application in this folder: started as a server would start it, and closed again."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


def with_app(act: Callable[[Any], Awaitable[T]]) -> T:
    """What an act makes of the application, with its services open; in development unless the environment says otherwise.

    Raises:
        ConfigurationError: there is no application here, or its settings cannot work.
        StartupError: a step of its start failed.
    """
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    app = location.load(location.enter())

    async def run() -> T:
        async with app.router.lifespan_context(app):
            return await act(app)

    return asyncio.run(run())
