"""What the tables of lazyoauth have in common besides how they are made: how they keep a time.

For PostgreSQL and SQLite, on an engine that the application owns and closes.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

# Public here, for applications that keep tables of their own beside these.
from lazyauth.sql_engine import create_tables as create_tables
from lazyauth.sql_engine import prepare_sqlite as prepare_sqlite


class Instant(sa.types.TypeDecorator[float]):
    """Unix seconds in Python; `timestamptz` in PostgreSQL, where people read it, a number in SQLite."""

    impl = sa.Float
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        return dialect.type_descriptor(sa.DateTime(timezone=True) if dialect.name == "postgresql" else sa.Float())

    def process_bind_param(self, value: float | None, dialect: sa.Dialect) -> Any:
        return datetime.fromtimestamp(value, UTC) if value is not None and dialect.name == "postgresql" else value

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> float | None:
        return value.timestamp() if isinstance(value, datetime) else value


def clock_of(engine: AsyncEngine) -> tuple[sa.ColumnElement[Any], sa.ColumnElement[str]]:
    """The database's own clock: now, to be compared with an `Instant`, and its milliseconds since 1970 as text."""
    if engine.dialect.name == "sqlite":
        seconds = "(julianday('now') - 2440587.5) * 86400.0"
        return sa.literal_column(seconds, sa.Float), sa.literal_column(f"CAST(CAST({seconds} * 1000 AS INTEGER) AS TEXT)", sa.Text)
    return sa.func.now(), sa.literal_column("(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text", sa.Text)
