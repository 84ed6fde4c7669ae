"""What a command does with its own process: its stdout carries the result alone, and its end waits for nobody for ever."""

import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

# All but the end of a line and the tabulator. ECMA-48, section 5: C0 and C1.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def take_stdout() -> BinaryIO:
    """The process's stdout, for the result alone; whatever else is printed from here on goes to stderr.

    A module may print when it is imported, and a service when it is opened or closed: long before and after the result is there.
    """
    sys.stdout.flush()
    real = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return real


@contextmanager
def result_alone() -> Iterator[Callable[[str], None]]:
    """What writes to the process's stdout, to which nothing else comes any more; see `take_stdout`."""
    is_terminal = sys.stdout.isatty()
    with take_stdout() as real:
        yield lambda text: _write(real, f"{visible(text) if is_terminal else text}\n".encode(errors="backslashreplace"))


def tell(text: str, end: str = "\n") -> None:
    """Write to stderr what is not the result."""
    print(visible(text) if sys.stderr.isatty() else text, end=end, file=sys.stderr, flush=True)


def visible(text: str) -> str:
    """A text for a terminal. What controls one, and may stand in data of anybody's, is written out: it would move what is shown."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def width_of_stdout() -> int | None:
    """How many letters a line of the terminal has; None where stdout is none. To be asked before stdout is taken."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _write(real: BinaryIO, data: bytes) -> None:
    # Unbuffered: a pipe may take a part at a time.
    rest = memoryview(data)
    while rest:
        rest = rest[real.write(rest) :]


def failed(error: Exception) -> int:
    """Say on stderr why a command ended; gives its exit code, 2 for a wrong setting, else 1."""
    from lazyapp.location import root_or_here
    from lazyapp.serving.failures import describe, exit_code

    print(describe(error, root_or_here()), file=sys.stderr)
    return exit_code(error)


def leave_within(timeout_s: float, code: int) -> None:
    """End the process without waiting for anybody, if it is still there by then: Python itself waits for every thread."""
    last = threading.Timer(timeout_s, os._exit, [code])
    last.daemon = True
    last.start()
