"""`Lanes`: a few PostgreSQL connections on which one statement at a time runs without SQLAlchemy between.

For the one statement that every refresh waits for: SQLAlchemy's way to it (a place in the pool, a greenlet, a context, a result)
costs more processor time than everything else that a refresh does. The connections are made by the engine, with its
address, arguments and events. Opening one takes a place in its pool for a moment, and none after that: whoever fills the pool
then does not hold up a refresh.

State: the lanes that are free, those that are being given up, and whether it is over. `first` takes, returns and gives up, `close`
ends them all.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from lazyauth.sql_engine import leave_pool
from lazyoauth.sql_engine import Instant

# PostgreSQL writes commits that come together to the disk together, so a few lanes carry thousands of rotations a second.
LANES = 4
# How long PostgreSQL has to hear that a statement is given up.
_STOP_WITHIN_S = 2.0


class _Statement(NamedTuple):
    """A statement in PostgreSQL's own words, and the names of its values in their order; those in `instants` are times."""

    text: str
    names: Sequence[str]
    instants: frozenset[str]

    @classmethod
    def of(cls, statement: sa.Executable, engine: AsyncEngine) -> Self:
        """What SQLAlchemy would send, worked out once."""
        compiled: Any = statement.compile(dialect=engine.dialect)  # type: ignore[attr-defined]
        instants = frozenset(name for name, bound in compiled.binds.items() if isinstance(bound.type, Instant))
        return cls(str(compiled), tuple(compiled.positiontup), instants)

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        """The values by name, in the statement's order and as asyncpg takes them."""
        return [datetime.fromtimestamp(given[name], UTC) if name in self.instants else given[name] for name in self.names]


class _Lane(NamedTuple):
    """A connection of the engine, outside its pool, and what of it is asyncpg's."""

    connection: AsyncConnection
    driver: Any


class Lanes:
    """At most four connections besides those of the pool, opened when they are first needed."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._free: deque[_Lane] = deque()
        self._ending: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self._statements: dict[sa.Executable, _Statement] = {}
        self._turn = asyncio.Semaphore(LANES)

    async def first(self, statement: sa.Executable, given: Mapping[str, Any]) -> Any:
        """The first row that a statement gives, or None; committed when this returns. Times in it are `datetime`.

        Args:
            statement: always the same object for the same statement, for what it says to PostgreSQL is kept.
            given: its values by name.

        Raises:
            Exception: whatever asyncpg or the engine raises. Then nobody knows whether the statement was carried out, and the
                connection is given up.
        """
        prepared = self._statements.get(statement) or self._statements.setdefault(statement, _Statement.of(statement, self._engine))
        values = prepared.values(given)
        async with self._turn:
            lane = await self._take()
            try:
                row = await lane.driver.fetchrow(prepared.text, *values)
            except BaseException:
                # Cancelled in the middle, it may still be busy; failed, it may be broken. Whoever is cancelled again waits no
                # longer, and it ends all the same.
                ending = asyncio.create_task(_give_up(lane), name="lazyoauth: a lane is given up")
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)
                await asyncio.shield(ending)
                raise
            if self._is_closed:
                await _end(lane)
            else:
                self._free.append(lane)
        return row

    async def close(self) -> None:
        """End the connections; those still at work end when they have their answer."""
        self._is_closed = True
        while self._free:
            await _end(self._free.pop())
        if self._ending:
            await asyncio.wait(self._ending)

    async def _take(self) -> _Lane:
        while self._free:
            lane = self._free.pop()
            if not lane.driver.is_closed():
                return lane
            # The server was restarted: nothing of ours was under way there.
            await _end(lane)
        return await self._open()

    async def _open(self) -> _Lane:
        connection = await self._engine.connect()
        try:
            driver = (await connection.get_raw_connection()).driver_connection
            await connection.run_sync(leave_pool)
        except BaseException:
            await connection.close()
            raise
        return _Lane(connection, driver)


async def _give_up(lane: _Lane) -> None:
    """Tell PostgreSQL to stop, then end the connection.

    It does not look whether its client is still there while a statement waits for a lock: without a word the statement would wait
    on, one more of them after each try, until no connection is left; and would be carried out after the client was told otherwise.
    """
    with suppress(Exception):
        await lane.driver.close(timeout=_STOP_WITHIN_S)
    lane.driver.terminate()
    await _end(lane)


async def _end(lane: _Lane) -> None:
    with suppress(Exception):
        await lane.connection.close()
