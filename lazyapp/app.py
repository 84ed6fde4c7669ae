"""The application: a FastAPI with pages, AI clients and their login in one.

Routes are drawn and services declared when `App` is made; everything is opened in the lifespan, so importing `init.app` opens
nothing and two applications live in one process. One run's state is `drain`, `files_changed`, `_running`, `_front`, `_web`,
`_layered`, `_traced`, `_request_ids` and `_tells_always`; only `_lifespan`, and what it calls, writes them.
"""

import inspect
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI

import lazyauth
import lazymcp
import lazyoauth
from lazyapp import sign_in
from lazyapp.config import Config
from lazyapp.content_security import ContentSecurity
from lazyapp.database import AsyncSession, opened_session
from lazyapp.deployment import Findings, examine
from lazyapp.drain import Drain
from lazyapp.errors import ConfigurationError
from lazyapp.health import ASGIApp, judge, livez, metricsz, readyz
from lazyapp.metrics import Gauges, Metrics
from lazyapp.pages import Pages
from lazyapp.public import PublicFiles
from lazyapp.reading import read_as_actions
from lazyapp.rehearsal import Rehearsal, rehearsal
from lazyapp.request_ids import RequestIds, answering, every_request_is_logged
from lazyapp.routes import Routes
from lazyapp.secret import Secret
from lazyapp.security import Security
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyapp.startup import GIVEN, Running, started
from lazyapp.steps.beginning import Beginning, Plan
from lazyapp.steps.mcp import MCP_PATH, NO_MODULES, register
from lazyapp.tracing import spans
from lazyapp.version import __version__
from lazyapp.web import web
from lazyview import Views


class App(FastAPI):
    """An application.

    It is a FastAPI: `include_router`, `/docs`, `add_middleware`, `TestClient` and `uvicorn init.app:app` work as they do there.
    `/mcp`, the OAuth routes and the `.well-known` documents are looked up by exact path before FastAPI's stack;
    `Config.middlewares` wrap both.

    Args:
        config: what the application is made of.
        settings: this application's settings; None: read from the environment at each start.

    Raises:
        ConfigurationError: a route, a service or a folder is named wrongly.
    """

    def __init__(self, config: Config, *, settings: Settings | None = None) -> None:
        self.config = config
        self.services = _declared(config)
        self.drawn = Routes()
        _now(config.drawer, self.drawn)
        if self._has_users:
            sign_in.draw(self.drawn)
        self._given_settings = settings
        self._running: Running | None = None
        self.drain = Drain()
        self.metrics = Metrics()
        self.metrics.gauges |= self._gauges()
        #: In development, whoever notices that a template or public file has changed calls this.
        self.files_changed: Callable[[], None] = _nothing
        env = self.settings.env
        # Outside production health is told here; in production an address of its own is for it.
        self._health = {} if env == "production" else self._health_paths()
        self._front: dict[str, ASGIApp] = self._health
        super().__init__(title=config.name, version=__version__, lifespan=_lifespan)
        self.pages = Pages(
            routes=self.drawn,
            services=self.services,
            views=Views([*config.view_roots, sign_in.TEMPLATES, lazyoauth.TEMPLATES], reload=env == "development"),
            settings_of=lambda: self.settings,
            helpers=config.helpers,
            force_detail_errors=config.force_detail_errors,
        )
        self.views = self.pages.views
        self.pages.install(self)
        self._stack: ASGIApp = super().__call__
        self._web: ASGIApp = self._stack
        self._layered: ASGIApp | None = None  # the same in a run: it tells a request's id by itself, with its other headers
        self._wrapped: ASGIApp | None = None
        self._request_ids = RequestIds()
        # Without a log of each request nobody could look an id up: on a tool call it would cost what a check costs.
        self._tells_always = True
        # What stands round everything in this run: spans, where there are some, and in development who remembers.
        self._traced: ASGIApp | None = None
        for wrap in reversed(config.middlewares):
            self._wrapped = wrap(self._wrapped or self._serve)

    @property
    def settings(self) -> Settings:
        """The settings of this run; before a start those that the environment gives now."""
        if self._running is not None:
            return self._running.settings
        return self._given_settings or Settings.load()

    @property
    def is_draining(self) -> bool:
        """Whether this run is about to end: it still answers, and `/readyz` sends whoever is new elsewhere."""
        return self.drain.is_draining

    @property
    def mcp(self) -> lazymcp.Scope | None:
        """The registered MCP modules; None before a start and when there are none."""
        return self._running.mcp if self._running else None

    @property
    def oauth(self) -> "lazyoauth.Server | None":  # in quotes: a local process loads no server
        """The authorization server; None before a start and without `Config.oauth`."""
        return self._running.oauth if self._running else None

    def include_router(self, router: APIRouter, **options: Any) -> None:
        """FastAPI's own, with all of its options; what the router's routes are sent is read as what actions are sent."""
        read_as_actions(router)
        super().include_router(router, **options)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        # Looked up here: without middlewares a tool call is not handed from function to function first.
        exact = self._front.get(scope["path"]) if scope["type"] == "http" else None
        serve = self._traced or self._wrapped or exact or self._web
        if scope["type"] == "lifespan":
            return await serve(scope, receive, send)
        ids = self._request_ids
        answered = answering.set((scope, ids))
        try:
            tells = serve is self._layered or (exact is not None and not self._tells_always)
            await serve(scope, receive, send if tells else partial(ids.tell, scope, send))
        finally:
            answering.reset(answered)
        return None

    async def _serve(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        exact = self._front.get(scope["path"]) if scope["type"] == "http" else None
        await (exact or self._web)(scope, receive, send)

    @asynccontextmanager
    async def stdio(self) -> AsyncIterator[lazymcp.Scope]:
        """The application's MCP modules with their services open, for a local process: no HTTP listener, no OAuth.

        Whoever may start the process is its user: the one of LAZYAUTH_DEFAULT_USER, who may use every module.

        Raises:
            ConfigurationError: the application registers no MCP module, or a setting is wrong.
            StartupError: a step failed.
        """
        async with started(self._plan, self.settings, web=False) as running:
            if running.mcp is None:
                raise ConfigurationError(NO_MODULES)
            name = running.settings.first_user
            with lazyauth.signed_in(lazyauth.User(name, {"username": name, "mcps": ["*"]})):
                yield running.mcp

    async def describe_mcp(self) -> list[lazymcp.SurfaceRow]:
        """What the MCP modules offer, told without opening a service."""
        return (await self.declared_mcp()).surface()

    async def declared_mcp(self) -> lazymcp.Scope:
        """The MCP modules, registered without opening a service: to be looked at, not to be called."""
        with self.services.undecided():
            return await register(Beginning(self._plan, self.settings, Secret("")))

    async def examine(self) -> Findings:
        """What production would refuse of this application with the settings of the moment, told without serving it."""
        operations = sum(len(path) for path in self.openapi()["paths"].values())
        return await examine(self._plan, self.settings, operations)

    @asynccontextmanager
    async def rehearsed(self) -> AsyncIterator[Rehearsal]:
        """Let a start within the block change nothing that outlives it, neither a migration nor a secret; for `lazyapp check`.

        Raises:
            StartupError: the database is away.
        """
        before = self._given_settings
        async with rehearsal(self._plan, self.settings) as found:
            self._given_settings = found.settings
            try:
                yield found
            finally:
                self._given_settings = before

    @property
    def running(self) -> Running | None:
        """What this run has open; None before a start. For lazyapp's own parts: an application has names for what it may use."""
        return self._running

    @property
    def _has_users(self) -> bool:
        """Whether the application says that somebody may sign in; without, its pages have no login."""
        return self.config.auth is not None or self.config.oauth is not None

    @property
    def _plan(self) -> Plan:
        return Plan(self.config, self.services, self.views, __version__, lambda: self.dependency_overrides)

    def _layer(self, running: Running) -> ASGIApp:
        """FastAPI's stack within the layer that every page passes."""
        settings = running.settings
        docs = [path for path in (self.docs_url, self.redoc_url) if path]
        production = settings.env == "production"
        security = Security(
            settings.hosts,
            origin=settings.public_url,
            docs=docs,
            content=ContentSecurity(self.config.content_security),
            https_only=production and settings.public_url.startswith("https://"),
        )
        files = PublicFiles(self.config.public, hashed=production, headers=security.headers("", ""))
        return web(
            self._stack,
            pages=self.pages,
            security=security,
            sessions=running.sessions,
            public=files,
            visitors=running.visitors if self._has_users else None,
            drain=self.drain,
        )

    def _remember(self, stack: AsyncExitStack) -> Callable[[], None]:
        """Remember what is logged from now on; the answer puts `/_lazy` before the pages, once they are there.

        For development: in production nothing of either is loaded.
        """
        from lazyapp.developing import all as developing

        memory = stack.enter_context(developing.remembered(self))

        def develop() -> None:
            self._web = developing.doored(self, self._web, memory)
            self._traced = developing.watched(self, self._traced or self._wrapped or self._serve, memory)

        return develop

    def _paths(self, running: Running) -> dict[str, ASGIApp]:
        """The exact paths that are answered before FastAPI's stack."""
        paths: dict[str, ASGIApp] = dict(self._health)
        if running.oauth is not None:
            paths |= running.oauth.routes
        if running.mcp is not None:
            endpoint: ASGIApp = running.mcp.asgi()
            if running.oauth is not None:
                endpoint = running.oauth.guard(endpoint)
                paths |= running.oauth.resource_routes
            paths |= {MCP_PATH: endpoint, MCP_PATH + "/": endpoint}
        return paths

    def _health_paths(self) -> dict[str, ASGIApp]:
        ready = readyz(self._check, lambda: self.is_draining)
        return {"/livez": livez(), "/readyz": ready, "/metrics": metricsz(self.metrics.snapshot)}

    def _gauges(self) -> Gauges:
        return {
            ("lazyapp_open_streams", 'kind="page"'): lambda: self.drain.open_streams,
            ("lazyapp_open_streams", 'kind="mcp"'): lambda: self.mcp.open_streams if self.mcp else 0,
            ("lazyapp_tool_calls_total", 'outcome="ok"'): lambda: self.mcp.tool_calls[0] if self.mcp else 0,
            ("lazyapp_tool_calls_total", 'outcome="error"'): lambda: self.mcp.tool_calls[1] if self.mcp else 0,
        }

    async def readiness(self) -> dict[str, object]:
        """What `/readyz` says of this process."""
        return await judge(self._check, self.is_draining)

    def end_streams(self) -> None:
        """End what would never end by itself, each stream properly; for a server that accepts nobody new any more."""
        self.drain.end_streams(for_good=True)
        if self.mcp is not None:
            self.mcp.end_streams()

    async def _check(self) -> dict[str, str | None] | None:
        return await self.services.check() if self._running else None


def _nothing() -> None:
    """Nobody need hear it."""


def _declared(config: Config) -> Services:
    """The application's services, and those that each application has."""
    services = Services()
    services.reserve(*GIVEN)
    _now(config.dependencies, services)
    if AsyncSession not in services.declared:
        services.add(AsyncSession, partial(opened_session, services), per_request=True)
    return services


def _now(hook: Callable[[Any], Any] | None, target: object) -> None:
    """Run a hook of the construction, where nothing can be awaited."""
    if hook is None:
        return
    if inspect.iscoroutinefunction(hook):
        raise ConfigurationError(
            f"{hook.__qualname__} is async, but runs when the App is made; declare here, open in a service's factory."
        )
    hook(target)


@asynccontextmanager
async def _lifespan(app: App) -> AsyncIterator[None]:
    settings = app.settings
    async with AsyncExitStack() as stack:
        develop = app._remember(stack) if settings.env == "development" else None
        running = await stack.enter_async_context(started(app._plan, settings))
        app.drain, app._request_ids = Drain(), RequestIds(settings.forwarded_allow_ips)
        app._running, app._front = running, app._paths(running)
        app._web = app._layered = app._layer(running)
        app._tells_always = every_request_is_logged()
        if traced := spans():
            app._traced = traced.requests(app, app._wrapped or app._serve, app._front)
            app.views.around = traced.view
        try:
            if develop is not None:
                develop()
            yield
        finally:
            app._traced = app.views.around = None
            app.files_changed = _nothing
            app._running = app._layered = None
            app._front, app._web, app._tells_always = app._health, app._stack, True
