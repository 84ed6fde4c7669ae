"""`SQLAssertions`: used client assertions in PostgreSQL or SQLite. The primary key decides which of two callers was first."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from lazyauth.sql_engine import TablesOnDemand
from lazyoauth.sql_engine import Instant, prepare_sqlite

# How often a process removes what is over, and how long after that. Clocks of processes may differ.
_CLEAN_EVERY_S = 60.0
_KEPT_FOR_S = 600.0

metadata = sa.MetaData()
assertions = sa.Table(
    "lazyoauth_assertions",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Index("lazyoauth_assertions_expiry", "expires_at"),
)


class SQLAssertions:
    """An `AssertionStore` on an engine that the application owns and closes. The table is made when it is first needed."""

    is_shared = True

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._tables = TablesOnDemand(engine, metadata)
        # SQLite has one writer. Queueing here is fair and cheap, queueing in its busy handler is neither.
        self._writing: AbstractAsyncContextManager[Any] = asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        self._clean_at = 0.0
        prepare_sqlite(engine)

    async def spend(self, key: str, expires_at: float) -> bool:
        """Insert, or be told that it is there; now and then remove what expired."""
        await self._tables.ready()
        async with self._writing, self._autocommit.connect() as connection:
            try:
                await connection.execute(sa.insert(assertions).values(key=key, expires_at=expires_at))
            except IntegrityError:
                return False
            await self._clean(connection)
        return True

    async def _clean(self, connection: AsyncConnection) -> None:
        if time.monotonic() < self._clean_at:
            return
        self._clean_at = time.monotonic() + _CLEAN_EVERY_S
        over = assertions.c.expires_at < time.time() - _KEPT_FOR_S
        await connection.execute(sa.delete(assertions).where(over))
