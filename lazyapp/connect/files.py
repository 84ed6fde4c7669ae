"""Writing a file that somebody else reads: whole or not at all, with what stood there before beside it."""

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from lazyapp.errors import LazyappError

MAX_BYTES = 16 * 1024 * 1024


def read(path: Path) -> str | None:
    """What stands in a file, line ends and mark included; None when there is none.

    Raises:
        LazyappError: it cannot be read, is no file, or no UTF-8.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise LazyappError(f"{path} cannot be read: {problem.strerror}.") from None
    if data is None:
        raise LazyappError(f"{path} is too large for a file of settings; nothing was written.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise LazyappError(f"{path} is no UTF-8, so nothing was written.") from None


def write(path: Path, text: str, before: str | None, *, private: bool = False) -> Path | None:
    """Put a text in the place of what `read` found, in one step; where the backup is, if something stood there.

    A symbolic link stays one, and its target is written; permissions stay.

    Args:
        path: the file.
        text: what shall stand there.
        before: what `read` found.
        private: whether a new file is for its owner alone.

    Raises:
        LazyappError: it is read-only, has changed meanwhile, or cannot be written. Then it is as it was.
    """
    target = path.resolve()
    try:
        if before is None:
            target.parent.mkdir(parents=True, exist_ok=True)
            _replace(target, text, 0o600 if private else 0o644)
            return None
        mode = stat.S_IMODE(target.stat().st_mode)
        if not mode & stat.S_IWUSR:
            raise LazyappError(f"{path} is read-only, so nothing was written.")
        backup = _free(target)
        _replace(backup, before, mode)
        if read(target) != before:
            backup.unlink()
            raise LazyappError(f"{path} has changed meanwhile, so nothing was written; try again.")
        _replace(target, text, mode)
    except OSError as problem:
        raise LazyappError(f"{path} cannot be written: {problem.strerror}.") from None
    return backup


def _replace(target: Path, text: str, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _free(target: Path) -> Path:
    """A name for the backup that no earlier one has."""
    number = 0
    while True:
        path = target.with_name(f"{target.name}.bak{number or ''}")
        if not path.exists():
            return path
        number += 1
