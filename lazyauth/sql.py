"""`SQLUsers`: users in PostgreSQL or SQLite, through SQLAlchemy Core, in one table.

State: the table `lazyauth_users`. Whoever changes a user's password, or whether they may sign in, moves `signed_out_at` in the same
transaction, and on PostgreSQL notifies every process in it; the time never moves backward.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyauth import record_rules
from lazyauth.credential import PASSWORD, Credential
from lazyauth.errors import InvalidCredentials, Overloaded, UserExists, WeakPassword
from lazyauth.news_sql import listen, stop, translated, writing
from lazyauth.passwords import check_importable, hash_password, needs_rehash, verify_password
from lazyauth.sql_engine import create_tables
from lazyauth.user import User, UserRecord

_CHANNEL = "lazyauth_changed"

metadata = sa.MetaData()
users = sa.Table(
    "lazyauth_users",
    metadata,
    sa.Column("id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), primary_key=True),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Column("disabled", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("signed_out_at", sa.Double, nullable=False, server_default=sa.text("0")),
)
_row = users.c


class SQLUsers:
    """An `Authenticator` and `UserStore` on an engine that the application owns and closes.

    Entering it creates its table, and on PostgreSQL begins to listen for what other processes change, over one connection besides
    those of the pool. State here: who wants to hear of changes; `on_changed` adds to it.

    Args:
        engine: for PostgreSQL (asyncpg) or SQLite (aiosqlite).
        now: the clock by which logins are dated, Unix seconds.
    """

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self.engine = engine
        self._now = now
        self._is_postgresql = engine.dialect.name == "postgresql"
        self._callbacks: list[Callable[[str], None]] = []
        self._listener: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await create_tables(self.engine, metadata)
        if self._is_postgresql:
            self._listener = asyncio.create_task(listen(self.engine, _CHANNEL, self._tell), name="lazyauth: changed users")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop listening. The engine is not ours to close."""
        await stop(self._listener)
        self._listener = None

    def on_changed(self, callback: Callable[[str], None]) -> None:
        """Call this with the id of each user whose logins may have ended: at once if this object did it, and on PostgreSQL soon
        after any process did. News can be lost while the connection is away, so ask `find_user` now and then all the same.
        """
        self._callbacks.append(callback)

    async def authenticate(self, credential: Credential) -> User:
        """The user whose password this is. The identifier is the id, letter by letter.

        A hash with other parameters than today's, or of GoLazy's kind, is replaced while the password is at hand.

        Raises:
            InvalidCredentials: unknown, wrong or disabled, after the same work for each.
            Overloaded: too many others are waiting.
            UsersUnavailable: the database is away.
        """
        if credential.kind not in ("", PASSWORD):
            raise InvalidCredentials
        row = await self._find(credential.identifier)
        matches = await verify_password(row.password_hash if row else None, credential.secret)
        if row is None or not matches or row.disabled:
            raise InvalidCredentials
        if needs_rehash(row.password_hash):
            await self._rehash(row, credential.secret)
        # Asked a second time: disabled, removed, or given another password, while the old one was being checked.
        again = await self._find(credential.identifier)
        if again is None or again.disabled or again.signed_out_at != row.signed_out_at:
            raise InvalidCredentials
        return _user(again)

    async def find_user(self, user_id: str) -> User | None:
        """The user of that id; None when disabled.

        Raises:
            UsersUnavailable: the database is away.
        """
        row = await self._find(user_id)
        return None if row is None or row.disabled else _user(row)

    async def add(self, user_id: str, password: str, data: Mapping[str, Any] | None = None) -> User:
        """Add a user.

        Raises:
            UserExists: somebody of this id is there.
            InvalidUser, MissingUser, WeakPassword: the message states the rule.
        """
        kept = record_rules.check(user_id, data or {})
        return await self._insert(user_id, await hash_password(password), kept)

    async def add_hashed(self, user_id: str, password_hash: str, data: Mapping[str, Any] | None = None) -> User:
        """Add a user of another system with the hash that it kept: Argon2's in PHC string form, or GoLazy's `pbkdf2-sha256$…`.

        Raises:
            UserExists: somebody of this id is there.
            InvalidUser, MissingUser: the message states the rule.
        """
        kept = record_rules.check(user_id, data or {})
        check_importable(password_hash)
        return await self._insert(user_id, password_hash, kept)

    async def set_password(self, user_id: str, password: str) -> bool:
        """Give another password, which ends every login of this user. False when there is no such user."""
        return await self._end_logins(user_id, {"password_hash": await hash_password(password)})

    async def set_data(self, user_id: str, data: Mapping[str, Any]) -> bool:
        """Replace the user's data; logins go on and see it when they are renewed. False when there is no such user."""
        statement = sa.update(users).where(_row.id == user_id).values(data=record_rules.check(user_id, data))
        async with writing(self.engine) as connection:
            return (await connection.execute(statement)).rowcount > 0

    async def sign_out(self, user_id: str) -> bool:
        """End every login of this user, who may sign in again. False when there is no such user."""
        return await self._end_logins(user_id, {})

    async def disable(self, user_id: str) -> bool:
        """Let this user in no longer, and end every login of theirs. False when there is no such user."""
        return await self._end_logins(user_id, {"disabled": True})

    async def enable(self, user_id: str) -> bool:
        """Let this user in again; what `disable` ended stays over. False when there is no such user."""
        statement = sa.update(users).where(_row.id == user_id).values(disabled=False)
        async with writing(self.engine) as connection:
            return (await connection.execute(statement)).rowcount > 0

    async def remove(self, user_id: str) -> bool:
        """Forget a user, whose logins are over. False when there was no such user."""
        return await self._change(user_id, sa.delete(users).where(_row.id == user_id))

    async def list(self) -> Sequence[UserRecord]:
        """All users, by id."""
        columns = sa.select(_row.id, _row.data, _row.disabled, _row.signed_out_at).order_by(_row.id)
        with translated():
            async with self.engine.connect() as connection:
                found = await connection.execute(columns)
                return [UserRecord(*row) for row in found]

    async def _find(self, user_id: str) -> Any:
        if not record_rules.is_storable(user_id):
            return None
        with translated():
            async with self.engine.connect() as connection:
                return (await connection.execute(sa.select(users).where(_row.id == user_id))).first()

    async def _insert(self, user_id: str, password_hash: str, data: dict[str, Any]) -> User:
        # Whoever had this name before had other logins, until now.
        added_at = self._now()
        row = {"id": user_id, "password_hash": password_hash, "data": data, "disabled": False, "signed_out_at": added_at}
        with translated():
            try:
                async with self.engine.begin() as connection:
                    await connection.execute(sa.insert(users).values(row))
            except IntegrityError:
                raise UserExists(f"there is a user {user_id!r} already") from None
        return User(user_id, data, added_at)

    async def _rehash(self, row: Any, password: str) -> None:
        # Shorter than is accepted today, or no time for it now: the old hash goes on serving.
        with suppress(WeakPassword, Overloaded):
            renewed = await hash_password(password)
            unchanged = sa.and_(_row.id == row.id, _row.password_hash == row.password_hash)
            async with writing(self.engine) as connection:
                await connection.execute(sa.update(users).where(unchanged).values(password_hash=renewed))

    async def _end_logins(self, user_id: str, values: dict[str, Any]) -> bool:
        now = self._now()
        later = sa.case((_row.signed_out_at >= now, _row.signed_out_at + 0.001), else_=now)
        return await self._change(user_id, sa.update(users).where(_row.id == user_id).values(**values, signed_out_at=later))

    async def _change(self, user_id: str, statement: sa.Update | sa.Delete) -> bool:
        """Carry out what ends logins, and tell of it once it is done."""
        if not record_rules.is_storable(user_id):
            return False
        async with writing(self.engine) as connection:
            if (await connection.execute(statement)).rowcount == 0:
                return False
            if self._is_postgresql:
                # In the same transaction: the others hear of it if it commits, and only then.
                await connection.execute(sa.select(sa.func.pg_notify(_CHANNEL, user_id)))
        self._tell(user_id)
        return True

    def _tell(self, user_id: str) -> None:
        for callback in self._callbacks:
            callback(user_id)


def _user(row: Any) -> User:
    return User(row.id, row.data, row.signed_out_at)
