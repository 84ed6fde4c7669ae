"""`SQLTasks`: tasks in PostgreSQL or SQLite, for several processes and across restarts, through SQLAlchemy Core.

A change locks the row, lets the step see it and writes, all in one short transaction: on PostgreSQL under the row's lock, on SQLite
under the write lock. What statements look for has columns of its own; everything else of a record is one JSON text.
"""

import asyncio
import json
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict, replace
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyauth.sql_engine import TablesOnDemand, prepare_sqlite, transaction
from lazymcp.task_store import OVER, Step, TaskRecord

__all__ = ["SQLTasks"]

T = TypeVar("T")

_BATCH: Final = 1_000
_FINISH_WITHIN_S: Final = 5.0
_COLUMNS: Final = ("id", "status", "runner", "lease_ms", "expires_ms", "revision")

metadata = sa.MetaData()
tasks = sa.Table(
    "lazymcp_tasks",
    metadata,
    sa.Column("id", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), primary_key=True),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("runner", sa.Text, nullable=False),
    sa.Column("lease_ms", sa.BigInteger, nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Index("lazymcp_tasks_expiry", "expires_ms"),
)
_row = tasks.c
_ACTIVE: Final = _row.status.not_in(sorted(OVER))


@event.listens_for(tasks, "after_create")
def _finish_table(_: sa.Table, connection: sa.Connection, **more: Any) -> None:
    # What follows could be arguments of the table, and would load PostgreSQL's dialect for a start on SQLite too.
    over = ", ".join(f"'{status}'" for status in sorted(OVER))
    connection.exec_driver_sql(f"CREATE INDEX lazymcp_tasks_active ON lazymcp_tasks (runner) WHERE status NOT IN ({over})")
    if connection.dialect.name == "postgresql":
        # A renewal changes no indexed column; room in the page keeps it there (heap-only tuples).
        connection.exec_driver_sql("ALTER TABLE lazymcp_tasks SET (fillfactor = 70)")


class SQLTasks:
    """A `TaskStore` on an engine that the application owns and closes. Its table is made when it is first needed.

    The clocks of the machines that share it must agree to a second or so: leases are times.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._sqlite = engine.dialect.name == "sqlite"
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._tables = TablesOnDemand(engine, metadata)
        # SQLite has one writer. Queueing here is fair and cheap, queueing in its busy handler is neither.
        self._writing = asyncio.Lock()
        prepare_sqlite(engine)

    async def create(self, task: TaskRecord, /) -> None:
        """Keep a new task."""
        await self._write(sa.insert(tasks).values(_to_row(task)))

    async def find(self, task_id: str, /) -> TaskRecord | None:
        """The newest record."""
        found = await self._read(sa.select(tasks).where(_row.id == task_id))
        return _to_record(found[0]) if found else None

    async def change(self, task_id: str, step: Step, /) -> TaskRecord | None:
        """Let a step change a task."""
        return await _whole(self._change(task_id, step))

    async def _change(self, task_id: str, step: Step) -> TaskRecord | None:
        await self._tables.ready()
        async with self._turn(), transaction(self._engine, immediate=self._sqlite) as connection:
            row = (await connection.execute(sa.select(tasks).where(_row.id == task_id).with_for_update())).first()
            found = None if row is None else _to_record(row)
            changed = None if found is None else step(found)
            if found is None or changed is None:
                return None
            changed = replace(changed, revision=found.revision + 1)
            await connection.execute(sa.update(tasks).where(_row.id == task_id).values(_to_row(changed)))
        return changed

    async def renew(self, runner: str, lease_ms: int, expires_ms: int, /) -> Mapping[str, int]:
        """Extend the lease and the life of a runner's tasks."""
        later = {"lease_ms": _later(_row.lease_ms, lease_ms), "expires_ms": _later(_row.expires_ms, expires_ms)}
        held = sa.update(tasks).where(_row.runner == runner, _ACTIVE).values(later).returning(_row.id, _row.revision)
        return {row.id: row.revision for row in await self._write(held)}

    async def abandoned(self, now_ms: int, /) -> Sequence[str]:
        """The ids of tasks whose runner is gone."""
        query = sa.select(_row.id).where(_ACTIVE, _row.lease_ms < now_ms).limit(_BATCH)
        return [row.id for row in await self._read(query)]

    async def purge(self, now_ms: int, /) -> int:
        """Forget what has expired, in batches that hold no lock for long."""
        old = sa.select(_row.id).where(_row.expires_ms < now_ms, sa.or_(sa.not_(_ACTIVE), _row.lease_ms < now_ms))
        batch = old.limit(_BATCH).with_for_update(skip_locked=True)
        removed = 0
        while count := len(await self._write(sa.delete(tasks).where(_row.id.in_(batch)).returning(_row.id))):
            removed += count
        return removed

    async def _write(self, statement: sa.Executable) -> Sequence[sa.Row[Any]]:
        return await _whole(self._execute(statement, self._turn()))

    async def _read(self, statement: sa.Executable) -> Sequence[sa.Row[Any]]:
        return await _whole(self._execute(statement, nullcontext()))

    async def _execute(self, statement: sa.Executable, turn: AbstractAsyncContextManager[Any]) -> Sequence[sa.Row[Any]]:
        await self._tables.ready()
        async with turn, self._autocommit.connect() as connection:
            result = await connection.execute(statement)
            return result.all() if result.returns_rows else ()

    def _turn(self) -> AbstractAsyncContextManager[Any]:
        return self._writing if self._sqlite else nullcontext()


async def _whole(work: Coroutine[Any, Any, T]) -> T:
    """Do it to its end, in a task of its own: what is cancelled inside a driver may leave a connection that nobody gives back."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            await asyncio.wait([task], timeout=_FINISH_WITHIN_S)
        task.add_done_callback(_retrieve)
        raise


def _retrieve(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()  # nobody waits for it any more


def _to_row(task: TaskRecord) -> dict[str, Any]:
    fields = asdict(task)
    row = {name: fields.pop(name) for name in _COLUMNS}
    # Only ASCII leaves here: PostgreSQL takes no NUL, and no half of a surrogate pair is UTF-8.
    return {**row, "body": json.dumps(fields, separators=(",", ":"))}


def _to_record(row: sa.Row[Any]) -> TaskRecord:
    return TaskRecord(**{name: getattr(row, name) for name in _COLUMNS}, **json.loads(row.body))


def _later(column: sa.ColumnElement[int], moment_ms: int) -> sa.ColumnElement[int]:
    return sa.case((column < moment_ms, sa.literal(moment_ms, sa.BigInteger)), else_=column)
