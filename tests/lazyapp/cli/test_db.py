"""`lazyapp db …`, as it is typed."""

import json
from pathlib import Path

import pytest

from lazyapp.migrations import FRAMEWORK
from tests.lazyapp.test_migrations import write
from tests.lazyapp.tiny_app import run

APP = """
import lazyapp
import sqlalchemy as sa

tables = sa.MetaData()
notes = sa.Table("notes", tables, sa.Column("id", sa.Integer, primary_key=True), sa.Column("text", sa.Text, nullable=False))
app = lazyapp.App(lazyapp.Config(name="notes"TABLES))
"""
OWN = len(FRAMEWORK.read())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "init").mkdir()
    (tmp_path / "init" / "__init__.py").touch()
    (tmp_path / "init" / "app.py").write_text(APP.replace("TABLES", ", tables=tables"))
    return tmp_path


def said(folder: Path, *arguments: str, **variables: str) -> str:
    done = run(folder, "db", *arguments, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_migration_is_written_run_seen_and_taken_back(folder: Path) -> None:
    """docs/database.md: Alembic's, in `app/migrations/`; no alembic.ini and no env.py."""
    assert said(folder, "upgrade").startswith("Migrated framework 0001: ")
    assert said(folder, "revision", "-m", "Make notes", "--autogenerate") == "Wrote app/migrations/0001_make_notes.py\n"
    written = (folder / "app" / "migrations" / "0001_make_notes.py").read_text()
    assert "create_table(" in written
    assert "lazy" not in written
    assert "application  0001      pending  Make notes" in said(folder, "status")
    assert said(folder, "upgrade") == "Migrated application 0001: Make notes\n"
    assert said(folder, "upgrade") == "The database is up to date.\n"
    [last] = [row for row in json.loads(said(folder, "status", "--json")) if row["line"] == "application"]
    assert last == {"line": "application", "revision": "0001", "state": "done", "summary": "Make notes"}
    assert said(folder, "downgrade", "-1") == "Took back application 0001: Make notes\n"
    assert [path.name for path in (folder / "app").iterdir()] == ["migrations"]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (("upgrade", "zzz"), "Can't locate revision identified by 'zzz' (application); `lazyapp db status` lists what there is.\n"),
        (
            ("upgrade", ""),
            "'' is no revision (application); write one that `lazyapp db status` lists, +1 for one step, or heads.\n",
        ),
        (("downgrade", ""), "'' is no revision (application); write one that `lazyapp db status` lists, -1 for one step back, or"),
        (("revision", "--autogenerate", "-m", "x"), "There is nothing to compare with; give lazyapp.Config(tables=…) the MetaData"),
        (("upgarde",), "`lazyapp db upgarde` is no command; did you mean `lazyapp db upgrade`?\n"),
    ],
)
def test_what_is_typed_wrongly_is_told_in_one_sentence(folder: Path, typed: tuple[str, ...], sentence: str) -> None:
    """Design, section 7: exit code 2 and one sentence."""
    app = folder / "init" / "app.py"
    app.write_text(app.read_text().replace(", tables=tables", ""))
    done = run(folder, "db", *typed)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(sentence)


def test_what_was_rolled_back_is_not_told_as_migrated(folder: Path) -> None:
    """docs/database.md: on SQLite all are one transaction."""
    migrations = folder / "app" / "migrations"
    (folder / "app").mkdir()
    write(migrations, "0001")
    write(migrations, "0002", "0001", does="raise RuntimeError('no')")
    done = run(folder, "db", "upgrade")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("migrations: app/migrations/0002.py failed, and nothing was kept: RuntimeError: no\n")
    assert said(folder, "status").count("pending") == OWN + 3


@pytest.mark.parametrize("typed", [("db", "upgrade"), ("db", "status"), ("db", "revision", "-m", "x"), ("serve", "--production")])
def test_a_migration_whose_forerunner_is_gone_is_told_in_one_sentence(folder: Path, typed: tuple[str, ...]) -> None:
    """Design, section 7: what to do, and nothing of what Alembic says."""
    (folder / "app").mkdir()
    write(folder / "app" / "migrations", "0001")
    write(folder / "app" / "migrations", "0003", "0002")
    done = run(folder, *typed, DATABASE_URL="sqlite:///prod.db", SECRET_KEY="k" * 40)
    assert (done.returncode, done.stdout) == (2, "")
    sentence = "app/migrations/0003.py goes on from 0002, which is not there; put it back, or write down_revision = '0001'.\n"
    assert done.stderr.endswith(sentence)
    assert "Warning" not in done.stderr


def test_production_migrates_and_leaves_when_it_is_told_to(folder: Path) -> None:
    """Design, section 7: LAZYAPP_MIGRATE=up, for an init container. A start on a database that is behind is refused."""
    variables = {"DATABASE_URL": "sqlite:///prod.db", "SECRET_KEY": "k" * 40}
    refused = run(folder, "serve", "--production", "--port", "0", **variables)
    assert refused.returncode == 2
    assert "The database lacks " in refused.stderr + refused.stdout
    assert "`lazyapp db upgrade`" in refused.stderr + refused.stdout
    done = run(folder, "serve", "--production", "--port", "0", **variables, LAZYAPP_MIGRATE="up")
    assert (done.returncode, done.stdout.count("Migrated framework")) == (0, OWN)
