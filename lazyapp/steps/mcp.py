"""The step "mcp": the application's MCP modules in one scope, and what joins its processes into one server."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import lazymcp
from lazyapp.database import AsyncEngine
from lazyapp.steps.beginning import Beginning, called, step
from lazyapp.tool_depends import Dependencies
from lazyapp.tracing import spans
from lazymcp.sql import PostgresBus
from lazymcp.surroundings import Surround
from lazymcp.task_sql import SQLTasks

MCP_PATH = "/mcp"
NO_MODULES = "This application has no MCP modules; register one in init/mcp.py."
# RFC 9728, section 3.1: the well-known part comes before the path.
METADATA_PATH = f"/.well-known/oauth-protected-resource{MCP_PATH}"


async def register(start: Beginning, *, given: lazymcp.Options | None = None, has_oauth: bool = False) -> lazymcp.Scope:
    """A scope that holds the application's MCP modules, with what the application left open in its options filled in.

    Args:
        start: whose modules.
        given: the options to fill in, if they are not just the application's.
        has_oauth: whether an authorization server says where tokens for it are given.

    Raises:
        StartupError: the hook failed, or a module cannot be published.
    """
    plan, settings, secret = start.plan, start.settings, start.secret
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
            surround=given.surround or _surround(Dependencies(plan.services, plan.overrides)),
            resource_metadata=given.resource_metadata or (f"{settings.public_url}{METADATA_PATH}" if has_oauth else None),
        )
    )
    plan.services.give(lazymcp.Scope, scope)
    if plan.config.mcp is not None:
        with step("mcp"):
            await called(plan.config.mcp, start.context, scope)
            await scope.ready()
    return scope


def _surround(dependencies: Dependencies) -> Surround:
    traced = spans()

    def surround(fn: Callable[..., Any], method: str, name: str) -> lazymcp.Surroundings | None:
        found = dependencies.surround(fn)
        return traced.around(found, method, name) if traced else found

    return surround


def joined(given: lazymcp.Options, engine: AsyncEngine) -> lazymcp.Options:
    """Options by which the processes of an application that share a database are one server. Nothing is opened yet."""
    bus = PostgresBus(engine) if given.bus is None and engine.dialect.name == "postgresql" else given.bus
    return replace(given, bus=bus, tasks=given.tasks or SQLTasks(engine))


@asynccontextmanager
async def opened(scope: lazymcp.Scope) -> AsyncIterator[lazymcp.Scope | None]:
    """The scope with its bus open, its tasks ended afterwards; None, and nothing is opened, where it holds no module.

    Raises:
        StartupError: the database of the bus is not there.
    """
    if scope.empty:
        yield None
        return
    async with AsyncExitStack() as stack:
        bus = scope.options.bus
        if isinstance(bus, PostgresBus) and not bus.is_open:
            with step("mcp"):
                await stack.enter_async_context(bus)
        # Before the bus is closed: what the last tasks tell still goes out.
        stack.push_async_callback(scope.end_tasks)
        yield scope
