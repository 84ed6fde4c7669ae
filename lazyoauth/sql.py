"""`SQLRefreshTokenStates`: families in PostgreSQL or SQLite, through SQLAlchemy Core.

Rotation is one UPDATE that compares and swaps (autocommit; losers wait for the row, look again and find nothing to change). Only
when it changed nothing does a second, short transaction lock the row, find out why, and revoke if it must.
On PostgreSQL the statement that revokes also notifies, and every process listens on a connection of its own.
This is the one file of the package that knows SQLAlchemy.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import CursorResult
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from lazyoauth.store import RotateOutcome, Rotation, classify

logger = logging.getLogger("lazyoauth")

T = TypeVar("T")

# One number for all table creation of this framework; any constant serves, it must only never change.
_TABLES_LOCK = 6_847_261_093
_PURGE_BATCH = 5_000
_CHANNEL = "lazyoauth_ended"
_RETRY_S, _RETRY_AT_MOST_S = 1.0, 10.0
# A connection can die without a word (a firewall, a lost host); asking is how that is noticed.
_ASK_AFTER_S = 30.0
# serialization_failure and deadlock_detected: the statement did nothing, and doing it again is what PostgreSQL asks for.
_TRY_AGAIN = frozenset({"40001", "40P01"})


class _Instant(sa.types.TypeDecorator[float]):
    """Unix seconds in Python; `timestamptz` in PostgreSQL, where people read it, a number in SQLite."""

    impl = sa.Float
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        return dialect.type_descriptor(sa.DateTime(timezone=True) if dialect.name == "postgresql" else sa.Float())

    def process_bind_param(self, value: float | None, dialect: sa.Dialect) -> Any:
        return datetime.fromtimestamp(value, UTC) if value is not None and dialect.name == "postgresql" else value

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> float | None:
        return value.timestamp() if isinstance(value, datetime) else value


metadata = sa.MetaData()
families = sa.Table(
    "lazyoauth_refresh_families",
    metadata,
    sa.Column("family_id", sa.Uuid(as_uuid=False), primary_key=True),
    sa.Column("current_jti", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
    sa.Column("expires_at", _Instant, nullable=False),
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


async def create_tables(engine: AsyncEngine, tables: sa.MetaData) -> None:
    """Create the tables that are missing, however many processes start at once.

    PostgreSQL: under an advisory lock. SQLite: under the write lock. Tables that exist are left as they are.
    """
    async with _transaction(engine, immediate=engine.dialect.name == "sqlite") as connection:
        if engine.dialect.name == "postgresql":
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TABLES_LOCK)))
        await connection.run_sync(tables.create_all)


def prepare_sqlite(engine: AsyncEngine) -> None:
    """Make an SQLite file safe and pleasant to share: each new connection of the engine gets the settings below.

    To be called before the engine is used. Calling it again changes nothing, nor does calling it for another database.
    """
    if engine.dialect.name == "sqlite" and not event.contains(engine.sync_engine, "connect", _set_pragmas):
        event.listen(engine.sync_engine, "connect", _set_pragmas)


class SQLRefreshTokenStates:
    """A `RefreshTokenStateStore` on an engine that the application owns and closes.

    Entering it creates its table, of which the four columns are all there is, and on PostgreSQL begins to listen for what other
    processes revoke, over one connection besides those of the pool. State: who wants to hear of that; `on_revoked` adds to it.
    """

    is_durable = True

    def __init__(self, engine: AsyncEngine) -> None:
        self._sqlite = engine.dialect.name == "sqlite"
        self.is_shared = not self._sqlite
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._callbacks: list[Callable[[str], None]] = []
        self._listener: asyncio.Task[None] | None = None
        # SQLite has one writer. Queueing here is fair and cheap, queueing in its busy handler is neither.
        self._writing = asyncio.Lock()
        self._now, self._now_ms = _sqlite_clock() if self._sqlite else _postgresql_clock()
        prepare_sqlite(engine)

    async def __aenter__(self) -> Self:
        await create_tables(self._engine, metadata)
        if self._engine.dialect.driver == "asyncpg":
            self._listener = asyncio.create_task(_listen(self._engine, self._tell), name="lazyoauth: revocations elsewhere")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop listening. The engine is not ours to close."""
        while self._listener is not None and not self._listener.done():
            self._listener.cancel()
            # A library may swallow a cancellation; shutting down must not wait for ever because of that.
            await asyncio.wait([self._listener], timeout=5)
        self._listener = None

    def on_revoked(self, callback: Callable[[str], None]) -> None:
        """Call this with the id of each family that is revoked in any process, soon after; not on SQLite.

        News can be lost while the connection is away. Whoever listens must ask `is_active` now and then all the same.
        """
        self._callbacks.append(callback)

    async def create(self, family_id: str, current_jti: str, expires_at: float) -> None:
        """Begin a family."""
        row = {"family_id": family_id, "current_jti": current_jti, "expires_at": expires_at, "revoked": False}
        await self._write(lambda: self._execute(sa.insert(families).values(row)))

    async def rotate(self, family_id: str, presented_jti: str, new_jti: str, expires_at: float | None = None) -> RotateOutcome:
        """Compare and swap in one statement; if it finds nothing to swap, find out why under the row's lock."""

        async def attempt() -> RotateOutcome | None:
            return await self._swap(family_id, presented_jti, new_jti, expires_at) or await self._explain(family_id, presented_jti)

        # None means that the row was another at the second look. A row never returns to an earlier jti, so once more is enough.
        outcome = await self._write(attempt) or await self._write(attempt)
        return outcome or RotateOutcome(Rotation.UNKNOWN)

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
        """Forget families that expired before this time, in batches that hold no lock for long."""
        limit = sa.bindparam("before", type_=_Instant)
        over = sa.select(_row.family_id).where(_row.expires_at < limit, _row.expires_at < self._now)
        batch = over.limit(_PURGE_BATCH).with_for_update(skip_locked=True)
        statement = sa.delete(families).where(_row.family_id.in_(batch)).execution_options(synchronize_session=False)
        removed = 0
        while count := (await self._write(lambda: self._execute(statement, {"before": before}))).rowcount:
            removed += count
        return removed

    async def _swap(self, family_id: str, presented_jti: str, new_jti: str, expires_at: float | None) -> RotateOutcome | None:
        alive = sa.and_(_row.current_jti == presented_jti, sa.not_(_row.revoked), _row.expires_at > self._now)
        change: dict[str, Any] = {"current_jti": sa.literal(f"{new_jti}.").concat(self._now_ms)}
        if expires_at is not None:
            change["expires_at"] = expires_at
        statement = sa.update(families).where(_row.family_id == family_id, alive).values(change)
        async with self._autocommit.connect() as connection:
            row = (await connection.execute(statement.returning(_row.current_jti, _row.expires_at))).first()
        return RotateOutcome(Rotation.ROTATED, row[0], row[1]) if row else None

    async def _explain(self, family_id: str, presented_jti: str) -> RotateOutcome | None:
        query = sa.select(_row.current_jti, _row.revoked, (_row.expires_at <= self._now).label("expired"))
        async with _transaction(self._engine, immediate=self._sqlite) as connection:
            row = (await connection.execute(query.where(_row.family_id == family_id).with_for_update())).first()
            if row is None:
                return RotateOutcome(Rotation.UNKNOWN)
            fault = classify(row.current_jti, bool(row.revoked), bool(row.expired), presented_jti)
            if fault is Rotation.REPLAYED:
                await connection.execute(self._end(family_id))
        # Only here, after the commit, may anyone hear of it.
        return RotateOutcome(fault) if fault else None

    def _end(self, family_id: str) -> sa.Executable:
        """The statement that revokes a family and answers one row, or none if it was revoked before."""
        alive = sa.and_(_row.family_id == family_id, sa.not_(_row.revoked))
        update = sa.update(families).where(alive).values(revoked=True).returning(_row.family_id)
        if self._sqlite:
            return update
        # In one statement: the others hear of it if it commits, and only then.
        ended = update.cte("ended")
        return sa.select(sa.func.pg_notify(_CHANNEL, sa.cast(ended.c.family_id, sa.Text)))

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
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in _TRY_AGAIN:
                    raise
            return await operation()


async def _listen(engine: AsyncEngine, tell: Callable[[str], None]) -> None:
    """Tell which families end in any process, until cancelled; while the database is away, try again and again."""
    wait_s = _RETRY_S
    while True:
        try:
            async with _listening(engine, tell) as listening:
                wait_s = _RETRY_S
                while not await listening():
                    pass
            reason = "the connection was closed"
        except Exception as error:
            # The driver's own words, without SQLAlchemy's statement and parameters.
            reason = f"{type(error).__name__}: {getattr(error, 'orig', None) or error}"
        logger.warning("revocations in other processes arrive late until the database is back: %s", reason)
        await asyncio.sleep(wait_s)
        wait_s = min(2 * wait_s, _RETRY_AT_MOST_S)


@asynccontextmanager
async def _listening(engine: AsyncEngine, tell: Callable[[str], None]) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Listen, and yield a function that waits a while and answers whether the connection was closed."""
    closed = asyncio.Event()

    async def wait() -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(_ASK_AFTER_S):
                return await closed.wait()
        await driver.execute("SELECT 1", timeout=_RETRY_AT_MOST_S)
        return False

    async with engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        # Out of the pool, so that it takes no place there, and is closed at the end instead of being lent out while it listens.
        await connection.run_sync(lambda sync: sync.detach())
        driver.add_termination_listener(lambda _: closed.set())
        await driver.add_listener(_CHANNEL, lambda _connection, _pid, _channel, family_id: tell(family_id))
        yield wait


@asynccontextmanager
async def _transaction(engine: AsyncEngine, *, immediate: bool) -> AsyncIterator[AsyncConnection]:
    """A transaction in which what was read stays true until the commit.

    SQLite: BEGIN IMMEDIATE takes the write lock at once; a transaction that reads first and writes later can be refused for good.
    """
    if not immediate:
        async with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
            yield connection
        return
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        await connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            await connection.exec_driver_sql("ROLLBACK")
            raise
        await connection.exec_driver_sql("COMMIT")


def _set_pragmas(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    # First, because the next may have to wait. A second writer waits its turn instead of failing.
    cursor.execute("PRAGMA busy_timeout=15000")
    # Readers go on while one writes.
    cursor.execute("PRAGMA journal_mode=WAL")
    # FULL: a commit is on disk when it is answered. Otherwise a power cut would turn a client's newest token into a replay.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _postgresql_clock() -> tuple[sa.ColumnElement[Any], sa.ColumnElement[str]]:
    milliseconds = sa.literal_column("(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text", sa.Text)
    return sa.func.now(), milliseconds


def _sqlite_clock() -> tuple[sa.ColumnElement[Any], sa.ColumnElement[str]]:
    seconds = "(julianday('now') - 2440587.5) * 86400.0"
    return sa.literal_column(seconds, sa.Float), sa.literal_column(f"CAST(CAST({seconds} * 1000 AS INTEGER) AS TEXT)", sa.Text)
