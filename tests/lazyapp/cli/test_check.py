"""`lazyapp check`."""

import json
import re
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.lazyapp.tiny_app import NOTES_APP, PATIENCE_S, run, serving, write_app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_app(tmp_path, NOTES_APP)


def rows_of(printed: str) -> dict[str, str]:
    found = re.findall(r"^  (\S.*?)  +(\S.*)$", printed, re.MULTILINE)
    return {what: " ".join(said.split()) for what, said in found}


def test_everything_is_started_told_of_and_closed_again(folder: Path) -> None:
    done = run(folder, "check")
    rows = rows_of(done.stdout)
    assert done.returncode == 0, done.stderr
    assert rows["settings"] == "ok development, http://localhost:3000"
    assert rows["service Notes"] == "ok"
    assert rows["mcp"] == "ok notes: 1 tool"
    assert "notes closed" in done.stdout


def test_what_fails_is_named_with_its_reason_and_what_comes_after_is_not_called_well(folder: Path) -> None:
    path = folder / "init" / "app.py"
    path.write_text(path.read_text().replace("scope.register(NotesMCP())", "scope.register(Missing())"))
    done = run(folder, "check", "--json")
    assert done.returncode == 1
    rows = {row["what"]: (row["state"], row["said"]) for row in json.loads(done.stdout[done.stdout.index("[\n") :])}
    assert rows["service Notes"] == ("ok", "")
    assert rows["mcp"] == ("FAILED", "name 'Missing' is not defined")


def test_what_is_pending_is_told_and_nothing_is_changed(folder: Path) -> None:
    """docs/services.md: `lazyapp check` reads. What is pending is tried on a copy, so what comes after is looked at."""
    steps = folder / "app" / "migrations"
    steps.mkdir(parents=True)
    (steps / "0001_x.py").write_text('"""X"""\nrevision = "0001"\ndown_revision = None\ndef upgrade() -> None: print("ran")\n')
    done = run(folder, "check")
    rows = rows_of(done.stdout)
    assert done.returncode == 0, done.stderr
    assert rows["migrations"].endswith("application 0001; `lazyapp db upgrade` runs what is pending")
    assert rows["migrations"].startswith("pending framework 0001, ")
    assert rows["mcp"] == "ok notes: 1 tool"
    assert "ran" in done.stdout
    assert not (folder / ".lazyapp").exists()


def test_a_reason_of_several_lines_stays_in_its_column(folder: Path) -> None:
    """docs/services.md, "Is everything there?": one row a step. SQLAlchemy's errors add the statement on lines of their own."""
    path = folder / "init" / "app.py"
    raises = "(_ for _ in ()).throw(OSError('first line\\nsecond line'))"
    path.write_text(path.read_text().replace("scope.register(NotesMCP())", raises))
    rows = [line for line in run(folder, "check").stdout.splitlines() if line.startswith("  ")]
    [failed] = [number for number, line in enumerate(rows) if " FAILED " in line]
    assert rows[failed + 1].strip() == "second line"


def test_a_deployment_is_judged_by_the_environment_that_it_would_have(folder: Path) -> None:
    """Design 3: `lazyapp check --deploy` prints them all."""
    done = run(folder, "check", "--deploy", PUBLIC_URL="http://notes.example", ADDR="0.0.0.0")
    assert done.returncode == 1
    for sentence in ("PUBLIC_URL is http://notes.example", "SECRET_KEY is not set", "CONTROL_PLANE_ADDR is not set"):
        assert sentence in done.stdout
    safe = {"SECRET_KEY": "k" * 32, "DATABASE_URL": "sqlite:///app.db", "PUBLIC_URL": "http://localhost:3000"}
    run(folder, "db", "upgrade", **safe | {"LAZYAPP_ENV": "production"})
    done = run(folder, "check", "--deploy", "--json", **safe)
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout[done.stdout.index("{\n") :])
    assert (found["refusals"], found["failure"]) == ([], None)


def test_a_wrong_setting_is_one_sentence(folder: Path) -> None:
    """Design 7: exit code 2."""
    done = run(folder, "check", CONTROL_PLANE_ADDR="9090")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "CONTROL_PLANE_ADDR" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["init"]


@pytest.mark.parametrize("waits", ["await asyncio.sleep(600)", "time.sleep(600)"])
def test_a_look_that_is_ended_leaves_no_copy_of_the_database(folder: Path, waits: str) -> None:
    """What an application holds is nothing for a folder that everybody's programs share: SIGTERM, as `timeout` sends it."""
    path = folder / "init" / "app.py"
    text = path.read_text().replace('print("notes opened")', f'open("opened", "w").close()\n    {waits}')
    path.write_text("import asyncio\nimport time\n" + text)
    (folder / ".lazyapp").mkdir()
    with closing(sqlite3.connect(folder / ".lazyapp" / "app.db")) as connection:
        connection.execute("CREATE TABLE secrets (word)")
    temporary = folder / "tmp"
    temporary.mkdir()
    with serving(folder, command=(sys.executable, "-m", "lazyapp", "check"), TMPDIR=str(temporary)) as look:
        deadline = time.monotonic() + PATIENCE_S
        while not (folder / "opened").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert list(temporary.glob("*/app.db"))
        assert look.end() == 143
    assert list(temporary.iterdir()) == []
