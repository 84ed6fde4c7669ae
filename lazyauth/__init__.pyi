"""Users, credentials, and the answer to "who is asking"."""

from lazyauth.authenticator import AnnouncesUsers, Authenticator, UserStore
from lazyauth.claims import Claims
from lazyauth.config import Config
from lazyauth.credential import Credential
from lazyauth.current import current_claims, current_user, require_user, signed_in
from lazyauth.errors import (
    AuthError,
    InvalidCredentials,
    InvalidUser,
    MissingUser,
    Overloaded,
    SignInFailed,
    SignInRequired,
    TooManyTries,
    UserExists,
    UsersFileError,
    UsersUnavailable,
    WeakPassword,
)
from lazyauth.file import FileUsers
from lazyauth.memory import MemoryUsers, bootstrap_users
from lazyauth.passwords import hash_password, needs_rehash, verify_password
from lazyauth.sql import SQLUsers
from lazyauth.sso import SSO
from lazyauth.throttle import LoginFailures, LoginThrottle, network_of
from lazyauth.throttle_sql import SQLLoginFailures
from lazyauth.user import User, UserRecord

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
