"""`SQLAssertions`: used client assertions in PostgreSQL or SQLite. The primary key decides which of two callers was first."""

import time
from types import TracebackType
from typing import Self

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyoauth.sql_engine import Instant, create_tables, prepare_sqlite

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
    """An `AssertionStore` on an engine that the application owns and closes. Entering it creates its table."""

    is_shared = True

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._cleaned_at = 0.0
        prepare_sqlite(engine)

    async def __aenter__(self) -> Self:
        await create_tables(self._engine, metadata)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing: the engine is not ours to close."""

    async def spend(self, key: str, expires_at: float) -> bool:
        """Insert, or be told that it is there; now and then remove what expired."""
        async with self._autocommit.connect() as connection:
            try:
                await connection.execute(sa.insert(assertions).values(key=key, expires_at=expires_at))
            except IntegrityError:
                return False
            if time.monotonic() >= self._cleaned_at + _CLEAN_EVERY_S:
                self._cleaned_at = time.monotonic()
                over = assertions.c.expires_at < time.time() - _KEPT_FOR_S
                await connection.execute(sa.delete(assertions).where(over))
        return True
