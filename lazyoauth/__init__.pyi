"""An OAuth 2.1 authorization server for AI clients, and the bearer guard of the resource they call."""

from lazyoauth.assertion_sql import SQLAssertions
from lazyoauth.assertions import AssertionStore, MemoryAssertions
from lazyoauth.browser import BrowserSession, SignedIn
from lazyoauth.config import TEMPLATES, Config
from lazyoauth.connection_sql import SQLConnections
from lazyoauth.connections import Connection, Connections, MemoryConnections
from lazyoauth.errors import (
    AccessDenied,
    ConfigError,
    InvalidClient,
    InvalidGrant,
    InvalidRequest,
    InvalidScope,
    InvalidTarget,
    InvalidToken,
    OAuthError,
    TemporarilyUnavailable,
    TooManyRequests,
)
from lazyoauth.lifetimes import Lifetimes
from lazyoauth.limits import Limits
from lazyoauth.memory import MemoryRefreshTokenStates
from lazyoauth.registered import RegisteredClient
from lazyoauth.server import Server
from lazyoauth.sql import SQLRefreshTokenStates
from lazyoauth.sql_engine import create_tables, prepare_sqlite
from lazyoauth.store import FamilyState, RefreshTokenStateStore, RotateOutcome, Rotation, classify
from lazyoauth.trace import Event

__all__ = [
    "TEMPLATES",
    "AccessDenied",
    "AssertionStore",
    "BrowserSession",
    "Config",
    "ConfigError",
    "Connection",
    "Connections",
    "Event",
    "FamilyState",
    "InvalidClient",
    "InvalidGrant",
    "InvalidRequest",
    "InvalidScope",
    "InvalidTarget",
    "InvalidToken",
    "Lifetimes",
    "Limits",
    "MemoryAssertions",
    "MemoryConnections",
    "MemoryRefreshTokenStates",
    "OAuthError",
    "RefreshTokenStateStore",
    "RegisteredClient",
    "RotateOutcome",
    "Rotation",
    "SQLAssertions",
    "SQLConnections",
    "SQLRefreshTokenStates",
    "Server",
    "SignedIn",
    "TemporarilyUnavailable",
    "TooManyRequests",
    "classify",
    "create_tables",
    "prepare_sqlite",
]
