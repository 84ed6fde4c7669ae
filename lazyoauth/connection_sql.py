"""`SQLConnections`: the list of connections in PostgreSQL or SQLite, through SQLAlchemy Core."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyauth.sql_engine import TablesOnDemand
from lazyoauth.connections import Connection
from lazyoauth.sql_engine import Instant, prepare_sqlite

__all__ = ["SQLConnections"]

metadata = sa.MetaData()
connections = sa.Table(
    "lazyoauth_connections",
    metadata,
    sa.Column("family_id", sa.Uuid(as_uuid=False), primary_key=True),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("client_id", sa.Text, nullable=False),
    sa.Column("client_name", sa.Text, nullable=False),
    sa.Column("redirect_host", sa.Text, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("resource", sa.Text, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("last_used_at", Instant, nullable=False),
    sa.Index("lazyoauth_connections_user", "user_id"),
)
_row = connections.c


class SQLConnections:
    """`Connections` on an engine that the application owns and closes. The table is made when it is first needed."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._tables = TablesOnDemand(engine, metadata)
        # SQLite has one writer. Queueing here is fair and cheap, queueing in its busy handler is neither.
        self._writing: AbstractAsyncContextManager[Any] = asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        prepare_sqlite(engine)

    async def add(self, connection: Connection) -> None:
        """Keep a new one; where it is already, nothing is written."""
        values = asdict(connection)
        columns = [sa.bindparam(name, value, type_=_row[name].type) for name, value in values.items()]
        there = sa.exists().where(_row.family_id == connection.family_id)
        # In one statement that both databases know; the primary key decides between two at once, and the loser is only logged.
        await self._write(sa.insert(connections).from_select(list(values), sa.select(*columns).where(sa.not_(there))))

    async def touch(self, family_id: str, when: float) -> None:
        """It was used then."""
        found = sa.and_(_row.family_id == family_id, _row.last_used_at < when)
        await self._write(sa.update(connections).where(found).values(last_used_at=when))

    async def of_user(self, user_id: str) -> Sequence[Connection]:
        """Those of one user."""
        return await self._read(sa.select(connections).where(_row.user_id == user_id))

    async def all(self) -> Sequence[Connection]:
        """All of them."""
        return await self._read(sa.select(connections))

    async def remove(self, family_id: str) -> None:
        """Forget one."""
        await self._write(sa.delete(connections).where(_row.family_id == family_id))

    async def purge(self, before: float) -> int:
        """Forget the old."""
        return await self._write(sa.delete(connections).where(_row.created_at < before))

    async def _read(self, query: sa.Select[Any]) -> list[Connection]:
        await self._tables.ready()
        async with self._autocommit.connect() as connection:
            rows = await connection.execute(query.order_by(_row.last_used_at.desc(), _row.family_id))
            return [Connection(**row._mapping) for row in rows]

    async def _write(self, statement: sa.Executable) -> int:
        await self._tables.ready()
        async with self._writing, self._autocommit.connect() as connection:
            return (await connection.execute(statement)).rowcount
