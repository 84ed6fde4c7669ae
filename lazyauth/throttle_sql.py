"""`SQLLoginFailures`: wrong passwords counted for all processes together, in PostgreSQL or SQLite.

State: the table `lazyauth_login_failures`, a row for each key that failed within the last hour; old rows go now and then.
"""

import itertools
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyauth.news_sql import translated, writing
from lazyauth.sql_engine import create_tables
from lazyauth.throttle import Tally

_PURGE_EVERY = 100

metadata = sa.MetaData()
failures = sa.Table(
    "lazyauth_login_failures",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("last_at", sa.Double, nullable=False),
    sa.Index("lazyauth_login_failures_last_at", "last_at"),
)
# Both databases read this; SQLAlchemy's own upsert is another for each, and would load PostgreSQL's dialect for SQLite too.
_ADD = sa.text(
    "INSERT INTO lazyauth_login_failures (key, failures, last_at) VALUES (:key, 1, :now) ON CONFLICT (key) DO UPDATE SET "
    "failures = CASE WHEN lazyauth_login_failures.last_at <= :since THEN 1 ELSE lazyauth_login_failures.failures + 1 END, "
    "last_at = excluded.last_at"
)


class SQLLoginFailures:
    """A `LoginFailures` on an engine that the application owns and closes; entering it creates its table."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._turns = itertools.count(1)

    async def __aenter__(self) -> Self:
        await create_tables(self._engine, metadata)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing is open."""

    async def read(self, keys: Sequence[str]) -> Mapping[str, Tally]:
        """The tallies of those keys that have one."""
        with translated():
            async with self._engine.connect() as connection:
                found = await connection.execute(sa.select(failures).where(failures.c.key.in_(keys)))
                return {row.key: Tally(row.failures, row.last_at) for row in found}

    async def add(self, keys: Sequence[str], now: float, since: float) -> None:
        """Count one for each key, in one transaction. Keys come sorted, so two of these never wait for each other."""
        async with writing(self._engine) as connection:
            await connection.execute(_ADD, [{"key": key, "now": now, "since": since} for key in sorted(keys)])
            if next(self._turns) % _PURGE_EVERY == 0:
                await connection.execute(sa.delete(failures).where(failures.c.last_at < since))

    async def clear(self, key: str) -> None:
        """Forget a tally."""
        async with writing(self._engine) as connection:
            await connection.execute(sa.delete(failures).where(failures.c.key == key))
