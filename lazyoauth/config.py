"""`Config`: what an application says about its authorization server."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lazyauth import Authenticator, LoginThrottle, User
from lazyoauth.assertions import AssertionStore
from lazyoauth.browser import BrowserSession
from lazyoauth.connections import Connections
from lazyoauth.errors import ConfigError
from lazyoauth.lifetimes import Clock, Lifetimes
from lazyoauth.limits import Limits
from lazyoauth.registered import RegisteredClient
from lazyoauth.registered import check as check_clients
from lazyoauth.scopes import OFFLINE_ACCESS
from lazyoauth.store import RefreshTokenStateStore
from lazyoauth.trace import Observer

# A view root for whoever passes `render`: the views are `oauth/login`, `oauth/consent` and `oauth/error`.
TEMPLATES = Path(__file__).parent / "templates"

# A theft is noticed later by the window, and two refreshes within the merge give one token.
MAX_RETRY_WINDOW_S, MAX_BURST_MERGE_S = 300, 5

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
        signing_key_version: raise it by one when the key that signs access tokens was stolen, and not the secret: all access tokens
            end at once, no login does. lazyapp fills it from `SIGNING_KEY_VERSION`.
        resource_path: the resource is the issuer plus this path.
        local_issuers: further issuers under which this server may be asked, in development. The one asked is chosen by the
            `Host` header among these and `issuer`; codes and tokens are bound to it.
        name: the application's name on the pages.
        render: makes a complete page of a view name (`oauth/login`) and its variables; None uses this package's own layout.
        browser: the login of the application's own pages; with it a person who is signed in there goes straight to consent, and one
            who signs in here is signed in there. lazyapp supplies its session.
        sign_in_links: further ways to sign in, for the login pages: given the path to come back to, the paths by their labels.
            Whoever comes back must be known to `browser`.
        passwords: whether the login pages ask for a name and a password; False where `sign_in_links` are the only ways in.
        scopes: what can be granted besides `offline_access`; a request that names none gets all of them.
        scope_texts: what a scope allows, in words that end the sentence "It will be able to …"; for example
            `{"notes": "Read and change your notes"}`.
        claims: further claims of an access token, asked at each issue; the default copies `mcps` from the user's data.
        clients: clients known before they come, with a secret or keys if they can keep them.
        assertions: where used client assertions are remembered; every process must use the same. None: in memory.
        client_documents: whether a client's id may be the URL of a document about it, which is then fetched.
        test_documents: for tests, URL prefixes of such documents and the base that is asked in their place:
            `{"https://claude.ai/": "http://127.0.0.1:7699/claude.ai/"}`. lazyapp fills it from `LAZYOAUTH_TEST_DOCUMENTS`.
        connections: where the list of logins is kept that people see; None keeps it in memory.
        lifetimes: how long codes, tokens and logins last.
        limits: how often things may be asked for.
        login_throttle: what counts wrong passwords, by the rule of `limits.login_failures`; None: one for this process.
        refresh_retry_window_s: how long a used refresh token may come again after a lost answer, 300 at most; 0 is strict. It gets
            the same successor again, so no second line of tokens begins.
        refresh_burst_merge_s: how long the newest refresh token, when it comes back at once, is answered by itself, 5 at most.
        heal_after_restore: let a client go on whose refresh token is newer than the store, which a backup has set back in time.
        observer: is told of each answer, with the rule that the request satisfied or broke, and no secret. It is called in the
            request, so it should be quick. lazyapp shows the last ones at `/_lazy/logins` in development.
        now: the clock, Unix seconds.
    """

    issuer: str
    refresh_token_states: RefreshTokenStateStore
    authenticator: Authenticator | None = None
    secret: str | None = field(default=None, repr=False)
    secret_fallbacks: tuple[str, ...] = field(default=(), repr=False)
    signing_key_version: int = 1
    resource_path: str = "/mcp"
    local_issuers: tuple[str, ...] = ()
    name: str = ""
    render: Render | None = None
    browser: BrowserSession | None = None
    sign_in_links: Callable[[str], Mapping[str, str]] | None = None
    passwords: bool = True
    scopes: tuple[str, ...] = ("mcp",)
    scope_texts: Mapping[str, str] = field(default_factory=dict)
    claims: Callable[[User], Mapping[str, Any]] = copy_mcps
    clients: tuple[RegisteredClient, ...] = ()
    assertions: AssertionStore | None = None
    client_documents: bool = True
    test_documents: Mapping[str, str] = field(default_factory=dict)
    connections: Connections | None = None
    lifetimes: Lifetimes = field(default_factory=Lifetimes)
    limits: Limits = field(default_factory=Limits)
    login_throttle: LoginThrottle | None = None
    refresh_retry_window_s: float = 0
    refresh_burst_merge_s: float = 0
    heal_after_restore: bool = False
    observer: Observer | None = None
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
    if config.signing_key_version < 1:
        raise ConfigError("lazyoauth.Config.signing_key_version (SIGNING_KEY_VERSION) must be 1 or more")
    if config.authenticator is None:
        raise ConfigError("lazyoauth.Config.authenticator is missing (give it a lazyauth.Authenticator)")
    if not config.passwords and (config.sign_in_links is None or config.browser is None):
        raise ConfigError("lazyoauth.Config.passwords is False: give it sign_in_links and browser too, or nobody could sign in")
    if not config.resource_path.startswith("/") or config.resource_path.endswith("/") or not _is_plain(config.resource_path):
        raise ConfigError(f"lazyoauth.Config.resource_path {config.resource_path!r} must begin with a slash and not end with one")
    if not config.scopes or OFFLINE_ACCESS in config.scopes or not all(_is_plain(scope) for scope in config.scopes):
        raise ConfigError("lazyoauth.Config.scopes needs one or more names without spaces or quotes, and not offline_access")
    check_clients(config.clients, config.scopes)
    for prefix, base in config.test_documents.items():
        if not prefix.startswith("https://") or not base.startswith(("http://", "https://")) or not (prefix[-1] == base[-1] == "/"):
            raise ConfigError(
                f"lazyoauth.Config.test_documents (LAZYOAUTH_TEST_DOCUMENTS) {prefix}={base} must be an https prefix and a base, "
                "each with a slash at its end"
            )
    if not 0 <= config.refresh_retry_window_s <= MAX_RETRY_WINDOW_S:
        raise ConfigError(f"lazyoauth.Config.refresh_retry_window_s must be from 0 to {MAX_RETRY_WINDOW_S} seconds")
    if not 0 <= config.refresh_burst_merge_s <= MAX_BURST_MERGE_S:
        raise ConfigError(f"lazyoauth.Config.refresh_burst_merge_s must be from 0 to {MAX_BURST_MERGE_S} seconds")


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
