"""An OAuth 2.1 authorization server for AI clients, and the bearer guard of the resource they call.

    server = lazyoauth.Server(lazyoauth.Config(issuer="https://example.com", refresh_token_states=states, ...))

`server.routes` and `server.resource_routes` are ASGI applications by exact path, `server.guard(app)` protects the resource. It
works in any ASGI application; lazyapp is one. Users and passwords are lazyauth's.

The names are imported when first used, so that an application that serves a local process loads no authorization server;
`__init__.pyi` tells type checkers the same list.
"""

from lazyauth.lazy_names import imported_when_used as _imported_when_used

_HOMES = {
    "TEMPLATES": "config",
    "AccessDenied": "errors",
    "AssertionStore": "assertions",
    "BrowserSession": "browser",
    "Config": "config",
    "ConfigError": "errors",
    "Connection": "connections",
    "Connections": "connections",
    "Event": "trace",
    "FamilyState": "store",
    "InvalidClient": "errors",
    "InvalidGrant": "errors",
    "InvalidRequest": "errors",
    "InvalidScope": "errors",
    "InvalidTarget": "errors",
    "InvalidToken": "errors",
    "Lifetimes": "lifetimes",
    "Limits": "limits",
    "MemoryAssertions": "assertions",
    "MemoryConnections": "connections",
    "MemoryRefreshTokenStates": "memory",
    "OAuthError": "errors",
    "RefreshTokenStateStore": "store",
    "RegisteredClient": "registered",
    "RotateOutcome": "store",
    "Rotation": "store",
    "SQLAssertions": "assertion_sql",
    "SQLConnections": "connection_sql",
    "SQLRefreshTokenStates": "sql",
    "Server": "server",
    "SignedIn": "browser",
    "TemporarilyUnavailable": "errors",
    "TooManyRequests": "errors",
    "classify": "store",
    "create_tables": "sql_engine",
    "prepare_sqlite": "sql_engine",
}

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

__getattr__ = _imported_when_used(__name__, _HOMES)
