"""News between processes: which families end, told by PostgreSQL's NOTIFY over a connection of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

logger = logging.getLogger("lazyoauth")

CHANNEL = "lazyoauth_ended"
_RETRY_S, _RETRY_AT_MOST_S = 1.0, 10.0
# A connection can die without a word (a firewall, a lost host); asking is how that is noticed.
_ASK_AFTER_S = 30.0


async def listen(engine: AsyncEngine, tell: Callable[[str], None]) -> None:
    """Tell which families end in any process, until cancelled; while the database is away, try again and again."""
    wait_s = _RETRY_S
    while True:
        try:
            async with _listening(engine, tell) as listening:
                wait_s = _RETRY_S
                while not await listening():
                    pass
            reason = "the connection was closed"
        except Exception as error:
            # The driver's own words, without SQLAlchemy's statement and parameters.
            reason = f"{type(error).__name__}: {getattr(error, 'orig', None) or error}"
        logger.warning("revocations in other processes arrive late until the database is back: %s", reason)
        await asyncio.sleep(wait_s)
        wait_s = min(2 * wait_s, _RETRY_AT_MOST_S)


@asynccontextmanager
async def _listening(engine: AsyncEngine, tell: Callable[[str], None]) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
    """Listen, and yield a function that waits a while and answers whether the connection was closed."""
    closed = asyncio.Event()

    async def wait() -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(_ASK_AFTER_S):
                return await closed.wait()
        await driver.execute("SELECT 1", timeout=_RETRY_AT_MOST_S)
        return False

    async with engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        # Out of the pool, so that it takes no place there, and is closed at the end instead of being lent out while it listens.
        await connection.run_sync(lambda sync: sync.detach())
        driver.add_termination_listener(lambda _: closed.set())
        await driver.add_listener(CHANNEL, lambda _connection, _pid, _channel, family_id: tell(family_id))
        yield wait
