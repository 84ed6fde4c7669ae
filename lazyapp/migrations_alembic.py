"""Runs migrations, and writes new ones: Alembic without its `alembic.ini` and `env.py`. Imported when there is something to do.

Any number of processes may begin at once: one migrates and the others wait, then find it done. On PostgreSQL they wait for a
session's advisory lock, and each migration is a transaction of its own; on SQLite for the write lock, and all are one transaction.
The only file that calls what Alembic's own commands call below its public part.
State: Alembic keeps what it is doing in globals of its module; `_globals` lets one migration of this process run at a time.
"""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import util
from alembic.autogenerate import RevisionContext
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from alembic.script.revision import RevisionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from lazyapp.errors import ConfigurationError, LazyappError, StartupError
from lazyapp.migrations import FRAMEWORK, OWN_PREFIXES, Line, in_words, shown, states

Tell = Callable[[Line, str, str], None]

# The number under which databases are migrated; processes of two versions must agree on it.
_MIGRATIONS_LOCK = 6_847_261_095
_CONNECT_TIMEOUT_S = 5.0
_ASK_AGAIN_S, _ASK_DATABASE_AGAIN_S = 0.02, 0.1
# Alembic reads more into what it is given, and asserts where it can read nothing.
_UP_TO, _DOWN_TO = re.compile(r"\w+|\+[1-9]\d{0,5}", re.ASCII), re.compile(r"\w+|-[1-9]\d{0,5}", re.ASCII)
_globals = threading.Lock()


class Written(NamedTuple):
    """A migration that was written.

    Args:
        path: its file.
        unnamed: tables of the database that the comparison did not know, and left alone.
    """

    path: str
    unnamed: Sequence[str]


async def upgrade(engine: AsyncEngine, lines: Iterable[Line], tell: Tell, target: str = "heads") -> None:
    """Run what a database has not had.

    Args:
        engine: the application's; PostgreSQL is reached over a connection of its own, on which no statement is cut short.
        lines: in the order in which they run.
        tell: called with the line, id and summary of each migration that was run here, when it is committed.
        target: how far the last of the lines goes; the others go all the way.

    Raises:
        ConfigurationError: there is no such revision, or a migration goes on from one that is not there.
        StartupError: a migration failed; what was told before is kept.
    """
    todo = list(lines)
    for line in todo:
        line.read()  # it names the file at fault, where Alembic has a warning and a number
    # Known before anything runs.
    await _check_target(engine, todo[-1], target)
    async with _telling(engine, tell) as committed, _alone(engine) as connection:
        for line in todo:
            to = target if line is todo[-1] else "heads"
            await connection.run_sync(partial(_move, line=line, tell=committed, up_to=to))


async def downgrade(engine: AsyncEngine, line: Line, tell: Tell, target: str) -> None:
    """Take migrations of a line back, down to a revision, `-1` (one of them) or `base` (all).

    Raises:
        ConfigurationError: there is no such revision, or a migration cannot be taken back.
        StartupError: a migration failed; what was told before is kept.
    """
    line.read()
    if not _DOWN_TO.fullmatch(target):
        raise _no_target(line, target, "-1 for one step back, or base")
    async with _telling(engine, tell) as committed, _alone(engine) as connection:
        await connection.run_sync(partial(_move, line=line, tell=committed, down_to=target))


@asynccontextmanager
async def _telling(engine: AsyncEngine, tell: Tell) -> AsyncIterator[Tell]:
    """To be entered before `_alone`: on SQLite nothing is committed before that is left, and a failure takes all back."""
    if engine.dialect.name != "sqlite":
        yield tell
        return
    done: list[tuple[Line, str, str]] = []
    yield lambda *each: done.append(each)
    for each in done:
        tell(*each)


async def _check_target(engine: AsyncEngine, line: Line, target: str) -> None:
    if not _UP_TO.fullmatch(target):
        raise _no_target(line, target, "+1 for one step, or heads")
    if target.startswith("+"):
        [state] = await states(engine, [line])
        if int(target) > len(state.pending):
            raise ConfigurationError(f"{target} is too far ({line.name}): {in_words([state]) or 'nothing is pending'}.")
    else:
        with _translated(line):
            _script(line).get_revisions(target)


def _no_target(line: Line, target: str, others: str) -> ConfigurationError:
    return ConfigurationError(f"{target!r} is no revision ({line.name}); write one that `lazyapp db status` lists, {others}.")


async def write(engine: AsyncEngine, line: Line, message: str, tables: Sequence[sa.MetaData] | None = None) -> Written:
    """Write a new migration and say where it is. It drops no table: one that nobody named may be a service's own.

    Args:
        engine: of the database that is compared.
        line: its folder is made when it is not there.
        message: what it does, in a few words.
        tables: what the database should have; the migration is filled with what it lacks. None: it is left empty.

    Raises:
        ConfigurationError: the database has not had all migrations that there are.
    """
    line.read()
    line.folder.mkdir(parents=True, exist_ok=True)
    script = _script(line)
    context = _context(script, message, is_filled=tables is not None)
    unnamed = _Unnamed()

    def compare(sync: sa.Connection) -> None:
        def retrieve(revision: Any, migration: Any) -> list[Any]:
            context.run_autogenerate(revision, migration)
            return []

        names = {"include_name": _is_the_applications, "include_object": unnamed.compares}
        _run(sync, line, script, retrieve, target_metadata=tables, **names)

    with _translated(line):
        if tables is not None:
            async with _alone(engine) as connection:
                await connection.run_sync(compare)
        [written] = context.generate_scripts()
    if written is None:
        raise LazyappError(f"Alembic wrote no migration into {line.folder}.")
    return Written(str(written.path), sorted(unnamed.tables))


class _Unnamed:
    """The tables of a database that nobody named, noted while Alembic compares; it leaves them alone."""

    def __init__(self) -> None:
        self.tables: list[str] = []

    def compares(self, _: Any, name: str | None, kind: str, is_found: bool, counterpart: Any) -> bool:  # Alembic's
        """Whether a thing is compared; Alembic's `include_object`."""
        if kind != "table" or not is_found or counterpart is not None:
            return True
        self.tables.append(str(name))
        return False


def _context(script: ScriptDirectory, message: str, *, is_filled: bool) -> RevisionContext:
    asked = {"message": message, "autogenerate": is_filled, "sql": False, "head": "head", "splice": False}
    asked |= dict.fromkeys(("branch_label", "version_path", "depends_on"))
    return RevisionContext(Config(), script, {**asked, "rev_id": _next_number(script)})


def _move(connection: sa.Connection, *, line: Line, tell: Tell, up_to: str = "", down_to: str = "") -> None:
    script = _script(line)
    begun: list[Any] = []

    def planned(revision: Any) -> Sequence[Any]:
        if up_to == "heads" and not {each.revision for each in script.walk_revisions()}.issuperset(revision):
            # While this process waited, one of a newer release migrated: all that this one knows has been run.
            return []
        return list(script._upgrade_revs(up_to, revision) if up_to else script._downgrade_revs(down_to, revision))

    def steps(revision: Any, _: Any) -> Iterator[Any]:
        for each in planned(revision):
            begun.append(each.info.up_revision)
            yield each
            # Alembic asks for the next one when the transaction of this one has been committed.
            moved = begun.pop()
            tell(line, str(moved.revision), (moved.doc or "").partition("\n")[0])

    with _translated(line):
        try:
            _run(connection, line, script, steps)
        except Exception as error:
            if not begun:
                raise
            kept = "nothing was kept" if connection.dialect.name == "sqlite" else "what ran before it is kept"
            reason = f"{shown(begun[0].path)} failed, and {kept}: {type(error).__name__}: {error}"
            raise StartupError("migrations", reason) from error


def _run(connection: sa.Connection, line: Line, script: ScriptDirectory, steps: Callable[..., Any], **options: Any) -> None:
    if connection.dialect.name == "postgresql":
        # What was only read of the line before has begun a transaction, and Alembic leaves one that it finds to whoever began it.
        connection.rollback()
    with EnvironmentContext(Config(), script, fn=steps) as environment:
        environment.configure(
            connection=connection,
            version_table=line.table,
            transaction_per_migration=True,
            # SQLite changes a table by making another; a migration written there says so, and means the same on PostgreSQL.
            render_as_batch=True,
            **options,
        )
        with environment.begin_transaction():
            environment.run_migrations()


def _script(line: Line) -> ScriptDirectory:
    # The template of new migrations stands beside the framework's own.
    return ScriptDirectory(
        FRAMEWORK.folder, file_template="%(rev)s_%(slug)s", version_locations=[line.folder], messaging_opts={"quiet": True}
    )


def _next_number(script: ScriptDirectory) -> str | None:
    """0001, 0002, …, as long as all are called so; else Alembic's own twelve letters."""
    numbers = [each.revision for each in script.walk_revisions()]
    if all(number.isdigit() and len(number) == 4 for number in numbers):
        return f"{max(map(int, numbers), default=0) + 1:04d}"
    return None


def _is_the_applications(name: str | None, kind: str, _: Any) -> bool:
    """What a comparison may see of a database: not the tables of the framework, which would seem to be too many."""
    return kind != "table" or not (name or "").startswith(OWN_PREFIXES)


@contextmanager
def _translated(line: Line) -> Iterator[None]:
    try:
        yield
    except (util.CommandError, RevisionError, KeyError) as error:
        text = str(error).rstrip(".")
        raise ConfigurationError(f"{text} ({line.name}); `lazyapp db status` lists what there is.") from error


@asynccontextmanager
async def _alone(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection, while nobody else migrates this database, in this process or another."""
    # Asked again rather than waited for: whoever holds it may be another task of this loop, or belong to another loop.
    while not _globals.acquire(blocking=False):  # noqa: ASYNC110
        await asyncio.sleep(_ASK_AGAIN_S)
    try:
        async with (_alone_on_sqlite if engine.dialect.name == "sqlite" else _alone_on_postgresql)(engine) as connection:
            yield connection
    finally:
        _globals.release()


@asynccontextmanager
async def _alone_on_postgresql(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    # Of the engine's pool a statement has ten seconds; to wait for another process, or to index a large table, takes longer.
    settings = {"timeout": _CONNECT_TIMEOUT_S, "server_settings": {"statement_timeout": "0"}}
    own = create_async_engine(engine.url, poolclass=NullPool, hide_parameters=True, connect_args=settings)
    try:
        async with own.connect() as connection:
            # A session's lock: it goes with the connection, however this process ends. It is asked for again rather than waited
            # for: a statement that waits holds a snapshot, and CREATE INDEX CONCURRENTLY, in the migration of whoever has the
            # lock, waits for every older snapshot to end (PostgreSQL, "Building Indexes Concurrently").
            while not await connection.scalar(sa.select(sa.func.pg_try_advisory_lock(_MIGRATIONS_LOCK))):
                await connection.commit()
                await asyncio.sleep(_ASK_DATABASE_AGAIN_S)
            await connection.commit()
            yield connection
    finally:
        await own.dispose()


@asynccontextmanager
async def _alone_on_sqlite(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        # SQLite, "Making Other Kinds Of Table Schema Changes": a table is dropped and made anew, and takes nothing along.
        await connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        await connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield connection
            broken = (await connection.exec_driver_sql("PRAGMA foreign_key_check")).first()
            if broken is not None:
                named = broken._asdict()
                raise LazyappError(f"A row of {named['table']} would refer to none in {named['parent']}; nothing was changed.")
        except BaseException:
            await connection.exec_driver_sql("ROLLBACK")
            raise
        else:
            await connection.exec_driver_sql("COMMIT")
        finally:
            await connection.exec_driver_sql("PRAGMA foreign_keys=ON")
