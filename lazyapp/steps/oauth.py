"""The step "oauth": the authorization server, with what the application left open in its configuration filled in."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import lazyoauth
from lazyapp.errors import ConfigurationError
from lazyapp.login_trace import LoginTrace
from lazyapp.settings import LOOPBACK, Settings
from lazyapp.steps.auth import Login, limits_of
from lazyapp.steps.beginning import Beginning, called, step
from lazyapp.steps.mcp import MCP_PATH
from lazyapp.visitors import PagesBrowser
from lazyview import Views


async def make_server(start: Beginning, login: Login) -> "lazyoauth.Server | None":  # in quotes: a local process loads no server
    """The authorization server of `Config.oauth`; None without.

    Raises:
        ConfigurationError: it does not take its configuration.
        StartupError: the hook failed.
    """
    plan, settings, secret = start.plan, start.settings, start.secret
    if plan.config.oauth is None:
        return None
    with step("oauth"):
        given = await called(plan.config.oauth, start.context) if callable(plan.config.oauth) else plan.config.oauth
        config = replace(
            given,
            authenticator=given.authenticator or login.authenticator,
            secret=given.secret or secret.current,
            secret_fallbacks=given.secret_fallbacks or secret.fallbacks,
            signing_key_version=max(given.signing_key_version, settings.signing_key_version),
            name=given.name or plan.config.name,
            local_issuers=given.local_issuers or _local_issuers(settings, given.issuer),
            limits=limits_of(settings, given.limits),
            test_documents=_test_documents(settings) or given.test_documents,
            render=given.render or _page_renderer(plan.views),
            assertions=given.assertions or _assertions_beside(given.refresh_token_states),
            connections=given.connections or _connections_beside(given.refresh_token_states),
            browser=given.browser or PagesBrowser(login.sessions, login.visitors),
            login_throttle=given.login_throttle or login.throttle,
            sign_in_links=given.sign_in_links or login.links,
            passwords=given.passwords and login.visitors.passwords,
            observer=LoginTrace(given.observer) if settings.env == "development" else given.observer,
        )
        if config.resource_path != MCP_PATH:
            raise ConfigurationError(
                f"lazyoauth.Config(resource_path={config.resource_path!r}) must be {MCP_PATH!r}, where MCP is served."
            )
        return lazyoauth.Server(config)


def _connections_beside(states: lazyoauth.RefreshTokenStateStore) -> "lazyoauth.Connections | None":
    """The list of logins, in the database where the logins are."""
    return lazyoauth.SQLConnections(states.engine) if isinstance(states, lazyoauth.SQLRefreshTokenStates) else None


def _assertions_beside(states: lazyoauth.RefreshTokenStateStore) -> "lazyoauth.AssertionStore | None":
    """The memory of used client assertions, in the database where the logins are: every process asks the same one."""
    return lazyoauth.SQLAssertions(states.engine) if isinstance(states, lazyoauth.SQLRefreshTokenStates) else None


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
