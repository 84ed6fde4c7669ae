"""Writing a file that somebody else reads: whole or not at all, with what stood there before beside it."""

import contextlib
import itertools
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lazyapp.errors import LazyappError

MAX_BYTES = 16 * 1024 * 1024


def read(path: Path) -> str | None:
    """What stands in a file, line ends and mark included; None when there is none.

    Raises:
        LazyappError: it cannot be read, is no file, is larger than `MAX_BYTES`, or no UTF-8.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise LazyappError(f"{path} is no regular file, so nothing was written.")
            # Its size is asked of what was read: a file that grows, or one of /proc, tells another.
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise LazyappError(f"{path} cannot be read: {problem.strerror}.") from None
    if len(data) > MAX_BYTES:
        raise LazyappError(f"{path} is too large for a file of settings; nothing was written.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise LazyappError(f"{path} is no UTF-8, so nothing was written.") from None


def write(path: Path, text: str, before: str | None, *, private: bool = False) -> Path | None:
    """Put a text in the place of what `read` found, in one step; where the backup is, if something stood there.

    A symbolic link stays one, and its target is written; permissions stay. Where nothing stood, what appears meanwhile is never
    replaced. Where something stood, it is read once more when all is ready, right before ours is renamed over it: no file system
    compares and renames in one step, so what another program writes between these two calls is lost.

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
            with _draft(target, text, 0o600 if private else 0o644) as draft:
                if not _put(draft, target):
                    raise _changed(path)
            return None
        mode = stat.S_IMODE(target.stat().st_mode)
        if not mode & stat.S_IWUSR:
            raise LazyappError(f"{path} is read-only, so nothing was written.")
        with _draft(target, text, mode) as draft:
            backup = _keep(target, before, mode)
            if read(target) != before:
                backup.unlink()
                raise _changed(path)
            draft.replace(target)
    except OSError as problem:
        raise LazyappError(f"{path} cannot be written: {problem.strerror}.") from None
    return backup


def _open_at_once(path: str, flags: int) -> int:
    # A pipe that nobody writes to would hold up the opening itself.
    return os.open(path, flags | os.O_NONBLOCK)


def _changed(path: Path) -> LazyappError:
    return LazyappError(f"{path} has changed meanwhile, so nothing was written; try again.")


@contextlib.contextmanager
def _draft(target: Path, text: str, mode: int) -> Iterator[Path]:
    """A whole file beside the target, safe on the disk; gone afterwards unless it was renamed."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        yield draft
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def _put(draft: Path, target: Path) -> bool:
    """Whether it stands there now; False where something else does."""
    try:
        # A link is refused where something stands; a rename would replace it.
        target.hardlink_to(draft)
    except FileExistsError:
        return False
    return True


def _keep(target: Path, before: str, mode: int) -> Path:
    """The backup, under a name that no earlier one has."""
    with _draft(target, before, mode) as draft:
        names = (target.with_name(f"{target.name}.bak{number or ''}") for number in itertools.count())
        return next(path for path in names if _put(draft, path))
