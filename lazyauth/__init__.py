"""Users, credentials, and the answer to "who is asking".

An `Authenticator` turns a `Credential` into a `User`. Whoever has validated a request (the bearer guard, a session) enters
`signed_in(user, claims)`; everything that runs inside reads `current_user()`, `require_user()` and `current_claims()`.
Sessions, cookies, pages and tokens belong to others.

The names are imported when first used: whoever only asks who is asking loads no password hashing; `__init__.pyi` tells type
checkers the same list.
"""

from lazyauth.lazy_names import imported_when_used as _imported_when_used

_HOMES = {
    "AnnouncesUsers": "authenticator",
    "AuthError": "errors",
    "Authenticator": "authenticator",
    "Claims": "claims",
    "Config": "config",
    "Credential": "credential",
    "FileUsers": "file",
    "InvalidCredentials": "errors",
    "InvalidUser": "errors",
    "LoginFailures": "throttle",
    "LoginThrottle": "throttle",
    "MemoryUsers": "memory",
    "MissingUser": "errors",
    "Overloaded": "errors",
    "SQLLoginFailures": "throttle_sql",
    "SQLUsers": "sql",
    "SSO": "sso",
    "SignInFailed": "errors",
    "SignInRequired": "errors",
    "TooManyTries": "errors",
    "User": "user",
    "UserExists": "errors",
    "UserRecord": "user",
    "UserStore": "authenticator",
    "UsersFileError": "errors",
    "UsersUnavailable": "errors",
    "WeakPassword": "errors",
    "bootstrap_users": "memory",
    "current_claims": "current",
    "current_user": "current",
    "hash_password": "passwords",
    "needs_rehash": "passwords",
    "network_of": "throttle",
    "require_user": "current",
    "signed_in": "current",
    "verify_password": "passwords",
}

__all__ = [
    "SSO",
    "AnnouncesUsers",
    "AuthError",
    "Authenticator",
    "Claims",
    "Config",
    "Credential",
    "FileUsers",
    "InvalidCredentials",
    "InvalidUser",
    "LoginFailures",
    "LoginThrottle",
    "MemoryUsers",
    "MissingUser",
    "Overloaded",
    "SQLLoginFailures",
    "SQLUsers",
    "SignInFailed",
    "SignInRequired",
    "TooManyTries",
    "User",
    "UserExists",
    "UserRecord",
    "UserStore",
    "UsersFileError",
    "UsersUnavailable",
    "WeakPassword",
    "bootstrap_users",
    "current_claims",
    "current_user",
    "hash_password",
    "needs_rehash",
    "network_of",
    "require_user",
    "signed_in",
    "verify_password",
]

__getattr__ = _imported_when_used(__name__, _HOMES)
