"""The application's database: one SQLAlchemy engine from DATABASE_URL, a SQLite file where none is set.

Making the engine opens no connection; the first statement does.
"""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyapp.errors import ConfigurationError
from lazyapp.settings import Settings
from lazyoauth.sql import create_tables, prepare_sqlite

__all__ = ["AsyncEngine", "create_tables", "opened_engine"]

DRIVERS = frozenset({"postgresql+asyncpg", "sqlite+aiosqlite"})


@asynccontextmanager
async def opened_engine(settings: Settings) -> AsyncIterator[AsyncEngine]:
    """The engine for one run of the application; its connections are closed afterwards.

    Without DATABASE_URL the database is a file under `.lazyapp/` beside `init/`, under test one that is gone afterwards.

    Raises:
        ConfigurationError: DATABASE_URL is no address that lazyapp can open.
    """
    with _folder(settings) as folder:
        url = _read(settings, folder)
        engine = create_async_engine(url, pool_pre_ping=url.get_backend_name() == "postgresql")
        prepare_sqlite(engine)
        try:
            yield engine
        finally:
            await engine.dispose()


@contextmanager
def _folder(settings: Settings) -> Iterator[Path]:
    if settings.env == "test" and settings.database_url is None:
        with tempfile.TemporaryDirectory(prefix="lazyapp-") as folder:
            yield Path(folder)
        return
    yield settings.root / ".lazyapp"


def _read(settings: Settings, folder: Path) -> URL:
    if settings.database_url is None:
        folder.mkdir(exist_ok=True)
        return URL.create("sqlite+aiosqlite", database=str(folder / "app.db"))
    form = "postgresql+asyncpg://user:password@host/name or sqlite+aiosqlite:///path/to/file"
    try:
        url = make_url(settings.database_url.get_secret_value())
    except ArgumentError:
        # The address holds a password, so it is not shown.
        raise ConfigurationError(f"DATABASE_URL cannot be read; write {form}.") from None
    if url.drivername not in DRIVERS:
        raise ConfigurationError(f"DATABASE_URL names the driver {url.drivername}, which lazyapp does not use; write {form}.")
    return url
