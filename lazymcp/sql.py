"""`PostgresBus`: the bus of processes that share a PostgreSQL database, by LISTEN and NOTIFY.

One connection a process, besides those of the pool, both listens and tells; so order is kept, and what comes back from ourselves
is known by its sender. A payload of PostgreSQL's has less than 8,000 bytes: larger messages lie in a table for a minute and the
payload names the row. News is not kept for who is away: while the connection is lost, what others publish is lost here.
SQLAlchemy is known here and in `task_sql.py`.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Final, Self

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyauth.news_sql import RETRY_AT_MOST_S, connected_apart, keep_hearing, stop
from lazyauth.sql_engine import create_tables
from lazymcp.bus import BACK, BusUnavailable, Hear, MemoryBus
from lazymcp.errors import MCPError
from lazymcp.jsonrpc import dump, parse

__all__ = ["PostgresBus"]

log = logging.getLogger("lazymcp.bus")

_CHANNEL: Final = "lazymcp_news"
# PostgreSQL, NOTIFY: "it must be specified as a simple string shorter than 8000 bytes".
_MAX_PAYLOAD: Final = 7_999
_MAX_ROW: Final = 2**63 - 1

# How long a publisher waits for the database, a reconnection included.
PUBLISH_WITHIN_S: Final = 5.0
_RETRY_S: Final = 0.2
# A connection can die without a word (a firewall, a lost host); asking is how that is noticed.
_ASK_AFTER_S: Final = 30.0

metadata = sa.MetaData()
# Unlogged: nobody misses a message of a minute ago after a crash.
news = sa.Table(
    "lazymcp_news",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("published_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    prefixes=["UNLOGGED"],
)

_TELL: Final = "SELECT pg_notify('lazymcp_news', $1)"
_KEEP_AND_TELL: Final = (
    "WITH kept AS (INSERT INTO lazymcp_news (message) VALUES ($1) RETURNING id) "
    "SELECT pg_notify('lazymcp_news', json_build_array($2::text, id)::text) FROM kept"
)
_FETCH: Final = "SELECT message FROM lazymcp_news WHERE id = $1"
_PURGE: Final = "DELETE FROM lazymcp_news WHERE published_at < now() - interval '1 minute'"


class PostgresBus:
    """A bus over an engine (asyncpg) that the application owns and closes: `async with PostgresBus(engine) as bus`.

    Entering creates its table where it is missing and begins to listen. The listeners of this process hear at once, whatever the
    database does. State: the connection, while there is one, and the messages that are on their way out.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        """A bus that is not open yet.

        Raises:
            ValueError: the engine is not one of PostgreSQL with asyncpg.
        """
        if engine.dialect.name != "postgresql" or engine.dialect.driver != "asyncpg":
            raise ValueError(f"PostgresBus needs postgresql+asyncpg; the engine is {engine.dialect.name}+{engine.dialect.driver}")
        self._engine = engine
        self._here = MemoryBus()
        self._loop: asyncio.AbstractEventLoop | None = None
        # A connection does one thing at a time: telling, fetching, asking whether it is alive.
        self._line = asyncio.Lock()
        self._driver: asyncio.Future[Any] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def is_open(self) -> bool:
        """Whether it has been entered and not yet left."""
        return self._keeper is not None

    async def __aenter__(self) -> Self:
        """Create the table where it is missing, and listen.

        Raises:
            sqlalchemy.exc.DBAPIError, OSError: the database is not there, or refuses.
        """
        await create_tables(self._engine, metadata)
        self._loop = asyncio.get_running_loop()
        self._driver = self._loop.create_future()
        self._keeper = self._loop.create_task(self._keep(), name="lazymcp: news of other processes")
        await asyncio.wait([self._keeper, self._driver], timeout=PUBLISH_WITHIN_S, return_when=asyncio.FIRST_COMPLETED)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let out what is on its way, and stop. The engine is not ours to close."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=PUBLISH_WITHIN_S)
        keeper, self._keeper = self._keeper, None
        await stop(keeper)

    def listen(self, topic: str, hear: Hear, /) -> Callable[[], None]:
        """Hear what is published on a topic from now on, in the running event loop."""
        return self._here.listen(topic, hear)

    async def publish(self, topic: str, message: Any, /) -> None:
        """Tell the listeners of this process at once, and then the other processes.

        Raises:
            BusUnavailable: the database was away, or did not take the message within PUBLISH_WITHIN_S of its turn, for which it
                waits as long at most.
        """
        if self._loop is None or not self.is_open:
            raise BusUnavailable("the bus is not open: async with PostgresBus(engine)")
        if asyncio.get_running_loop() is not self._loop:
            # A function that runs in a thread may publish from a loop of its own; connections belong to one loop.
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self.publish(topic, message), self._loop))
            return
        self._here.tell(topic, message)
        # In a task of its own: a publisher that is cancelled must leave no statement half done on the one connection.
        task = self._loop.create_task(self._send(topic, message))
        self._sending.add(task)
        task.add_done_callback(self._sent)
        await asyncio.shield(task)

    def _sent(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        if not task.cancelled():
            task.exception()  # told to the publisher, if it still waits

    async def _send(self, topic: str, message: Any) -> None:
        payload = dump([topic, None, message]).decode()
        driver: Any = None
        try:
            async with asyncio.timeout(PUBLISH_WITHIN_S) as patience, self._line:
                # Pending while there is no connection.
                driver = await asyncio.shield(self._connected)
                # The database has as long for whoever waited in the line, too: what is left then would say nothing about it.
                patience.reschedule(asyncio.get_running_loop().time() + PUBLISH_WITHIN_S)
                if len(payload.encode()) <= _MAX_PAYLOAD:
                    await driver.execute(_TELL, payload)
                else:
                    await driver.execute(_KEEP_AND_TELL, dump(message).decode(), topic)
        except TimeoutError:
            if driver is not None:
                driver.terminate()  # it does not answer; another one may
            raise BusUnavailable(f"the database did not take the message within {PUBLISH_WITHIN_S:g} seconds") from None
        except Exception as error:
            raise BusUnavailable(f"{type(error).__name__}: {error}") from error

    @property
    def _connected(self) -> asyncio.Future[Any]:
        if self._driver is None:
            raise BusUnavailable("the bus is not open")
        return self._driver

    async def _keep(self) -> None:
        """Listen until cancelled, across the times when the database is away."""

        def warn(reason: str) -> None:
            log.warning("news of other processes is lost until the database is back: %s", reason)

        await keep_hearing(self._hear_until_closed, warn, _RETRY_S)

    async def _hear_until_closed(self, connected: Callable[[], None]) -> None:
        async with _connection(self._engine) as (driver, arrivals):
            self._connected.set_result(driver)
            self._here.tell(BACK, None)
            connected()
            try:
                await self._hear(driver, arrivals)
            finally:
                self._driver = asyncio.get_running_loop().create_future()

    async def _hear(self, driver: Any, arrivals: asyncio.Queue[str | None]) -> None:
        """Tell what arrives, one after the other, until the connection is closed."""
        loop = asyncio.get_running_loop()
        ask_at = loop.time() + _ASK_AFTER_S
        while True:
            try:
                async with asyncio.timeout_at(ask_at):
                    payload = await arrivals.get()
            except TimeoutError:
                async with self._line:
                    await driver.execute(_PURGE, timeout=RETRY_AT_MOST_S)
                ask_at = loop.time() + _ASK_AFTER_S
                continue
            if payload is None:
                return
            try:
                await self._take(driver, parse(payload.encode()))
            except (MCPError, LookupError) as problem:
                log.warning("a message over the channel %s was lost: %s", _CHANNEL, problem)

    async def _take(self, driver: Any, arrived: Any) -> None:
        """Tell a message that arrived, or the one in the table that it names.

        Raises:
            LookupError: it is not there any more, or is no message of ours.
        """
        match arrived:
            case [str(topic), None, message]:
                self._here.tell(topic, message)
            case [str(topic), int(row)] if 0 < row <= _MAX_ROW and self._here.is_heard(topic):
                async with self._line:
                    kept = await driver.fetchval(_FETCH, row, timeout=RETRY_AT_MOST_S)
                if kept is None:
                    raise LookupError(f"it was kept in row {row}, which is gone")
                self._here.tell(topic, parse(kept.encode()))
            case [str(), int(row)] if 0 < row <= _MAX_ROW:
                pass
            case _:
                raise LookupError("another program uses this channel")


@asynccontextmanager
async def _connection(engine: AsyncEngine) -> AsyncIterator[tuple[Any, asyncio.Queue[str | None]]]:
    """A connection that listens, and what arrives over it from other processes; None is its end."""
    arrivals: asyncio.Queue[str | None] = asyncio.Queue()

    def hear(_connection: Any, sender: int, _channel: str, payload: str) -> None:
        if sender != us:
            arrivals.put_nowait(payload)

    async with connected_apart(engine, lambda: arrivals.put_nowait(None)) as driver:
        # Asked, for a connection pooler between us may tell another.
        us = await driver.fetchval("SELECT pg_backend_pid()")
        await driver.add_listener(_CHANNEL, hear)
        yield driver, arrivals
