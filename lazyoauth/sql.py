"""`SQLRefreshTokenStates`: families in PostgreSQL or SQLite, through SQLAlchemy Core.

Rotation is one UPDATE that compares and swaps (autocommit; losers wait for the row, look again and find nothing to change). Only
when it changed nothing does a second, short transaction lock the row, find out why, and do what is due: revoke, give the answer
of a moment ago again, or swap after all.
On PostgreSQL the UPDATE has lanes of its own, the statement that revokes also notifies, and every process listens.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import CursorResult
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql.dml import ReturningUpdate

from lazyauth.news_sql import stop
from lazyauth.sql_engine import create_tables, transaction
from lazyoauth import jti
from lazyoauth.lanes_sql import Lanes
from lazyoauth.news_sql import CHANNEL, listen
from lazyoauth.sql_engine import Instant, clock_of, prepare_sqlite
from lazyoauth.store import CLOCK_STEP_S, FamilyState, RotateOutcome, Rotation, classify

T = TypeVar("T")

_PURGE_BATCH = 5_000
# Any constant serves, it must only never change.
_PURGE_LOCK = 6_847_261_094
# serialization_failure and deadlock_detected: the statement did nothing, and doing it again is what PostgreSQL asks for.
_TRY_AGAIN = frozenset({"40001", "40P01"})

metadata = sa.MetaData()
families = sa.Table(
    "lazyoauth_refresh_families",
    metadata,
    sa.Column("family_id", sa.Uuid(as_uuid=False), primary_key=True),
    sa.Column("current_jti", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("revoked", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.CheckConstraint("length(current_jti) BETWEEN 16 AND 256", name="lazyoauth_refresh_families_jti"),
    sa.Index("lazyoauth_refresh_families_expiry", "expires_at"),
)
_row = families.c


@event.listens_for(families, "after_create")
def _leave_room(_: sa.Table, connection: sa.Connection, **more: Any) -> None:
    # A rotation changes no indexed column; room in the page keeps it there (heap-only tuples). Said as an argument of the table it
    # would load PostgreSQL's dialect for a start on SQLite too.
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ALTER TABLE lazyoauth_refresh_families SET (fillfactor = 70)")


@dataclass(frozen=True, slots=True)
class _Rotation:
    """What `rotate` was asked to do; `proposed` is the new jti, still without the store's clock."""

    family_id: str
    presented_jti: str
    proposed: str
    expires_at: float | None
    window_s: float
    merge_s: float
    heal: bool


class SQLRefreshTokenStates:
    """A `RefreshTokenStateStore` on an engine that the application owns and closes.

    Entering it creates its table, of which the four columns are all there is. On PostgreSQL it then has connections besides those
    of the pool: one to hear what other processes revoke, and up to four to rotate. State: who wants to hear of revocations;
    `on_revoked` adds to it.

    Attributes:
        engine: as given; further tables of the application's logins go to the same database.
    """

    is_durable = True

    def __init__(self, engine: AsyncEngine) -> None:
        self._sqlite = engine.dialect.name == "sqlite"
        self.is_shared = not self._sqlite
        self.engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._callbacks: list[Callable[[str], None]] = []
        self._listener: asyncio.Task[None] | None = None
        self._lanes: Lanes | None = None
        # SQLite has one writer. Queueing here is fair and cheap, queueing in its busy handler is neither.
        self._writing = asyncio.Lock()
        self._now, self._now_ms = clock_of(engine)
        self._over = sa.select(sa.true()).where(_row.family_id == sa.bindparam("its_id"), _row.revoked)
        self._swaps = {(end, merge): self._prepare_swap(end, merge) for end in (False, True) for merge in (False, True)}
        prepare_sqlite(engine)

    async def __aenter__(self) -> Self:
        await create_tables(self.engine, metadata)
        if self.engine.dialect.driver == "asyncpg":
            self._lanes = Lanes(self.engine)
            self._listener = asyncio.create_task(listen(self.engine, self._tell), name="lazyoauth: revocations elsewhere")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop listening. The engine is not ours to close."""
        await stop(self._listener)
        self._listener = None
        if self._lanes is not None:
            await self._lanes.close()
        self._lanes = None

    def on_revoked(self, callback: Callable[[str], None]) -> None:
        """Call this with the id of each family that is revoked in any process, soon after; not on SQLite.

        News can be lost while the connection is away. Whoever listens must ask `is_active` now and then all the same.
        """
        self._callbacks.append(callback)

    async def create(self, family_id: str, current_jti: str, expires_at: float) -> None:
        """Begin a family."""
        row = {"family_id": family_id, "current_jti": current_jti, "expires_at": expires_at, "revoked": False}
        await self._write(lambda: self._execute(sa.insert(families).values(row)))

    async def rotate(
        self,
        family_id: str,
        presented_jti: str,
        new_jti: str,
        expires_at: float | None = None,
        window_s: float = 0.0,
        merge_s: float = 0.0,
        heal: bool = False,
    ) -> RotateOutcome:
        """Compare and swap in one statement; if it finds nothing to swap, find out why under the row's lock."""
        asked = _Rotation(family_id, presented_jti, f"{new_jti}.", expires_at, window_s, merge_s, heal)

        async def attempt() -> RotateOutcome:
            return await self._swap(asked) or await self._decide(asked)

        return await self._write(attempt)

    async def revoke(self, family_id: str) -> bool:
        """End a family."""

        async def attempt() -> bool:
            async with self._autocommit.connect() as connection:
                return (await connection.execute(self._end(family_id))).first() is not None

        return await self._write(attempt)

    async def is_active(self, family_id: str) -> bool:
        """Whether the family is there, not revoked and not expired."""
        statement = sa.select(sa.true()).where(_row.family_id == family_id, sa.not_(_row.revoked), _row.expires_at > self._now)
        async with self._autocommit.connect() as connection:
            return (await connection.execute(statement)).first() is not None

    async def purge(self, before: float) -> int:
        """Forget families that expired before this time, in short batches; while another process does, this one forgets nothing."""
        limit = sa.bindparam("before", before, type_=Instant)
        over = sa.select(_row.family_id).where(_row.expires_at < limit, _row.expires_at < self._now)
        batch = over.limit(_PURGE_BATCH).with_for_update(skip_locked=True)
        statement = sa.delete(families).where(_row.family_id.in_(batch)).execution_options(synchronize_session=False)

        async def attempt() -> int:
            async with transaction(self.engine, immediate=self._sqlite) as connection:
                if not self._sqlite and not await connection.scalar(sa.select(sa.func.pg_try_advisory_xact_lock(_PURGE_LOCK))):
                    return 0
                return (await connection.execute(statement)).rowcount

        removed = 0
        while count := await self._write(attempt):
            removed += count
        return removed

    async def _swap(self, asked: _Rotation) -> RotateOutcome | None:
        issued = jti.issued(asked.presented_jti) if asked.merge_s > 0 else None
        values: dict[str, Any] = {"its_id": asked.family_id, "presented": asked.presented_jti, "proposed": asked.proposed}
        if asked.expires_at is not None:
            values["its_end"] = asked.expires_at
        if issued is not None:
            values |= {"burst_from": issued - CLOCK_STEP_S, "burst_to": issued + asked.merge_s}
        statement = self._swaps["its_end" in values, issued is not None]
        if self._lanes is not None:
            row = await self._lanes.first(statement, values)
            return RotateOutcome(Rotation.ROTATED, row[0], row[1].timestamp()) if row else None
        async with self._autocommit.connect() as connection:
            row = (await connection.execute(statement, values)).first()
        return RotateOutcome(Rotation.ROTATED, row[0], row[1]) if row else None

    def _prepare_swap(self, has_end: bool, merges: bool) -> ReturningUpdate[Any]:
        """The statement of `_swap`, made once: putting it together takes longer than anything else that Python does for it."""
        conditions = [_row.current_jti == sa.bindparam("presented"), sa.not_(_row.revoked), _row.expires_at > self._now]
        if merges:
            since, until = sa.bindparam("burst_from", type_=Instant), sa.bindparam("burst_to", type_=Instant)
            conditions.append(sa.not_(self._now.between(since, until)))
        return self._advance(has_end).where(_row.family_id == sa.bindparam("its_id"), *conditions)

    def _advance(self, has_end: bool) -> ReturningUpdate[Any]:
        change: dict[str, Any] = {"current_jti": sa.bindparam("proposed", type_=sa.Text).concat(self._now_ms)}
        if has_end:
            change["expires_at"] = sa.bindparam("its_end", type_=Instant)
        return sa.update(families).values(change).returning(_row.current_jti, _row.expires_at)

    async def _decide(self, asked: _Rotation) -> RotateOutcome:
        """Find out what is due and do it, under the row's lock. Only after the commit, which ends this, may anyone hear of it."""
        # Nothing revives a family, so this needs no lock; and whoever goes on asking with a token of one that ended asks cheaply.
        if self._lanes is not None and await self._lanes.first(self._over, {"its_id": asked.family_id}):
            return RotateOutcome(Rotation.REVOKED)
        columns = (_row.current_jti, _row.revoked, _row.expires_at, (_row.expires_at <= self._now).label("expired"))
        query = sa.select(*columns, self._now_ms.label("now_ms")).where(_row.family_id == asked.family_id).with_for_update()
        async with transaction(self.engine, immediate=self._sqlite) as connection:
            row = (await connection.execute(query)).first()
            if row is None:
                return RotateOutcome(Rotation.UNKNOWN)
            state = FamilyState(row.current_jti, bool(row.revoked), bool(row.expired), int(row.now_ms) / 1000)
            rotation = classify(state, asked.presented_jti, asked.window_s, asked.merge_s) or Rotation.ROTATED
            if rotation is Rotation.BEHIND and asked.heal:
                rotation = Rotation.HEALED
            if rotation is Rotation.REPLAYED:
                await connection.execute(self._end(asked.family_id))
            if rotation in (Rotation.ROTATED, Rotation.HEALED):
                update = self._advance(asked.expires_at is not None).where(_row.family_id == asked.family_id)
                end = {} if asked.expires_at is None else {"its_end": asked.expires_at}
                row = (await connection.execute(update, {"proposed": asked.proposed, **end})).one()
            elif rotation is not Rotation.REPEATED:
                return RotateOutcome(rotation)
        return RotateOutcome(rotation, row.current_jti, row.expires_at)

    def _end(self, family_id: str) -> sa.Executable:
        """The statement that revokes a family and answers one row, or none if it was revoked before."""
        alive = sa.and_(_row.family_id == family_id, sa.not_(_row.revoked))
        update = sa.update(families).where(alive).values(revoked=True).returning(_row.family_id)
        if self._sqlite:
            return update
        # In one statement: the others hear of it if it commits, and only then.
        ended = update.cte("ended")
        return sa.select(sa.func.pg_notify(CHANNEL, sa.cast(ended.c.family_id, sa.Text)))

    def _tell(self, family_id: str) -> None:
        for callback in self._callbacks:
            callback(family_id)

    async def _execute(self, statement: sa.Executable, values: dict[str, Any] | None = None) -> CursorResult[Any]:
        async with self._autocommit.connect() as connection:
            return await connection.execute(statement, values)

    async def _write(self, operation: Callable[[], Awaitable[T]]) -> T:
        """Run a write, and once more if the database says that it did nothing and asks for that."""
        async with AsyncExitStack() as stack:
            if self._sqlite:
                await stack.enter_async_context(self._writing)
            try:
                return await operation()
            except Exception as error:
                # In a lane it is asyncpg's own error, elsewhere SQLAlchemy's around it.
                if getattr(getattr(error, "orig", error), "sqlstate", None) not in _TRY_AGAIN:
                    raise
            return await operation()
