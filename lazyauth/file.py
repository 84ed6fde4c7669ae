"""`FileUsers`: users in a file that people can read, one JSON object a line (see `user_lines.py`).

Only hashes are kept. State: the last good content. A server reads and never writes; `lazyapp user` writes, the whole file at once.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lazyauth import record_rules
from lazyauth.credential import PASSWORD, Credential
from lazyauth.errors import InvalidCredentials, UserExists, UsersFileError
from lazyauth.passwords import hash_password, verify_password
from lazyauth.user import User, UserRecord
from lazyauth.user_lines import Entry, Stamp, alone, read, stamp_of

logger = logging.getLogger("lazyauth")


class FileUsers:
    """An `Authenticator` and `UserStore` over a file, which is read again whenever it has changed.

    A line that cannot be read keeps the last good content in use, and is named in the log. A file that is not there holds nobody.

    Args:
        path: the file; 0600 is a good mode for it.
        now: the clock by which logins are dated, Unix seconds.

    Raises:
        UsersFileError: a line cannot be read; the message names path and line.
    """

    def __init__(self, path: str | os.PathLike[str], now: Callable[[], float] = time.time) -> None:
        self.path = Path(path)
        self._now = now
        self._callbacks: list[Callable[[str], None]] = []
        self._writing = asyncio.Lock()
        self._entries: dict[str, Entry] = {}
        self._absence_is_told = False
        self._stamp, self._entries = self._load()

    def on_changed(self, callback: Callable[[str], None]) -> None:
        """Call this with the id of each user whose logins may have ended, as soon as a change of the file is noticed."""
        self._callbacks.append(callback)

    async def authenticate(self, credential: Credential) -> User:
        """The user whose password this is. The identifier is the id, letter by letter.

        Raises:
            InvalidCredentials: unknown, wrong or disabled, after the same work for each.
            Overloaded: too many others are waiting.
        """
        if credential.kind not in ("", PASSWORD):
            raise InvalidCredentials
        entry = self._current().get(credential.identifier)
        if self._stamp is None and not self._entries and not self._absence_is_told:
            # Said when somebody wants to come in, for then it matters; the command that makes the file opens it too, before.
            self._absence_is_told = True
            logger.warning("%s is not there, so nobody can sign in; `lazyapp user add` makes it", self.path)
        matches = await verify_password(entry.password_hash if entry else None, credential.secret)
        again = self._current().get(credential.identifier)
        if entry is None or not matches or again is None or again.disabled or again.password_hash != entry.password_hash:
            raise InvalidCredentials
        return _user(again)

    async def find_user(self, user_id: str) -> User | None:
        """The user of that id; None when disabled."""
        entry = self._current().get(user_id)
        return None if entry is None or entry.disabled else _user(entry)

    async def list(self) -> Sequence[UserRecord]:
        """All users, by id."""
        found = sorted(self._current().values(), key=lambda entry: entry.id)
        return [UserRecord(entry.id, entry.data, entry.disabled, entry.signed_out_at) for entry in found]

    async def add(self, user_id: str, password: str, data: Mapping[str, Any] | None = None) -> User:
        """Add a user at the end of the file.

        Raises:
            UserExists: somebody of this id is there.
            InvalidUser, MissingUser, WeakPassword: the message states the rule.
            UsersFileError: the file cannot be written.
        """
        kept = record_rules.check(user_id, data or {})
        entry = Entry(user_id, await hash_password(password), kept, signed_out_at=self._now())
        async with self._writing:
            with alone(self.path) as put:
                if user_id in self._reread():
                    raise UserExists(f"there is a user {user_id!r} already")
                put(user_id, entry)
            self._reread()
        return _user(entry)

    async def set_password(self, user_id: str, password: str) -> bool:
        """Give another password, which ends every login of this user. False when there is no such user."""
        password_hash = await hash_password(password)
        return await self._edit(
            user_id, lambda entry: replace(entry, password_hash=password_hash, signed_out_at=self._later(entry))
        )

    async def set_data(self, user_id: str, data: Mapping[str, Any]) -> bool:
        """Replace the user's data; logins go on and see it when they are renewed. False when there is no such user."""
        kept = record_rules.check(user_id, data)
        return await self._edit(user_id, lambda entry: replace(entry, data=kept))

    async def disable(self, user_id: str) -> bool:
        """Let this user in no longer, and end every login of theirs. False when there is no such user."""
        return await self._edit(user_id, lambda entry: replace(entry, disabled=True, signed_out_at=self._later(entry)))

    async def enable(self, user_id: str) -> bool:
        """Let this user in again; what `disable` ended stays over. False when there is no such user."""
        return await self._edit(user_id, lambda entry: replace(entry, disabled=False))

    async def remove(self, user_id: str) -> bool:
        """Forget a user. False when there was no such user."""
        return await self._edit(user_id, lambda entry: None)

    def _later(self, entry: Entry) -> float:
        return max(self._now(), entry.signed_out_at + 0.001)

    def _current(self) -> dict[str, Entry]:
        """What the file says now, or said when it could last be read."""
        if stamp_of(self.path) != self._stamp:
            try:
                self._reread()
            except UsersFileError as error:
                # Once for each state of the file: remembered as if it had been read.
                self._stamp = stamp_of(self.path)
                logger.error("%s; the users read before stay in use", error)
        return self._entries

    def _reread(self) -> dict[str, Entry]:
        before, (self._stamp, self._entries) = self._entries, self._load()
        for user_id, entry in before.items():
            after = self._entries.get(user_id)
            if after is None or (after.disabled and not entry.disabled) or after.signed_out_at != entry.signed_out_at:
                for callback in self._callbacks:
                    callback(user_id)
        return self._entries

    def _load(self) -> tuple[Stamp | None, dict[str, Entry]]:
        # The stamp first: what is written while we read is noticed the next time.
        stamp = stamp_of(self.path)
        if stamp is not None:
            if stamp.is_open_to_others:
                logger.warning("%s holds password hashes and is open to others; `chmod 600` it", self.path)
            return stamp, read(self.path)
        if self._entries:
            raise UsersFileError(f"{self.path} is gone")
        return None, {}

    async def _edit(self, user_id: str, change: Callable[[Entry], Entry | None]) -> bool:
        async with self._writing:
            # Read only when nobody else can write: what another process changed meanwhile would be written away.
            with alone(self.path) as put:
                entry = self._reread().get(user_id)
                if entry is None:
                    return False
                put(user_id, change(entry))
            self._reread()
            return True


def _user(entry: Entry) -> User:
    return User(entry.id, entry.data, entry.signed_out_at)
