"""The start of an application, step by step, and its end in reverse.

settings → secret → what is unsafe anyway → engine → migrations → services → auth → oauth → templates → mcp. A step that fails
names itself, and what was opened before it is closed. Hooks may rely on the order: services are open before any hook runs, users
are known before OAuth asks for them. What a step makes is decided in `steps/`.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import lazyauth
import lazymcp
import lazyoauth
from lazyapp.config import Config
from lazyapp.database import AsyncEngine, opened_engine
from lazyapp.errors import ConfigurationError
from lazyapp.refusals import Facts, refusals
from lazyapp.secret import read_secret
from lazyapp.sessions import Sessions
from lazyapp.settings import Settings
from lazyapp.steps.auth import Login, find_users, has_first_user, opened_login
from lazyapp.steps.beginning import Beginning, Plan, step
from lazyapp.steps.mcp import joined, opened, register
from lazyapp.steps.migrations import bring_up_to_date, require_database
from lazyapp.steps.oauth import make_server
from lazyapp.visitors import Visitors

logger = logging.getLogger("lazyapp")

PURGE_EVERY_S = 600.0
GIVEN = (Settings, AsyncEngine, lazyauth.Authenticator, lazymcp.Scope, Visitors)


@dataclass(frozen=True, slots=True)
class Running:
    """What one run of an application has open."""

    settings: Settings
    sessions: Sessions
    visitors: Visitors
    authenticator: lazyauth.Authenticator
    oauth: "lazyoauth.Server | None"  # in quotes, here and below: a local process loads no server
    mcp: lazymcp.Scope | None


@asynccontextmanager
async def started(
    plan: Plan, settings: Settings, *, web: bool = True, refuse: Callable[[list[str]], None] | None = None
) -> AsyncIterator[Running]:
    """Open everything, hold it open, close it in reverse.

    Args:
        plan: what to start.
        settings: this run's settings.
        web: whether HTTP will be served; without it (stdio) OAuth is left out and nothing is refused.
        refuse: hears why production would refuse this start, which then goes on; None: the first of that is raised.

    Raises:
        ConfigurationError: the start is unsafe or misconfigured.
        StartupError: a step failed; the error names it.
    """
    async with AsyncExitStack() as stack:
        start = Beginning(plan, settings, read_secret(settings))
        judge = (refuse or _refuse) if web and settings.env == "production" else _ignore
        # What can be known beforehand is judged before a migration runs: a start that is refused has changed nothing.
        judge(refusals(settings, _known_facts(start)))
        users = await find_users(start) if has_first_user(plan.config) else None
        engine = await _open_services(start, stack)
        login = await _open_login(start, stack, users, web=web)
        oauth = await make_server(start, login) if web else None
        with step("templates"):
            # In development each is compiled when it is used, and again when it changes: only what is being written is looked at.
            plan.views.compile(plan.config.view_roots if settings.env == "development" else None)
        options = joined(plan.config.mcp_options, engine)
        scope = await register(start, given=options, has_oauth=oauth is not None)
        require_database(start)
        mcp = await stack.enter_async_context(opened(scope))
        judge(refusals(settings, _facts(plan.config, login, oauth, mcp)))
        if oauth:
            await stack.enter_async_context(_tidying(oauth))
        yield Running(settings, login.sessions, login.visitors, login.authenticator, oauth, mcp)


async def _open_services(start: Beginning, stack: AsyncExitStack) -> AsyncEngine:
    settings, services = start.settings, start.plan.services
    with step("migrations"):
        require_database(start)
    engine = await stack.enter_async_context(opened_engine(settings))
    services.give(Settings, settings)
    services.give(AsyncEngine, engine)
    with step("migrations"):
        await bring_up_to_date(start, engine)
    await stack.enter_async_context(services.opened())
    return engine


async def _open_login(start: Beginning, stack: AsyncExitStack, users: lazyauth.Config | None, *, web: bool) -> Login:
    users = users or await find_users(start)
    start.plan.services.give(lazyauth.Authenticator, users.authenticator)
    login = await stack.enter_async_context(opened_login(start, users, web=web))
    start.plan.services.give(Visitors, login.visitors)
    return login


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


def _known_facts(start: Beginning) -> Facts:
    """What needs no service and no hook to be known."""
    return Facts(
        has_oauth=start.plan.config.oauth is not None,
        has_test_documents=bool(start.settings.oauth_test_documents.strip()),
    )


def _facts(config: Config, login: Login, oauth: "lazyoauth.Server | None", mcp: lazymcp.Scope | None) -> Facts:
    users = oauth.config.authenticator if oauth else login.authenticator
    states = oauth.config.refresh_token_states if oauth else None
    return Facts(
        has_mcp=mcp is not None,
        has_oauth=oauth is not None,
        has_authorizer=config.mcp_options.authorizer is not None,
        users_in_memory=len(users) if isinstance(users, lazyauth.MemoryUsers) else None,
        # A store of the application's own is taken at its word: without the attributes it is shared and durable.
        states_are_shared=None if states is None else bool(getattr(states, "is_shared", True)),
        states_are_durable=None if states is None else bool(getattr(states, "is_durable", True)),
        assertions_are_shared=None if oauth is None else _is_shared(oauth.config.assertions),
        has_test_documents=oauth is not None and bool(oauth.config.test_documents),
    )


def _is_shared(assertions: "lazyoauth.AssertionStore | None") -> bool:
    return assertions is not None and bool(getattr(assertions, "is_shared", True))


def _ignore(found: list[str]) -> None:
    """Outside production everything may start."""


def _refuse(found: list[str]) -> None:
    if found:
        raise ConfigurationError(found[0])
