"""What an application is made of: the hooks and folders that `init/app.py` names, and the context that hooks are given."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import lazyauth
import lazymcp
import lazyoauth
from lazyapp.content_security import ContentSecurity
from lazyapp.database import MetaData
from lazyapp.errors import ConfigurationError
from lazyapp.routes import Routes
from lazyapp.services import Services
from lazyapp.sessions import SessionOptions
from lazyapp.settings import Settings

T = TypeVar("T")
Auth = lazyauth.Config | lazyauth.Authenticator
Middleware = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class AppContext:
    """What a hook may ask for while the application starts."""

    name: str
    settings: Settings
    services: Services

    def get(self, kind: type[T]) -> T:
        """The opened service of a type; a look-up, for singletons are opened before any hook runs.

        Raises:
            LookupError: it is not declared, or exists once a request.
        """
        return self.services.get(kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The composition of one application.

    `drawer` and `dependencies` run when the `App` is made and must open nothing; `auth`, `oauth` and `mcp` run at each start,
    after the services are open, and may be coroutine functions.

    Args:
        name: shown as the application's title and to AI clients.
        drawer: draws the routes.
        public: the folder whose files are served at the root.
        views: one folder of templates, or several, the first winning.
        dependencies: declares the services.
        helpers: functions that templates may call, by name.
        auth: gives the backend that knows the users; None: the bootstrap user of LAZYAUTH_DEFAULT_PASS, else nobody.
        oauth: gives the authorization server's configuration; None: no OAuth, and `/mcp` asks for no token.
        mcp: registers MCP modules; `/mcp` exists only when it registered at least one.
        mcp_options: what the application decides about MCP; lazyapp fills in the rest.
        middlewares: callables that take an ASGI application and return one; they wrap everything, the first outermost.
        sessions: how the session cookie behaves.
        content_security: what pages may load from elsewhere, by directive: `{"img-src": ["https://cdn.example.com"]}`.
        migrations: the folder of the application's migrations; None: `app/migrations` beside `init/`.
        tables: what the application's database should have, for `lazyapp db revision --autogenerate`; of models it is
            `Base.metadata`.
        force_detail_errors: show detailed error pages outside development too.
    """

    name: str
    drawer: Callable[[Routes], None] | None = None
    public: Path | None = None
    views: Path | Sequence[Path] = ()
    dependencies: Callable[[Services], None] | None = None
    helpers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    auth: Auth | Callable[[AppContext], Auth | Awaitable[Auth]] | None = None
    oauth: lazyoauth.Config | Callable[[AppContext], lazyoauth.Config | Awaitable[lazyoauth.Config]] | None = None
    mcp: Callable[[AppContext, lazymcp.Scope], Awaitable[None] | None] | None = None
    mcp_options: lazymcp.Options = field(default_factory=lazymcp.Options)
    middlewares: Sequence[Middleware] = ()
    sessions: SessionOptions = field(default_factory=SessionOptions)
    content_security: Mapping[str, Sequence[str]] = field(default_factory=dict)
    migrations: Path | None = None
    tables: MetaData | Sequence[MetaData] = ()
    force_detail_errors: bool = False

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ConfigurationError("Config(name=…) is empty; name the application, for example 'example.com'.")
        ContentSecurity(self.content_security)  # refused here, where the traceback leads to what was written
        for folder in (*self.view_roots, *((self.public,) if self.public else ())):
            if not Path(folder).is_dir():
                raise ConfigurationError(
                    f"Config names the folder {folder}, which does not exist; make it or correct the path in app/__init__.py."
                )

    @property
    def view_roots(self) -> tuple[Path, ...]:
        """The application's view folders, the first winning."""
        return (self.views,) if isinstance(self.views, Path) else tuple(self.views)

    @property
    def client_name(self) -> str:
        """The name as a word for an AI client's list of servers: `example.com` is `example` there."""
        word = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in self.name.lower().removesuffix(".com"))
        return "-".join(part for part in word.split("-") if part) or "app"
