"""News between processes: which families end, told by PostgreSQL's NOTIFY over a connection of its own."""

from collections.abc import Callable

from sqlalchemy.ext.asyncio import AsyncEngine

from lazyauth import news_sql

CHANNEL = "lazyoauth_ended"


async def listen(engine: AsyncEngine, tell: Callable[[str], None]) -> None:
    """Tell which families end in any process, until cancelled; while the database is away, try again and again."""
    await news_sql.listen(engine, CHANNEL, tell, "revocations")
