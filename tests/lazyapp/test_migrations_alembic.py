"""Running migrations: whole or not at all, one process at a time, and nothing cut short."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyapp.database import create_tables
from lazyapp.errors import ConfigurationError, LazyappError, StartupError
from lazyapp.migrations import FRAMEWORK, Line, application, in_words, states
from lazyapp.migrations_alembic import _alone_on_postgresql, downgrade, upgrade, write
from lazyauth.sql_engine import prepare_sqlite
from tests.lazyapp.test_migrations import ignore
from tests.lazyapp.test_migrations import write as write_step

ONE = "op.create_table('notes', sa.Column('id', sa.Integer, primary_key=True))"


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(database_url)
    prepare_sqlite(engine)
    yield engine
    await engine.dispose()


def step(folder: Path, revision: str, does: str, follows: str | None = None) -> None:
    write_step(folder, revision, follows, does=does)


async def tables_of(engine: AsyncEngine) -> set[str]:
    async with engine.connect() as connection:
        return set(await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names()))


async def test_four_at_once_run_each_migration_once(engine: AsyncEngine, tmp_path: Path) -> None:
    """docs/database.md: one migrates, the others wait. Four tasks here; tests/flows/test_migrate.py has four processes."""
    step(tmp_path, "a", ONE)
    told: list[str] = []

    def tell(line: Line, revision: str, summary: str) -> None:
        told.append(f"{line.name} {revision}")

    lines = (FRAMEWORK, application(tmp_path))
    await asyncio.gather(*(upgrade(engine, lines, tell) for _ in range(4)))
    assert sorted(told) == ["application a", *(f"framework {each.revision}" for each in FRAMEWORK.read())]


async def test_a_migration_that_fails_leaves_nothing_of_itself(engine: AsyncEngine, tmp_path: Path) -> None:
    """PostgreSQL and SQLite both take DDL into a transaction."""
    step(tmp_path, "a", f"{ONE}; 1 / 0")
    with pytest.raises(StartupError, match=r"a\.py failed, and .* kept: ZeroDivisionError: division by zero"):
        await upgrade(engine, [application(tmp_path)], ignore)
    assert "notes" not in await tables_of(engine)
    assert in_words(await states(engine, [application(tmp_path)])) == "1 pending"
    step(tmp_path, "a", ONE)
    await upgrade(engine, [application(tmp_path)], ignore)
    assert "notes" in await tables_of(engine)


async def test_a_migration_is_told_when_it_is_kept(engine: AsyncEngine, tmp_path: Path) -> None:
    """docs/database.md: on SQLite all of them are one transaction, on PostgreSQL each is one; what is told has been committed."""
    step(tmp_path, "a", ONE)
    step(tmp_path, "b", "raise RuntimeError('no')", "a")
    told: list[str] = []
    with pytest.raises(StartupError, match=r"b\.py failed, and .* kept: RuntimeError: no"):
        await upgrade(engine, [application(tmp_path)], lambda _, revision, __: told.append(revision))
    [state] = await states(engine, [application(tmp_path)])
    kept = [] if engine.dialect.name == "sqlite" else ["a"]
    assert (told, [each.revision for each in state.pending]) == (kept, [each for each in "ab" if each not in kept])


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        *[(target, "is no revision") for target in ("", "+x", "two words", "-1", "+0", "a@heads", "a:b", "٣")],
        ("+2", r"\+2 is too far \(application\): 1 pending"),
        ("zzz", "Can't locate revision identified by 'zzz'"),
    ],
)
async def test_a_revision_that_is_none_changes_nothing_on_the_way_up(
    sqlite_url: str, tmp_path: Path, target: str, sentence: str
) -> None:
    """Design, section 7: one sentence. Alembic asserts on some of these, after the framework's line had run."""
    engine = create_async_engine(sqlite_url)
    step(tmp_path, "a", ONE)
    with pytest.raises(ConfigurationError, match=sentence):
        await upgrade(engine, (FRAMEWORK, application(tmp_path)), ignore, target)
    assert await tables_of(engine) == set()
    await engine.dispose()


@pytest.mark.parametrize("target", ["", "+1", "-x", "two words", "-0", "-99", "zzz", "base@a"])
async def test_a_revision_that_is_none_changes_nothing_on_the_way_down(sqlite_url: str, tmp_path: Path, target: str) -> None:
    """Design, section 7: one sentence."""
    engine = create_async_engine(sqlite_url)
    step(tmp_path, "a", ONE)
    line = application(tmp_path)
    await upgrade(engine, [line], ignore, "+1")
    before = await tables_of(engine)
    with pytest.raises(ConfigurationError):
        await downgrade(engine, line, ignore, target)
    assert await tables_of(engine) == before
    await engine.dispose()


async def test_a_table_of_sqlite_is_made_anew_without_its_rows_elsewhere(sqlite_url: str, tmp_path: Path) -> None:
    """SQLite, "Making Other Kinds Of Table Schema Changes": foreign keys on, the old table takes what refers to it."""
    engine = create_async_engine(sqlite_url)
    prepare_sqlite(engine)
    async with engine.begin() as connection:
        await connection.execute(sa.text("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)"))
        await connection.execute(sa.text("CREATE TABLE pets (id INTEGER PRIMARY KEY, of INT REFERENCES people ON DELETE CASCADE)"))
        await connection.execute(sa.text("INSERT INTO people VALUES (1, 'ada')"))
        await connection.execute(sa.text("INSERT INTO pets VALUES (7, 1)"))
    renamed = "\n    with op.batch_alter_table('people') as b: b.alter_column('name', nullable=False, existing_type=sa.Text)"
    step(tmp_path, "a", f"pass{renamed}")
    await upgrade(engine, [application(tmp_path)], ignore)
    async with engine.connect() as connection:
        assert (await connection.execute(sa.text("SELECT id FROM pets"))).scalars().all() == [7]
        assert (await connection.exec_driver_sql("PRAGMA foreign_keys")).scalar() == 1
    step(tmp_path, "b", "op.execute('DELETE FROM people')", "a")
    with pytest.raises(LazyappError, match="A row of pets would refer to none in people; nothing was changed"):
        await upgrade(engine, [application(tmp_path)], ignore)
    async with engine.connect() as connection:
        assert (await connection.execute(sa.text("SELECT id FROM people"))).scalars().all() == [1]
    await engine.dispose()


async def test_a_long_migration_is_not_cut_short(postgres_url: str, tmp_path: Path) -> None:
    """An index on a large table takes longer than a request may: the limits of the engine's connections are not a migration's."""
    short = {"command_timeout": 0.2, "server_settings": {"statement_timeout": "100"}}
    limited, patient = create_async_engine(postgres_url, connect_args=short), create_async_engine(postgres_url)
    step(tmp_path, "a", "op.execute('SELECT pg_sleep(0.5)')")
    await upgrade(limited, [application(tmp_path)], ignore)
    assert in_words(await states(patient, [application(tmp_path)])) is None
    await limited.dispose()
    await patient.dispose()


async def test_an_index_is_made_concurrently_while_others_wait_to_migrate(postgres_url: str, tmp_path: Path) -> None:
    """PostgreSQL, "Building Indexes Concurrently": it waits for whoever holds an older snapshot, and they waited for its lock."""
    index = "op.execute('SELECT pg_sleep(0.3)'); op.execute('CREATE INDEX CONCURRENTLY by_id ON notes (id)')"
    step(tmp_path, "a", ONE)
    step(tmp_path, "b", f"pass\n    with op.get_context().autocommit_block(): {index}", "a")
    engine = create_async_engine(postgres_url)

    async def another() -> None:
        # Of another process: those of this one wait before they ask the database.
        async with _alone_on_postgresql(engine):
            pass

    waiting: list[asyncio.Task[None]] = []

    def tell(line: Line, revision: str, summary: str) -> None:
        if revision == "a":
            waiting.append(asyncio.get_running_loop().create_task(another()))

    await upgrade(engine, [application(tmp_path)], tell)
    await asyncio.gather(*waiting)
    assert in_words(await states(engine, [application(tmp_path)])) is None
    await engine.dispose()


async def test_a_comparison_sees_the_applications_tables_only(engine: AsyncEngine, tmp_path: Path) -> None:
    """docs/database.md: what the framework keeps is not for the application's migrations to drop."""
    line = application(tmp_path / "migrations")
    await upgrade(engine, [FRAMEWORK, line], ignore)
    tables = sa.MetaData()
    sa.Table("notes", tables, sa.Column("id", sa.Integer, primary_key=True))
    first = Path((await write(engine, line, "Make notes", [tables])).path)
    assert first.name == "0001_make_notes.py"
    assert "lazy" not in first.read_text()
    await upgrade(engine, [FRAMEWORK, line], ignore)
    assert "notes" in await tables_of(engine)
    second = Path((await write(engine, line, "Nothing", [tables])).path)
    assert (second.name, second.read_text().count("pass")) == ("0002_nothing.py", 2)


async def test_a_table_that_nobody_named_is_told_and_not_dropped(engine: AsyncEngine, tmp_path: Path) -> None:
    """docs/database.md: a service may make its tables itself, as the accounts of a new application do."""
    line = application(tmp_path / "migrations")
    await upgrade(engine, [FRAMEWORK, line], ignore)
    own, tables = sa.MetaData(), sa.MetaData()
    sa.Table("accounts", own, sa.Column("id", sa.Integer, primary_key=True), sa.Column("email", sa.String(9), index=True))
    sa.Table("notes", tables, sa.Column("id", sa.Integer, primary_key=True))
    await create_tables(engine, own)
    written = await write(engine, line, "Make notes", [tables])
    assert written.unnamed == ["accounts"]
    text = Path(written.path).read_text()
    assert ("create_table" in text, "accounts" in text) == (True, False)


async def test_a_newer_release_that_migrated_first_is_left_to_it(engine: AsyncEngine, tmp_path: Path) -> None:
    """While a release is rolled out processes of both start; who waited for a newer one has nothing to do, as who came later."""
    older, newer = tmp_path / "older", tmp_path / "newer"
    for folder in (older, newer):
        step(folder, "a", ONE)
    step(newer, "b", "pass", "a")
    await upgrade(engine, [application(newer)], ignore)
    await upgrade(engine, [application(older)], ignore)
    assert (await states(engine, [application(newer)]))[0].pending == []


@pytest.mark.parametrize("message", ['Rename "name"', "Move C:\\users", '"""; raise SystemExit', "Ends with \\"])
async def test_whatever_a_migration_is_said_to_do_it_can_be_read(engine: AsyncEngine, tmp_path: Path, message: str) -> None:
    """The text stands in the file's docstring, and a file that cannot be read keeps every process from starting."""
    line = application(tmp_path / "migrations")
    assert Path((await write(engine, line, message)).path).parent == line.folder
    await upgrade(engine, [line], ignore)
    assert [each.summary for each in line.read()] == [message]
