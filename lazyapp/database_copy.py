"""A copy of a SQLite database that changes nothing beside the original, whoever has it open and however its last writer ended.

SQLite's own backup is no such copy. A connection that may write empties the log that a writer left when it was killed, and one that
may only read (`mode=ro`) still makes `-wal` and `-shm` where they are missing, and leaves them.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from lazyapp.errors import StartupError

__all__ = ["copy_database"]

# What a database is besides its file: what was committed since (WAL), or is to be rolled back. `-shm` is made anew from these.
_PARTS: Final = ("", "-wal", "-journal")
_TRIES: Final = 20
# A file system's clock moves in steps of up to 10 ms, and what changes twice within one looks as if it had not changed again.
_SETTLED_S: Final = 0.02


def copy_database(source: Path, copy: Path) -> None:
    """Copy what is committed in a database; there need not be one.

    Args:
        source: the file of the database, which others may be writing.
        copy: the file to make, in a folder that has nothing of that name.

    Raises:
        StartupError: it cannot be read, or there is no room for the copy.
    """
    try:
        if not any(_copy_at_rest(source, copy) for _ in range(_TRIES)):
            # Somebody writes without a pause, so everything that reading needs is there already.
            _back_up(source, copy)
    except (sqlite3.Error, OSError) as error:
        reason = (
            f"{source} cannot be copied into {tempfile.gettempdir()}: {error}. Make room there, or set TMPDIR to another folder."
        )
        raise StartupError("migrations", reason) from error


def _copy_at_rest(source: Path, copy: Path) -> bool:
    """Copy the files as a writer that is killed at this moment would leave them; False: somebody wrote meanwhile."""
    for part in _PARTS:
        _beside(copy, part).unlink(missing_ok=True)
    before = _state(source)
    try:
        for part in before:
            shutil.copyfile(_beside(source, part), _beside(copy, part))
    except FileNotFoundError:  # the last connection was closed
        return False
    if before == _state(source) and all(time.time_ns() - mtime > _SETTLED_S * 1e9 for _, _, mtime in before.values()):
        return True
    time.sleep(_SETTLED_S)
    return False


def _state(source: Path) -> Mapping[str, tuple[int, int, int]]:
    """Which files there are; and of each its number, size and last change."""
    there = {part: _beside(source, part).stat() for part in _PARTS if _beside(source, part).is_file()}
    return {part: (stat.st_ino, stat.st_size, stat.st_mtime_ns) for part, stat in there.items()} if "" in there else {}


def _back_up(source: Path, copy: Path) -> None:
    for part in _PARTS:
        _beside(copy, part).unlink(missing_ok=True)
    address = f"file:{quote(str(source.absolute()))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as original, closing(sqlite3.connect(copy)) as copied:
        original.backup(copied)


def _beside(path: Path, part: str) -> Path:
    return path.with_name(path.name + part)
