"""How every table of this framework is made, what a transaction is there, and how an SQLite file is shared.

For PostgreSQL and SQLite, on an engine that the application owns and closes.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from sqlite3 import OperationalError
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

# The number under which every table of this framework is created; processes of two versions must agree on it.
TABLES_LOCK = 6_847_261_093
_WAL_ATTEMPTS, _WAL_PAUSE_S = 100, 0.02


async def create_tables(engine: AsyncEngine, tables: sa.MetaData) -> None:
    """Create the tables that are missing, however many processes start at once.

    PostgreSQL: under an advisory lock. SQLite: under the write lock. Tables that exist are left as they are.
    """
    async with transaction(engine, immediate=engine.dialect.name == "sqlite") as connection:
        if engine.dialect.name == "postgresql":
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(TABLES_LOCK)))
        await connection.run_sync(tables.create_all)


class TablesOnDemand:
    """Tables that are made when they are first needed, once a process; a failure is tried again at the next need."""

    def __init__(self, engine: AsyncEngine, tables: sa.MetaData) -> None:
        self._engine = engine
        self._tables = tables
        self._are_there = False
        self._making = asyncio.Lock()

    async def ready(self) -> None:
        """Return when the tables are there."""
        if self._are_there:
            return
        async with self._making:
            if not self._are_there:
                await create_tables(self._engine, self._tables)
                self._are_there = True


@asynccontextmanager
async def transaction(engine: AsyncEngine, *, immediate: bool) -> AsyncIterator[AsyncConnection]:
    """A transaction in which what was read stays true until the commit.

    SQLite: BEGIN IMMEDIATE takes the write lock at once; a transaction that reads first and writes later can be refused for good.
    """
    if not immediate:
        async with engine.connect() as connection:
            # Of this connection, not of an engine made for it: that costs more than a short transaction's own statements.
            await connection.execution_options(isolation_level="READ COMMITTED")
            async with connection.begin():
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


def leave_pool(connection: sa.Connection) -> None:
    """Take a connection out of its engine's pool for good, with no transaction open.

    A listener of the application ("connect", "checkout") may have begun one. Who uses the pool ends it, and nobody else would: what
    is written there would never be kept, no LISTEN begin and no NOTIFY go out.
    """
    connection.connection.commit()
    connection.detach()


def prepare_sqlite(engine: AsyncEngine) -> None:
    """Make an SQLite file safe and pleasant to share: each new connection of the engine gets the settings below.

    To be called before the engine is used. Calling it again changes nothing, nor does calling it for another database.
    """
    if engine.dialect.name == "sqlite" and not event.contains(engine.sync_engine, "connect", _set_pragmas):
        event.listen(engine.sync_engine, "connect", _set_pragmas)


def _set_pragmas(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    # First, because the next may have to wait. A second writer waits its turn instead of failing.
    cursor.execute("PRAGMA busy_timeout=15000")
    # Readers go on while one writes.
    _write_ahead(cursor)
    # FULL: a commit is on disk when it is answered. A power cut would otherwise turn a client's newest token into a replay.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _write_ahead(cursor: Any) -> None:
    """Switch the file to its write-ahead log; it stays so for good."""
    for left in reversed(range(_WAL_ATTEMPTS)):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except OperationalError:
            # https://www.sqlite.org/wal.html, "Sometimes Queries Return SQLITE_BUSY In WAL Mode": whoever opens a new file while
            # another does is refused at once, whatever busy_timeout says; a moment later the other is done.
            if not left:
                raise
            time.sleep(_WAL_PAUSE_S)
        else:
            return
