"""A copy that leaves the original as it is, byte for byte."""

import hashlib
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from lazyapp.database_copy import copy_database
from lazyapp.errors import StartupError

WRITER = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute(f"PRAGMA journal_mode={sys.argv[2]}")
connection.execute("PRAGMA cache_spill=1")
connection.execute("PRAGMA cache_size=1")
connection.execute("CREATE TABLE notes (body)")
connection.execute("INSERT INTO notes VALUES ('kept')")
connection.commit()
if sys.argv[3] == "closes":
    connection.close()
    sys.exit()
connection.executemany("INSERT INTO notes VALUES (?)", [("never committed" * 100,)] * 100)
os.kill(os.getpid(), signal.SIGKILL)
"""


def written(path: Path, journal: str, ends: str) -> None:
    done = subprocess.run([sys.executable, "-c", WRITER, path, journal, ends], check=False)
    assert done.returncode == (0 if ends == "closes" else -signal.SIGKILL)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def notes(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT body FROM notes").fetchall()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "copies").mkdir()
    return tmp_path / "copies" / "app.db"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    return tmp_path / "own" / "notes?.db"


@pytest.mark.parametrize("journal", ["wal", "delete"])
@pytest.mark.parametrize("ends", ["closes", "is killed"])
def test_every_file_stays_as_it_is_and_what_was_committed_is_seen(source: Path, copy: Path, journal: str, ends: str) -> None:
    """SQLite, "Write-Ahead Logging", section 4, and "Atomic Commit", section 4.2: whoever opens what a crash left mends it."""
    written(source, journal, ends)
    before = digests(source.parent)
    assert (len(before) > 1) == (ends == "is killed")
    copy_database(source, copy)
    assert digests(source.parent) == before
    assert notes(copy) == [("kept",)]


def test_an_open_database_is_copied_with_what_is_committed(source: Path, copy: Path) -> None:
    """An application that is served has its database open, and the log has what was written last."""
    written(source, "wal", "closes")
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("INSERT INTO notes VALUES ('new')")
        connection.commit()
        connection.execute("INSERT INTO notes VALUES ('not yet')")
        copy_database(source, copy)
        assert notes(copy) == [("kept",), ("new",)]


def test_a_database_that_never_rests_is_copied_all_the_same(source: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes while it is copied is no copy; SQLite's locks are, and its writer is there to heed them."""
    written(source, "wal", "closes")
    with closing(sqlite3.connect(source)) as connection:

        def interrupted(original: Path, target: Path) -> None:
            target.write_bytes(original.read_bytes())
            connection.execute("INSERT INTO notes VALUES ('more')")
            connection.commit()

        monkeypatch.setattr("shutil.copyfile", interrupted)
        copy_database(source, copy)
        assert set(notes(copy)) == {("kept",), ("more",)}
        assert notes(copy) == notes(source)


def test_where_there_is_no_database_there_is_no_copy(source: Path, copy: Path) -> None:
    copy_database(source, copy)
    assert not copy.exists()
    assert not source.exists()


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_copy_that_finds_no_room_says_what_to_do(source: Path, copy: Path) -> None:
    """A full disk: SQLite would say `database or disk is full`, and not where."""
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("CREATE TABLE notes (body)")
        connection.execute("INSERT INTO notes VALUES (zeroblob(3000000))")
        connection.commit()
    with files_no_larger_than(1_000_000), pytest.raises(StartupError, match=r"notes\?\.db cannot be copied into .*set TMPDIR"):
        copy_database(source, copy)
