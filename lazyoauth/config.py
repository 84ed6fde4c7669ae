"""`Config`: what an application says about its authorization server."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lazyauth import Authenticator, User
from lazyoauth.connections import Connections
from lazyoauth.errors import ConfigError
from lazyoauth.lifetimes import Clock, Lifetimes
from lazyoauth.limits import Limits
from lazyoauth.registered import RegisteredClient
from lazyoauth.registered import check as check_clients
from lazyoauth.scopes import OFFLINE_ACCESS
from lazyoauth.store import RefreshTokenStateStore

# A view root for whoever passes `render`: the views are `oauth/login`, `oauth/consent` and `oauth/error`.
TEMPLATES = Path(__file__).parent / "templates"

Render = Callable[[str, Mapping[str, Any]], str]


def copy_mcps(user: User) -> Mapping[str, Any]:
    """The claim that says which MCP modules the user may use, if the user's data says so."""
    return {"mcps": user.data["mcps"]} if "mcps" in user.data else {}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The settings of a `Server`. They are checked when the server is made.

    Attributes:
        issuer: the public origin, without a slash at the end: `https://example.com`. It is used byte for byte everywhere.
        refresh_token_states: where logins are kept.
        authenticator: who checks passwords and renews users. lazyapp fills it from `Config.auth`.
        secret: 32 bytes or more; every key is derived from it. lazyapp fills it from `SECRET_KEY`.
        secret_fallbacks: earlier secrets, whose tokens are still accepted.
        resource_path: the resource is the issuer plus this path.
        local_issuers: further issuers under which this server may be asked, in development. The one asked is chosen by the
            `Host` header among these and `issuer`; codes and tokens are bound to it.
        name: the application's name on the pages.
        render: makes a complete page of a view name (`oauth/login`) and its variables; None uses this package's own layout.
        scopes: what can be granted besides `offline_access`; a request that names none gets all of them.
        scope_texts: what a scope allows, in words that end the sentence "It will be able to …"; for example
            `{"notes": "Read and change your notes"}`.
        claims: further claims of an access token, asked at each issue; the default copies `mcps` from the user's data.
        clients: clients known before they come, with a secret or keys if they can keep them.
        connections: where the list of logins is kept that people see; None keeps it in memory.
        lifetimes: how long codes, tokens and logins last.
        limits: how often things may be asked for.
        refresh_retry_window_s: how long a used refresh token may come again after a lost answer; 0 is strict.
        now: the clock, Unix seconds.
    """

    issuer: str
    refresh_token_states: RefreshTokenStateStore
    authenticator: Authenticator | None = None
    secret: str | None = field(default=None, repr=False)
    secret_fallbacks: tuple[str, ...] = field(default=(), repr=False)
    resource_path: str = "/mcp"
    local_issuers: tuple[str, ...] = ()
    name: str = ""
    render: Render | None = None
    scopes: tuple[str, ...] = ("mcp",)
    scope_texts: Mapping[str, str] = field(default_factory=dict)
    claims: Callable[[User], Mapping[str, Any]] = copy_mcps
    clients: tuple[RegisteredClient, ...] = ()
    connections: Connections | None = None
    lifetimes: Lifetimes = field(default_factory=Lifetimes)
    limits: Limits = field(default_factory=Limits)
    refresh_retry_window_s: float = 0
    now: Clock = time.time


def check(config: Config) -> None:
    """Refuse settings that cannot work.

    Raises:
        ConfigError: one sentence, naming the setting.
    """
    for issuer in (config.issuer, *config.local_issuers):
        _check_issuer(issuer)
    if not config.secret:
        raise ConfigError("lazyoauth.Config.secret is missing (give it 32 random bytes or more; lazyapp reads SECRET_KEY)")
    if config.authenticator is None:
        raise ConfigError("lazyoauth.Config.authenticator is missing (give it a lazyauth.Authenticator)")
    if not config.resource_path.startswith("/") or config.resource_path.endswith("/") or not _is_plain(config.resource_path):
        raise ConfigError(f"lazyoauth.Config.resource_path {config.resource_path!r} must begin with a slash and not end with one")
    if not config.scopes or OFFLINE_ACCESS in config.scopes or not all(_is_plain(scope) for scope in config.scopes):
        raise ConfigError("lazyoauth.Config.scopes needs one or more names without spaces or quotes, and not offline_access")
    check_clients(config.clients, config.scopes)
    if config.refresh_retry_window_s:
        raise ConfigError("lazyoauth.Config.refresh_retry_window_s other than 0 is not supported yet")


def _check_issuer(issuer: str) -> None:
    """RFC 8414, section 2, and narrower: an origin. Clients compare it byte for byte, so nothing here normalises it."""
    setting = f"lazyoauth.Config.issuer {issuer!r}"
    try:
        parts = urlsplit(issuer)
        port = parts.port
    except ValueError:
        raise ConfigError(f"{setting} is no URL (set PUBLIC_URL, for example https://example.com)") from None
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ConfigError(f"{setting} must be an http or https URL (set PUBLIC_URL, for example https://example.com)")
    if parts.path == "/" and not parts.query and not parts.fragment:
        raise ConfigError(f"{setting} must not end with a slash (set PUBLIC_URL to {issuer.rstrip('/')})")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if issuer != f"{parts.scheme}://{host}" + (f":{port}" if port is not None else ""):
        raise ConfigError(f"{setting} must be a plain origin in lower case, without path, query, fragment or user")


def _is_plain(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and not any(character in text for character in ' "\\?#')
