"""Where `lazyapp serve` answers in development, for other processes in the same folder: a file in `.lazyapp/` while it runs.

The run holds a lock on the file, which goes with the process however it ends: a file without a lock is of a run that is gone.
State: the first of several runs writes the file; the others leave it alone.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from lazyapp.errors import ConfigurationError
from lazyapp.settings import Settings, make_folder

_FILE = Path(".lazyapp") / "served-at"
_MAX_BYTES = 2_048


@contextlib.contextmanager
def telling_where(root: Path, origin: str) -> Iterator[None]:
    """Let others find the address for as long as the block runs. In a folder that takes no file nobody finds it, that is all."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ConfigurationError):
            make_folder((root / _FILE).parent)
            file = stack.enter_context(os.fdopen(os.open(root / _FILE, os.O_RDWR | os.O_CREAT, 0o600), "w"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stack.callback((root / _FILE).unlink, missing_ok=True)
            file.truncate(0)
            file.write(origin)
            file.flush()
        yield


def served_at(root: Path) -> str | None:
    """The origin at which a run of this folder answers now; None when there is none."""
    try:
        descriptor = os.open(root / _FILE, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, _MAX_BYTES).decode("utf-8", "replace").strip() or None
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None


def origin_of(settings: Settings) -> str:
    """Where the pages are: of the run in this folder, else as this process is set."""
    return (served_at(settings.root) if settings.env == "development" else None) or settings.public_url
