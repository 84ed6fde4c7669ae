"""`MemoryUsers`: users who live as long as the process. For a first run, for tests, for a single administrator."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lazyauth.credential import PASSWORD, Credential
from lazyauth.errors import InvalidCredentials, WeakPassword
from lazyauth.passwords import hash_password, verify_password
from lazyauth.user import User


@dataclass(frozen=True, slots=True)
class _Entry:
    user: User
    password_hash: str = field(repr=False)


class MemoryUsers:
    """An `Authenticator` over a dictionary; at first nobody is in it.

    Only `add` and `remove` change it, each in one step on the event loop. Another process knows nothing of them.

    Args:
        now: the clock by which logins are dated, Unix seconds.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._entries: dict[str, _Entry] = {}
        self._callbacks: list[Callable[[str], None]] = []

    def on_changed(self, callback: Callable[[str], None]) -> None:
        """Call this with the id of each user who is replaced or removed."""
        self._callbacks.append(callback)

    async def add(self, user_id: str, password: str, data: Mapping[str, Any] | None = None) -> User:
        """Add a user, or replace the one of that id, password included; the logins of the one before are over.

        Raises:
            MissingUser: the id is blank.
            WeakPassword: the message states the rule.
        """
        new = User(user_id, data or {})
        password_hash = await hash_password(password)
        replaced = new.id in self._entries
        user = replace(new, signed_out_at=self._now()) if replaced else new
        self._entries[user.id] = _Entry(user, password_hash)
        if replaced:
            self._tell(user.id)
        return user

    def remove(self, user_id: str) -> None:
        """Forget a user, whose logins are over; nothing happens if there is none of that id."""
        if self._entries.pop(user_id, None):
            self._tell(user_id)

    async def authenticate(self, credential: Credential) -> User:
        """The user whose password this is. The identifier is the id, letter by letter.

        Raises:
            InvalidCredentials: after the same time for an unknown name as for a wrong password.
        """
        if credential.kind not in ("", PASSWORD):
            raise InvalidCredentials
        entry = self._entries.get(credential.identifier)
        matches = await verify_password(entry.password_hash if entry else None, credential.secret)
        # Asked a second time: removed, or given another password, while the old one was being checked.
        if not matches or entry is None or self._entries.get(credential.identifier) is not entry:
            raise InvalidCredentials
        return entry.user

    async def find_user(self, user_id: str) -> User | None:
        """The user of that id."""
        entry = self._entries.get(user_id)
        return entry.user if entry else None

    def _tell(self, user_id: str) -> None:
        for callback in self._callbacks:
            callback(user_id)

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        return True  # an authenticator without users is still an authenticator


async def bootstrap_users(name: str | None, password: str | None) -> MemoryUsers:
    """The users of an application that says nothing about users: none, or one administrator.

    Args:
        name: `LAZYAUTH_DEFAULT_USER`; None or blank is "admin".
        password: `LAZYAUTH_DEFAULT_PASS`; None is nobody. The administrator may use every MCP module.

    Raises:
        WeakPassword: the password is empty or too short. An empty one is refused rather than taken for absent: whoever sets it
            expects a user, and a user with an empty password would be open to everyone.
    """
    users = MemoryUsers()
    if password is None:
        return users
    name = (name or "").strip() or "admin"
    try:
        await users.add(name, password, {"username": name, "admin": True, "mcps": ["*"]})
    except WeakPassword as error:
        raise WeakPassword(f"LAZYAUTH_DEFAULT_PASS is refused: {error}") from None
    return users
