"""The step "auth": who the users are, and what the login of the pages has in common with that of AI clients."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import lazyauth
import lazyoauth
from lazyapp.config import AppContext, Config
from lazyapp.errors import ConfigurationError
from lazyapp.sessions import Sessions
from lazyapp.settings import Settings
from lazyapp.sign_in import sign_in_links
from lazyapp.steps.beginning import Beginning, called, step
from lazyapp.visitors import Visitors


@dataclass(frozen=True, slots=True)
class Login:
    """What the pages' login and the authorization server's have in common."""

    authenticator: lazyauth.Authenticator
    sessions: Sessions
    visitors: Visitors
    throttle: lazyauth.LoginThrottle | None
    links: Callable[[str], Mapping[str, str]] | None


async def first_user(context: AppContext) -> lazyauth.Authenticator:
    """The one user whom LAZYAUTH_DEFAULT_USER and LAZYAUTH_DEFAULT_PASS name; nobody where no password is set.

    That is who signs in to an application with `oauth=` and without `auth=`. `Config(auth=lazyapp.first_user)` says it where there
    is no OAuth, so that the pages have a login; `lazyapp serve` makes up a password for this user in both cases.

    Raises:
        ConfigurationError: LAZYAUTH_DEFAULT_PASS is too weak.
    """
    settings = context.settings
    password = settings.default_pass.get_secret_value() if settings.default_pass is not None else None
    try:
        return await lazyauth.bootstrap_users(settings.default_user, password)
    except lazyauth.WeakPassword as error:
        raise ConfigurationError(str(error)) from None


def has_first_user(config: Config) -> bool:
    """Whether the users of an application are the first one alone, and not its own."""
    return config.auth is None or config.auth is first_user


async def find_users(start: Beginning) -> lazyauth.Config:
    """The users of `Config.auth`; without it the one of LAZYAUTH_DEFAULT_PASS, else nobody.

    Raises:
        ConfigurationError: LAZYAUTH_DEFAULT_PASS is too weak.
        StartupError: the hook failed.
    """
    config = start.plan.config
    if config.auth is None:
        return lazyauth.Config(authenticator=await first_user(start.context))
    with step("auth"):
        given = await called(config.auth, start.context) if callable(config.auth) else config.auth
        return given if isinstance(given, lazyauth.Config) else lazyauth.Config(authenticator=given)


@asynccontextmanager
async def opened_login(start: Beginning, users: lazyauth.Config, *, web: bool) -> AsyncIterator[Login]:
    """The login of these users, with what it has open; without a web nobody types a password, so none is counted."""
    secret, settings, config = start.secret, start.settings, start.plan.config
    secure = settings.public_url.startswith("https:")
    sessions = Sessions(secret.current, secret.fallbacks, config.sessions, secure=secure)
    links = partial(sign_in_links, users.sso.label) if users.sso else None
    async with _opened_throttle(users.authenticator, web=web) as throttle:
        counted = _pages_throttle(settings, throttle) if throttle else None
        visitors = Visitors(users.authenticator, config.sessions, throttle=counted, sso=users.sso, passwords=users.passwords)
        yield Login(users.authenticator, sessions, visitors, throttle, links)


def limits_of(settings: Settings, given: lazyoauth.Limits) -> lazyoauth.Limits:
    """The limits as LAZYOAUTH_LIMITS has changed them.

    Raises:
        ConfigurationError: it names a limit or a rate that there is not.
    """
    try:
        return given.override(settings.oauth_limits) if settings.oauth_limits else given
    except lazyoauth.ConfigError as error:
        raise ConfigurationError(f"LAZYOAUTH_LIMITS: {error}.") from None


@asynccontextmanager
async def _opened_throttle(authenticator: lazyauth.Authenticator, *, web: bool) -> AsyncIterator[lazyauth.LoginThrottle | None]:
    """What counts wrong passwords; for all processes together where they share a database of users."""
    if not web:
        yield None
    elif isinstance(authenticator, lazyauth.SQLUsers):
        async with lazyauth.SQLLoginFailures(authenticator.engine) as tallies:
            yield lazyauth.LoginThrottle(tallies)
    else:
        yield lazyauth.LoginThrottle()


def _pages_throttle(settings: Settings, throttle: lazyauth.LoginThrottle) -> lazyauth.LoginThrottle | None:
    """The throttle by the rule of the settings; what fails on one login page counts on the other."""
    # Imported here: a local process loads no rate limits.
    from lazyoauth.limits import login_throttle

    return login_throttle(limits_of(settings, lazyoauth.Limits()), throttle, time.time)
