"""The start of an application, step by step, and its end in reverse.

settings → secret → engine → services → auth → oauth → templates → mcp. A step that fails names itself, and what was opened before
it is closed. Hooks may rely on the order: services are open before any hook runs, users are known before OAuth asks for them.
"""

import asyncio
import inspect
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import lazyauth
import lazymcp
import lazyoauth
from lazyapp.config import AppContext, Config
from lazyapp.database import AsyncEngine, opened_engine
from lazyapp.errors import ConfigurationError, LazyappError, StartupError
from lazyapp.login_trace import LoginTrace
from lazyapp.refusals import Facts, refusals
from lazyapp.secret import Secret, read_secret
from lazyapp.services import Services
from lazyapp.sessions import Sessions
from lazyapp.settings import LOOPBACK, Settings
from lazyapp.sign_in import sign_in_links
from lazyapp.visitors import PagesBrowser, Visitors
from lazymcp.sql import PostgresBus
from lazymcp.task_sql import SQLTasks
from lazyview import Views

logger = logging.getLogger("lazyapp")

MCP_PATH = "/mcp"
# RFC 9728, section 3.1: the well-known part comes before the path.
METADATA_PATH = f"/.well-known/oauth-protected-resource{MCP_PATH}"
PURGE_EVERY_S = 600.0
GIVEN = (Settings, AsyncEngine, lazyauth.Authenticator, lazymcp.Scope, Visitors)


@dataclass(frozen=True, slots=True)
class Running:
    """What one run of an application has open."""

    settings: Settings
    secret: Secret
    authenticator: lazyauth.Authenticator
    sessions: Sessions
    visitors: Visitors
    oauth: "lazyoauth.Server | None"  # in quotes, here and below: a local process loads no server
    mcp: lazymcp.Scope | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known before a start: the composition, its services and its views."""

    config: Config
    services: Services
    views: Views
    version: str

    def context(self, settings: Settings) -> AppContext:
        """What hooks are handed."""
        return AppContext(self.config.name, settings, self.services)


@asynccontextmanager
async def started(plan: Plan, settings: Settings, *, web: bool = True) -> AsyncIterator[Running]:
    """Open everything, hold it open, close it in reverse.

    Args:
        plan: what to start.
        settings: this run's settings.
        web: whether HTTP will be served; without it (stdio) OAuth is left out and nothing is refused.

    Raises:
        ConfigurationError: the start is unsafe or misconfigured.
        StartupError: a step failed; the error names it.
    """
    async with AsyncExitStack() as stack:
        secret = read_secret(settings)
        if settings.env == "production" and settings.database_url is None and plan.services.needs(AsyncEngine):
            raise ConfigurationError("DATABASE_URL is not set; production needs one such as postgresql://user:password@host/name.")
        engine = await stack.enter_async_context(opened_engine(settings))
        plan.services.give(Settings, settings)
        plan.services.give(AsyncEngine, engine)
        await stack.enter_async_context(plan.services.opened())
        context = plan.context(settings)
        users = await _users(plan.config, context)
        authenticator = users.authenticator
        plan.services.give(lazyauth.Authenticator, authenticator)
        throttle = await stack.enter_async_context(_throttle(authenticator, web=web))
        login = _login(plan.config, settings, secret, users, throttle if web else None)
        plan.services.give(Visitors, login.visitors)
        oauth = await _oauth(plan, context, secret, authenticator, login) if web else None
        with _step("templates"):
            plan.views.compile()
        scope = await register(plan, context, secret, oauth, given=_joined(plan.config.mcp_options, engine))
        mcp = None if scope.empty else scope
        if mcp:
            await _open(mcp, stack)
        if web and settings.env == "production":
            _refuse(settings, _facts(plan.config, authenticator, oauth, mcp))
        if oauth:
            await stack.enter_async_context(_tidying(oauth[0]))
        yield Running(settings, secret, authenticator, login.sessions, login.visitors, oauth[0] if oauth else None, mcp)


@asynccontextmanager
async def _tidying(oauth: "lazyoauth.Server") -> AsyncIterator[None]:
    """Forget logins that have long ended, now and then, for as long as the block runs."""

    async def tidy() -> None:
        while True:
            await asyncio.sleep(PURGE_EVERY_S)
            try:
                await oauth.purge()
            except Exception as error:  # the database may be away; the rows wait
                logger.warning("ended logins could not be removed: %s", type(error).__name__)

    task = asyncio.create_task(tidy())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def _joined(given: lazymcp.Options, engine: AsyncEngine) -> lazymcp.Options:
    """Options by which the processes of an application that share a database are one server. Nothing is opened yet."""
    bus = PostgresBus(engine) if given.bus is None and engine.dialect.name == "postgresql" else given.bus
    return replace(given, bus=bus, tasks=given.tasks or SQLTasks(engine))


async def _open(mcp: lazymcp.Scope, stack: AsyncExitStack) -> None:
    bus = mcp.options.bus
    if isinstance(bus, PostgresBus) and not bus.is_open:
        with _step("mcp"):
            await stack.enter_async_context(bus)
    # Before the bus is closed: what the last tasks tell still goes out.
    stack.push_async_callback(mcp.end_tasks)


async def register(
    plan: Plan, context: AppContext, secret: Secret, oauth: object | None = None, *, given: lazymcp.Options | None = None
) -> lazymcp.Scope:
    """A scope that holds the application's MCP modules, with what the application left open in its options filled in.

    Args:
        given: the options to fill in, if they are not just the application's.
    """
    settings = context.settings
    given = given or plan.config.mcp_options
    own = lazymcp.ServerInfo(name=plan.config.name, version=plan.version)
    scope = lazymcp.Scope(
        replace(
            given,
            views=given.views or lazymcp.view_renderer(plan.views),
            secret=given.secret or secret.current,
            secret_fallbacks=given.secret_fallbacks or secret.fallbacks,
            allowed_hosts=given.allowed_hosts if given.allowed_hosts is not None else settings.hosts,
            endpoint=given.endpoint or settings.public_url + MCP_PATH,
            build=given.build or plan.services.build,
            server_info=own if given.server_info in (None, lazymcp.ServerInfo()) else given.server_info,
            resource_metadata=given.resource_metadata or (f"{settings.public_url}{METADATA_PATH}" if oauth else None),
        )
    )
    context.services.give(lazymcp.Scope, scope)
    if plan.config.mcp is not None:
        with _step("mcp"):
            await _called(plan.config.mcp, context, scope)
            await scope.ready()
    return scope


async def _users(config: Config, context: AppContext) -> lazyauth.Config:
    if config.auth is None:
        settings = context.settings
        password = settings.default_pass.get_secret_value() if settings.default_pass is not None else None
        try:
            return lazyauth.Config(authenticator=await lazyauth.bootstrap_users(settings.default_user, password))
        except lazyauth.WeakPassword as error:
            raise ConfigurationError(str(error)) from None
    with _step("auth"):
        given = await _called(config.auth, context) if callable(config.auth) else config.auth
        return given if isinstance(given, lazyauth.Config) else lazyauth.Config(authenticator=given)


@dataclass(frozen=True, slots=True)
class _Login:
    """What the pages' login and the authorization server's have in common."""

    sessions: Sessions
    visitors: Visitors
    throttle: lazyauth.LoginThrottle | None
    links: Callable[[str], Mapping[str, str]] | None


@asynccontextmanager
async def _throttle(authenticator: lazyauth.Authenticator, *, web: bool) -> AsyncIterator[lazyauth.LoginThrottle]:
    """What counts wrong passwords; for all processes together where they share a database of users."""
    if web and isinstance(authenticator, lazyauth.SQLUsers):
        async with lazyauth.SQLLoginFailures(authenticator.engine) as tallies:
            yield lazyauth.LoginThrottle(tallies)
    else:
        yield lazyauth.LoginThrottle()


def _login(
    config: Config, settings: Settings, secret: Secret, users: lazyauth.Config, throttle: lazyauth.LoginThrottle | None
) -> _Login:
    secure = settings.public_url.startswith("https:")
    sessions = Sessions(secret.current, secret.fallbacks, config.sessions, secure=secure)
    counted = _pages_throttle(settings, throttle) if throttle else None
    visitors = Visitors(users.authenticator, config.sessions, throttle=counted, sso=users.sso)
    return _Login(sessions, visitors, throttle, partial(sign_in_links, users.sso.label) if users.sso else None)


def _pages_throttle(settings: Settings, throttle: lazyauth.LoginThrottle) -> lazyauth.LoginThrottle | None:
    """The throttle by the rule of the settings; what fails on one login page counts on the other."""
    from lazyoauth.limits import login_throttle

    return login_throttle(_limits(settings, lazyoauth.Limits()), throttle, time.time)


async def _oauth(
    plan: Plan, context: AppContext, secret: Secret, authenticator: lazyauth.Authenticator, login: "_Login"
) -> "tuple[lazyoauth.Server, lazyoauth.Config] | None":
    if plan.config.oauth is None:
        return None
    settings = context.settings
    with _step("oauth"):
        given = await _called(plan.config.oauth, context) if callable(plan.config.oauth) else plan.config.oauth
        config = replace(
            given,
            authenticator=given.authenticator or authenticator,
            secret=given.secret or secret.current,
            secret_fallbacks=given.secret_fallbacks or secret.fallbacks,
            name=given.name or plan.config.name,
            local_issuers=given.local_issuers or _local_issuers(settings, given.issuer),
            limits=_limits(settings, given.limits),
            test_documents=_test_documents(settings) or given.test_documents,
            render=given.render or _page_renderer(plan.views),
            assertions=given.assertions or _assertions_beside(given.refresh_token_states),
            connections=given.connections or _connections_beside(given.refresh_token_states),
            browser=given.browser or PagesBrowser(login.sessions, login.visitors),
            login_throttle=given.login_throttle or login.throttle,
            sign_in_links=given.sign_in_links or login.links,
            observer=LoginTrace(given.observer) if settings.env == "development" else given.observer,
        )
        if config.resource_path != MCP_PATH:
            raise ConfigurationError(
                f"lazyoauth.Config(resource_path={config.resource_path!r}) must be {MCP_PATH!r}, where MCP is served."
            )
        return lazyoauth.Server(config), config


def _connections_beside(states: lazyoauth.RefreshTokenStateStore) -> "lazyoauth.Connections | None":
    """The list of logins, in the database where the logins are."""
    return lazyoauth.SQLConnections(states.engine) if isinstance(states, lazyoauth.SQLRefreshTokenStates) else None


def _assertions_beside(states: lazyoauth.RefreshTokenStateStore) -> "lazyoauth.AssertionStore | None":
    """The memory of used client assertions, in the database where the logins are: every process asks the same one."""
    return lazyoauth.SQLAssertions(states.engine) if isinstance(states, lazyoauth.SQLRefreshTokenStates) else None


def _limits(settings: Settings, given: lazyoauth.Limits) -> lazyoauth.Limits:
    try:
        return given.override(settings.oauth_limits) if settings.oauth_limits else given
    except lazyoauth.ConfigError as error:
        raise ConfigurationError(f"LAZYOAUTH_LIMITS: {error}.") from None


def _test_documents(settings: Settings) -> Mapping[str, str]:
    """`https://claude.ai/=http://127.0.0.1:7699/claude.ai/,…`: where documents of clients are asked for instead."""
    pairs = [part.strip().partition("=") for part in settings.oauth_test_documents.split(",") if part.strip()]
    return {prefix: base for prefix, _, base in pairs}


def _local_issuers(settings: Settings, issuer: str) -> tuple[str, ...]:
    parts = urlsplit(issuer)
    if settings.env == "production" or parts.hostname not in LOOPBACK or parts.scheme != "http":
        return ()
    port = f":{parts.port}" if parts.port else ""
    return tuple(f"http://{host}{port}" for host in ("localhost", "127.0.0.1", "[::1]"))


def _page_renderer(views: Views) -> Callable[[str, Any], str] | None:
    """Login and consent in the application's own layout, where it has one."""
    if not views.exists("layouts/app"):
        return None
    return lambda name, variables: views.render(name, variables, layout="app")


def _facts(
    config: Config,
    authenticator: lazyauth.Authenticator,
    oauth: "tuple[lazyoauth.Server, lazyoauth.Config] | None",
    mcp: lazymcp.Scope | None,
) -> Facts:
    users = oauth[1].authenticator if oauth else authenticator
    states = oauth[1].refresh_token_states if oauth else None
    return Facts(
        has_mcp=mcp is not None,
        has_oauth=oauth is not None,
        has_authorizer=config.mcp_options.authorizer is not None,
        users_in_memory=len(users) if isinstance(users, lazyauth.MemoryUsers) else None,
        # A store of the application's own is taken at its word: without the attributes it is shared and durable.
        states_are_shared=None if states is None else bool(getattr(states, "is_shared", True)),
        states_are_durable=None if states is None else bool(getattr(states, "is_durable", True)),
        has_test_documents=oauth is not None and bool(oauth[1].test_documents),
    )


def _refuse(settings: Settings, facts: Facts) -> None:
    if found := refusals(settings, facts):
        raise ConfigurationError(found[0])


async def _called(hook: Callable[..., Any], *arguments: Any) -> Any:
    answer = hook(*arguments)
    return await answer if inspect.isawaitable(answer) else answer


@contextmanager
def _step(name: str) -> Iterator[None]:
    try:
        yield
    except LazyappError:
        raise
    except lazyoauth.ConfigError as error:
        raise ConfigurationError(str(error)) from error
    except Exception as error:
        raise StartupError(name, str(error) or type(error).__name__) from error
