"""Python processes that have imported the framework and wait for orders, each with the supervisor's end of its link.

This module imports little: the first process is started before the supervisor itself imports what it needs, so both do at once.
"""

import contextlib
import json
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path


class Interpreter:
    """A process of its own, started where no event loop need run yet.

    Args:
        process: it.
        link: our end of its link.
    """

    def __init__(self, process: subprocess.Popen[bytes], link: socket.socket) -> None:
        self.process = process
        self.link = link
        self._packages = _packages_changed()

    @classmethod
    def start(cls, names: Sequence[str] = ()) -> "Interpreter":
        """A new one.

        Args:
            names: modules that it imports besides what every application needs.

        Raises:
            OSError: this machine has no room for another process.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                command = [sys.executable, "-P", "-m", "lazyapp.serving.spare", str(theirs.fileno())]
                process = subprocess.Popen(command, pass_fds=[theirs.fileno()])  # noqa: S603  # our own words
            ours.sendall(json.dumps(list(names)).encode() + b"\n")
        except OSError:
            ours.close()
            raise
        return cls(process, ours)

    @property
    def is_fresh(self) -> bool:
        """Whether it is alive, and the packages that it imported are still those installed."""
        return self.process.poll() is None and self._packages == _packages_changed()

    def end(self) -> None:
        """End it, whatever it does: it serves nobody yet."""
        self.process.kill()
        self.process.wait()
        self.link.close()


@contextlib.contextmanager
def started_ahead() -> Iterator[Interpreter]:
    """One for the time of the block: whoever needs it adopts it there."""
    interpreter = Interpreter.start()
    try:
        yield interpreter
    finally:
        interpreter.end()


def _packages_changed() -> int:
    """When a package was last installed or removed."""
    try:
        return Path(sysconfig.get_path("purelib")).stat().st_mtime_ns
    except OSError:
        return 0
