"""Which migrations there are, and which a database has had."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyapp.errors import ConfigurationError
from lazyapp.migrations import FRAMEWORK, Line, application, in_words, states
from lazyapp.migrations_alembic import upgrade
from lazyauth.sql_engine import prepare_sqlite

STEP = """\"\"\"Step {revision}\"\"\"

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = {follows!r}


def upgrade():
    {does}
"""


def write(folder: Path, revision: str, follows: object = None, does: str = "pass", name: str = "") -> None:
    folder.mkdir(exist_ok=True)
    text = STEP.format(revision=revision, follows=follows, does=does)
    (folder / f"{name or revision}.py").write_text(text)


def ignore(line: Line, revision: str, summary: str) -> None:
    pass


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(database_url)
    prepare_sqlite(engine)
    yield engine
    await engine.dispose()


def test_migrations_are_read_in_their_order_and_not_run(tmp_path: Path) -> None:
    """Many processes start and ask, so asking imports neither Alembic nor a migration."""
    write(tmp_path, "b", "a", does="1 / 0", name="1_second")
    write(tmp_path, "a", name="2_first")
    write(tmp_path, "d", ("b", "c"), name="0_merge")
    write(tmp_path, "c", "a")
    (tmp_path / "notes.py").write_text("answer = 42\n")
    found = application(tmp_path).read()
    assert [each.revision for each in found] == ["a", "b", "c", "d"] or [each.revision for each in found] == ["a", "c", "b", "d"]
    assert found[0].summary == "Step a"
    assert application(tmp_path / "nowhere").read() == []


@pytest.mark.parametrize(
    ("follows", "text", "sentence"),
    [("b", None, "in a circle: a, b"), (None, "def (", "b.py cannot be read"), (None, "revision = f()\n", "b.py cannot be read")],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, follows: str | None, text: str | None, sentence: str) -> None:
    write(tmp_path, "a", follows)
    write(tmp_path, "b", "a")
    if text is not None:
        (tmp_path / "b.py").write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        application(tmp_path).read()


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ([("0001", None)], "'0001'"),
        ([("0001", None), ("0004", "0003")], "'0001'"),
        ([], "None"),
        ([("0001", None), ("a", None)], "the id of one that is there"),
    ],
)
def test_a_migration_whose_forerunner_is_gone_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: list[tuple[str, str | None]], instead: str
) -> None:
    """Alembic has a warning and a KeyError for it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "migrations"
    write(folder, "0003", "0002", name="0003_make_sheep")
    for revision, follows in there:
        write(folder, revision, follows)
    with pytest.raises(ConfigurationError) as told:
        application(folder).read()
    said = f"migrations/0003_make_sheep.py goes on from 0002, which is not there; put it back, or write down_revision = {instead}."
    assert str(told.value) == said


async def test_what_is_pending_is_told_for_each_line(engine: AsyncEngine, tmp_path: Path) -> None:
    """docs/database.md: `/readyz` names `migrations` while any is pending."""
    write(tmp_path / "m", "a")
    write(tmp_path / "m", "b", "a")
    lines = (FRAMEWORK, application(tmp_path / "m"))
    behind = await states(engine, lines)
    assert [len(state.pending) for state in behind] == [len(FRAMEWORK.read()), 2]
    assert in_words(behind) == f"{len(FRAMEWORK.read()) + 2} pending"
    await upgrade(engine, lines, ignore, "a")
    [framework, own] = await states(engine, lines)
    assert ([*framework.pending], [each.revision for each in own.pending]) == ([], ["b"])
    await upgrade(engine, lines, ignore)
    assert in_words(await states(engine, lines)) is None


async def test_a_database_of_a_newer_release_is_left_to_it(engine: AsyncEngine, tmp_path: Path) -> None:
    """An older process that restarts during a rolling update must start."""
    write(tmp_path, "a")
    async with engine.begin() as connection:
        await connection.execute(sa.text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        await connection.execute(sa.text("INSERT INTO alembic_version VALUES ('z')"))
    [state] = await states(engine, [application(tmp_path)])
    assert (state.pending, state.unknown) == ([], ["z"])
