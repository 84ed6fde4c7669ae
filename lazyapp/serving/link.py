"""The line between the supervisor and one serving process: a socket pair that carries a few JSON messages, and whose end is
news.

The supervisor says what the process should know and must not read in its arguments; the process answers once, started or failed.
When either side is gone the other reads the end of the line: that is how no serving process outlives a supervisor that was killed.
"""

import json
import os
import socket
from dataclasses import asdict, dataclass
from typing import Any

from lazyapp.serving.banner import Surface
from lazyapp.serving.failures import EXIT_FAILED


@dataclass(frozen=True, slots=True)
class Failed:
    """A process could not start.

    Args:
        text: what to show, whole lines.
        code: the exit code that this deserves.
        is_given: see `failures.is_given`.
    """

    text: str
    code: int = EXIT_FAILED
    is_given: bool = False


Report = Surface | Failed


@dataclass(frozen=True, slots=True)
class Grace:
    """How long an end may take.

    Args:
        requests_s: what running requests get; open streams are cut then.
        process_s: after that the process is killed, or kills itself when there is nobody left to do it.
    """

    requests_s: int
    process_s: float


def grace_for(env: str) -> Grace:
    """Little in development, where a forgotten event stream must not hold up a reload; enough for real requests in production."""
    return Grace(10, 15) if env == "production" else Grace(1, 5)


def encode_report(report: Report) -> bytes:
    """One line of JSON."""
    key = "started" if isinstance(report, Surface) else "failed"
    return json.dumps({key: asdict(report)}).encode() + b"\n"


def decode_report(line: bytes) -> Report | None:
    """The report in a line; None when the line ended before one came."""
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    if "failed" in message:
        return Failed(**message["failed"])
    started = message["started"]
    return Surface(**started | {"modules": tuple(started["modules"])})


class WorkerLink:
    """The serving process's end of the line. `wait_for_end` may run in a thread of its own."""

    def __init__(self, descriptor: int) -> None:
        # What the application starts in its turn must not hold the line open.
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=descriptor)
        self._reader = self._socket.makefile("rb")

    def read_password(self) -> str | None:
        """The password that was made for this run, if one was."""
        line = self._reader.readline()
        password: str | None = json.loads(line)["password"] if line else None
        return password

    def report(self, report: Report) -> None:
        """Tell the supervisor how the start went."""
        self._socket.sendall(encode_report(report))

    def wait_for_end(self) -> None:
        """Return when the supervisor is gone."""
        # Not through the buffered reader: a thread dropped while it reads keeps the lock, and the interpreter's end wants it.
        while self._socket.recv(1024):
            pass

    def close(self) -> None:
        """Let the supervisor read the end of the line."""
        self._reader.close()
        self._socket.close()
