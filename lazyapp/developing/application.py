"""What of an application is looked at from `/_lazy`: a `lazyapp.App`, which stands above this package, by what is used of it."""

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Protocol

import lazymcp
import lazyoauth
from lazyapp.config import Config
from lazyapp.drain import Drain
from lazyapp.metrics import Metrics
from lazyapp.pages import Pages
from lazyapp.routes import Routes
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyview import Views

__all__ = ["Application"]


class Application(Protocol):
    """A started application."""

    config: Config
    services: Services
    drawn: Routes
    views: Views
    pages: Pages
    metrics: Metrics
    drain: Drain
    files_changed: Callable[[], None]
    docs_url: str | None
    redoc_url: str | None
    openapi_url: str | None

    @property
    def settings(self) -> Settings:
        """Of this run."""
        ...

    @property
    def mcp(self) -> lazymcp.Scope | None:
        """Its MCP modules."""
        ...

    @property
    def oauth(self) -> "lazyoauth.Server | None":
        """Its authorization server."""
        ...

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer a request, as a server calls it."""
        ...

    async def readiness(self) -> Mapping[str, object]:
        """What `/readyz` says."""
        ...
