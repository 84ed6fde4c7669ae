"""What those share who keep something in a database: how a failure is told, and news of what other processes changed.

For PostgreSQL and SQLite, on an engine that the application owns and closes. News is PostgreSQL's alone: LISTEN, on a connection
of one's own, kept up by a task that `stop` ends.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from lazyauth.errors import UsersUnavailable
from lazyauth.sql_engine import leave_pool

logger = logging.getLogger("lazyauth")

_RETRY_S, RETRY_AT_MOST_S = 1.0, 10.0
# A connection can die without a word (a firewall, a lost host); asking is how that is noticed.
_ASK_AFTER_S = 30.0
_INSIST_AFTER_S = 5.0
_Wait = Callable[[], Awaitable[bool]]


@contextmanager
def translated() -> Iterator[None]:
    """Turn what SQLAlchemy raises into an error that quotes no parameter, for among them are password hashes.

    Raises:
        UsersUnavailable: the statement was not carried out, or nobody knows whether it was.
    """
    try:
        yield
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        reason = getattr(error, "orig", None) or error
        detail = "" if isinstance(error, SQLAlchemyError) and reason is error else f": {reason}"
        raise UsersUnavailable(f"the users cannot be reached ({type(reason).__name__}{detail})") from None


@asynccontextmanager
async def writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A short transaction; see `translated` for its errors."""
    with translated():
        async with engine.begin() as connection:
            yield connection


async def listen(engine: AsyncEngine, channel: str, tell: Callable[[str], None], what: str = "changes of users") -> None:
    """Tell what is notified on a channel by any process, until cancelled; while the database is away, try again and again.

    Args:
        engine: for PostgreSQL; of its pool no place is taken.
        channel: a name of this framework's own.
        tell: called with what the notification carries.
        what: what comes late meanwhile, for the log.
    """

    async def hear(connected: Callable[[], None]) -> None:
        async with _listening(engine, channel, tell) as listening:
            connected()
            while not await listening():
                pass

    def warn(reason: str) -> None:
        logger.warning("%s in other processes arrive late until the database is back: %s", what, reason)

    await keep_hearing(hear, warn, _RETRY_S)


async def keep_hearing(hear: Callable[[Callable[[], None]], Awaitable[None]], warn: Callable[[str], None], retry_s: float) -> None:
    """Hear until cancelled; while the database is away, try again and again, each time after a longer pause.

    Args:
        hear: connects, calls what it is given when it has, and returns when the connection was closed.
        warn: told why nothing is heard.
        retry_s: the first pause.
    """
    wait_s = retry_s

    def connected() -> None:
        nonlocal wait_s
        wait_s = retry_s

    while True:
        try:
            await hear(connected)
            reason = "the connection was closed"
        except Exception as error:
            # The driver's own words, without SQLAlchemy's statement and parameters.
            reason = f"{type(error).__name__}: {getattr(error, 'orig', None) or error}"
        warn(reason)
        await asyncio.sleep(wait_s)
        wait_s = min(2 * wait_s, RETRY_AT_MOST_S)


async def stop(listener: asyncio.Task[None] | None) -> None:
    """End a task that hears."""
    while listener is not None and not listener.done():
        listener.cancel()
        # A library may swallow a cancellation; shutting down must not wait for ever because of that.
        await asyncio.wait([listener], timeout=_INSIST_AFTER_S)


@asynccontextmanager
async def connected_apart(engine: AsyncEngine, closed: Callable[[], None]) -> AsyncIterator[Any]:
    """A connection of the driver's (asyncpg), out of the pool.

    So it takes no place there, and is closed at the end instead of being lent out while it listens.

    Args:
        engine: for PostgreSQL.
        closed: called when the connection has ended, whoever ended it.
    """
    async with engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        await connection.run_sync(leave_pool)
        driver.add_termination_listener(lambda _: closed())
        yield driver


@asynccontextmanager
async def _listening(engine: AsyncEngine, channel: str, tell: Callable[[str], None]) -> AsyncIterator[_Wait]:
    """Listen, and yield a function that waits a while and answers whether the connection was closed."""
    closed = asyncio.Event()

    async def wait() -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(_ASK_AFTER_S):
                return await closed.wait()
        await driver.execute("SELECT 1", timeout=RETRY_AT_MOST_S)
        return False

    async with connected_apart(engine, closed.set) as driver:
        await driver.add_listener(channel, lambda _connection, _pid, _channel, payload: tell(payload))
        yield wait
