"""Users, credentials, and the answer to "who is asking"."""

from lazyauth.authenticator import Authenticator
from lazyauth.claims import Claims
from lazyauth.config import Config
from lazyauth.credential import Credential
from lazyauth.current import current_claims, current_user, require_user, signed_in
from lazyauth.errors import AuthError, InvalidCredentials, MissingUser, Overloaded, SignInRequired, WeakPassword
from lazyauth.memory import MemoryUsers, bootstrap_users
from lazyauth.passwords import hash_password, needs_rehash, verify_password
from lazyauth.user import User

__all__ = [
    "AuthError",
    "Authenticator",
    "Claims",
    "Config",
    "Credential",
    "InvalidCredentials",
    "MemoryUsers",
    "MissingUser",
    "Overloaded",
    "SignInRequired",
    "User",
    "WeakPassword",
    "bootstrap_users",
    "current_claims",
    "current_user",
    "hash_password",
    "needs_rehash",
    "require_user",
    "signed_in",
    "verify_password",
]
