"""The application's database: one SQLAlchemy engine from DATABASE_URL, a SQLite file where none is set, and a session a request.

Making either opens no connection; the first statement does.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import PoolResetState

from lazyapp.errors import ConfigurationError
from lazyapp.secret_words import without_passwords
from lazyapp.services import Services
from lazyapp.settings import Settings, make_folder
from lazyoauth.sql_engine import create_tables, prepare_sqlite

__all__ = [
    "AsyncEngine",
    "AsyncSession",
    "MetaData",
    "create_tables",
    "opened_engine",
    "opened_session",
    "require_url",
    "shown_url",
    "sqlite_file",
]

# A silent database must become an error within seconds, and soon enough that what it has not done is not done later for nobody.
CONNECT_TIMEOUT_S, COMMAND_TIMEOUT_S, POOL_TIMEOUT_S = 5.0, 10.0, 5.0
_OPTIONS: Mapping[str, dict[str, Any]] = {
    "postgresql": {
        "pool_pre_ping": True,
        "pool_timeout": POOL_TIMEOUT_S,
        "connect_args": {
            "timeout": CONNECT_TIMEOUT_S,
            "command_timeout": COMMAND_TIMEOUT_S,
            # The server gives up first, so a statement that nobody waits for any more is not carried out.
            "server_settings": {"statement_timeout": str(int(COMMAND_TIMEOUT_S * 800))},
        },
    },
    "sqlite": {},
}

DRIVERS = frozenset({"postgresql+asyncpg", "sqlite+aiosqlite"})


def shown_url(url: str) -> str:
    """An address of a database without its secrets, for people; SQLAlchemy says what of it is the password."""
    try:
        return without_passwords(make_url(url).render_as_string(hide_password=True))
    except (ArgumentError, ValueError):
        return without_passwords(url)


def require_url(settings: Settings) -> None:
    """Let no application in production keep what it has in a file that nobody named.

    Raises:
        ConfigurationError: production, and DATABASE_URL is not set.
    """
    if settings.env == "production" and settings.database_url is None:
        raise ConfigurationError("DATABASE_URL is not set; production needs one such as postgresql://user:password@host/name.")


@asynccontextmanager
async def opened_engine(settings: Settings) -> AsyncIterator[AsyncEngine]:
    """The engine for one run of the application; its connections are closed afterwards.

    Without DATABASE_URL the database is a file under `.lazyapp/` beside `init/`, under test one that is gone afterwards.

    Raises:
        ConfigurationError: DATABASE_URL is no address that lazyapp can open.
    """
    with _folder(settings) as folder:
        url = _read(settings, folder)
        # What a statement carries may be a password's hash or a person's words: no error shows it, and no line about a statement.
        engine = create_async_engine(url, hide_parameters=True, **_OPTIONS[url.get_backend_name()], **_pool(settings, url))
        prepare_sqlite(engine)
        if engine.dialect.name == "sqlite":
            event.listen(engine.sync_engine, "reset", _end_transaction)
            event.listen(engine.sync_engine, "before_cursor_execute", _lock_before_reading)
            event.listen(engine.sync_engine, "savepoint", _take_write_lock)
        try:
            yield engine
        finally:
            await _to_its_end(engine.dispose())


def sqlite_file(settings: Settings) -> Path | None:
    """The file of the database, which need not be there yet; None where it is no file, or is gone with the run."""
    if settings.database_url is None:
        return None if settings.env == "test" else settings.root / ".lazyapp" / "app.db"
    url = _read(settings, settings.root)
    is_file = url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:" and "uri" not in url.query
    return Path(str(url.database)) if is_file else None


async def _to_its_end(closing: Coroutine[Any, Any, None]) -> None:
    """Close, also when cancelled meanwhile, which is passed on afterwards: a pool that is cut off drops connections still open."""
    task = asyncio.ensure_future(closing)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    task.result()


async def opened_session(services: Services) -> AsyncIterator[AsyncSession]:
    """The session of one request or tool call: one transaction, begun by its first statement.

    It is committed when what asked for it is done, before the answer leaves, so that a commit that fails is still an error to the
    client; whatever was raised rolls it back. Objects may be read after the commit, for a view or an answer.
    """
    # Closed for good. By default a session begins anew when it is used after that, by a stream or a background task, on a
    # connection that nobody gives back, and what it writes is lost without a word.
    async with AsyncSession(services.get(AsyncEngine), expire_on_commit=False, close_resets_only=False) as session:
        try:
            yield session
        except BaseException:
            await session.rollback()
            raise
        await session.commit()


def _lock_before_reading(
    connection: Connection, cursor: object, statement: str, parameters: object, context: Any, executemany: bool
) -> None:
    """Let `FOR UPDATE`, which SQLite does not have, take the write lock: whoever reads so comes second there too.

    The parameters are those of SQLAlchemy's `before_cursor_execute`.
    """
    compiled = context.compiled if context is not None else None
    if compiled is not None and getattr(compiled.statement, "_for_update_arg", None) is not None:
        _take_write_lock(connection)


def _take_write_lock(connection: Connection, *_: object) -> None:
    """Begin a transaction with the write lock, if none has begun.

    SQLite, "Transactions", 2.2: a transaction that has read is refused its first write at once when somebody wrote since, however
    long it might wait. By itself the driver begins one with its first write, which waits; a savepoint would begin one with a read.
    """
    driver: Any = connection.connection.driver_connection
    if not driver.in_transaction and driver.isolation_level is not None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _end_transaction(connection: Any, _: object, state: PoolResetState) -> None:
    """Give back no connection with a transaction open.

    A COMMIT that SQLite refuses (a deferred constraint) leaves the transaction as it is, and SQLAlchemy takes it for ended: the
    next request would commit what this one was told had failed.
    """
    if state.asyncio_safe and connection.driver_connection.in_transaction:
        connection.rollback()


def _pool(settings: Settings, url: URL) -> dict[str, int]:
    """How many connections the engine keeps, where it was said; SQLite's are files, and cost nothing."""
    if url.get_backend_name() == "sqlite":
        return {}
    said = {"pool_size": settings.database_pool_size, "max_overflow": settings.database_max_overflow}
    return {name: number for name, number in said.items() if number is not None}


@contextmanager
def _folder(settings: Settings) -> Iterator[Path]:
    if settings.env == "test" and settings.database_url is None:
        with tempfile.TemporaryDirectory(prefix="lazyapp-") as folder:
            yield Path(folder)
        return
    yield settings.root / ".lazyapp"


def _read(settings: Settings, folder: Path) -> URL:
    if settings.database_url is None:
        make_folder(folder)
        return URL.create("sqlite+aiosqlite", database=str(folder / "app.db"))
    form = "postgresql://user:password@host/name or sqlite:///path/to/file"
    try:
        url = make_url(settings.database_url.get_secret_value())
    except (ArgumentError, ValueError):
        # The address holds a password, so it is not shown.
        raise ConfigurationError(f"DATABASE_URL cannot be read; write {form}.") from None
    if url.drivername not in DRIVERS:
        raise ConfigurationError(f"DATABASE_URL names the driver {url.drivername}, which lazyapp does not use; write {form}.")
    return url
