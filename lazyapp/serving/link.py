"""The line between the supervisor and one serving process: a socket pair that carries a few JSON messages, and whose end is news.

The supervisor names what to import ahead of need, then hands over the listening sockets and what the process should know and must
not read in its arguments, then says that it may open. The process tells once how its start went, started or failed. Then the
supervisor asks, now and then, and the process answers, in order. When either side is gone the other reads the end of the line:
that is how no serving process outlives a supervisor that was killed.
"""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from lazyapp.serving.banner import Surface
from lazyapp.serving.causes import Cause, decode_causes
from lazyapp.serving.failures import EXIT_FAILED
from lazyapp.settings import Settings

# Streams end, services close; whoever does not manage in this time is killed.
CLOSING_S = 4.0
MAX_SOCKETS = 16


@dataclass(frozen=True, slots=True)
class Failed:
    """A process could not start.

    Args:
        text: what to show, whole lines.
        code: the exit code that this deserves.
        causes: the same for a page, where there is something to show.
        is_given: see `failures.is_given`.
    """

    text: str
    code: int = EXIT_FAILED
    is_given: bool = False
    causes: tuple[Cause, ...] = ()


Report = Surface | Failed


@dataclass(frozen=True, slots=True)
class Grace:
    """How long an end may take.

    Args:
        requests_s: what running requests get, once nobody new is accepted; then they are cut off.
        process_s: after that the process is killed, or kills itself when there is nobody left to do it.
        delay_s: how long the process, no longer ready, answers on before that.
    """

    requests_s: float
    process_s: float
    delay_s: float = 0.0


def grace_for(settings: Settings) -> Grace:
    """Little in development, where nobody waits; in production enough for real requests, and for those who send them to notice."""
    delay_s, requests_s = (5.0, 30.0) if settings.env == "production" else (0.0, 1.0)
    delay_s = delay_s if settings.drain_delay_s is None else settings.drain_delay_s
    requests_s = requests_s if settings.shutdown_timeout_s is None else settings.shutdown_timeout_s
    return Grace(requests_s, delay_s + requests_s + CLOSING_S, delay_s)


@dataclass(frozen=True, slots=True)
class Orders:
    """What a process is told. `password` is the one made for this run, if one was; `environment` is what was decided about it."""

    grace: Grace
    password: str | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict)


class Ask(NamedTuple):
    """What the supervisor says later: a number, and what it is about.

    `readyz` and `metrics` are answered; `OPEN` (whoever served before is gone, so open and serve) and `CHANGED` (a file that the
    process reads anew by itself) are not.
    """

    number: int
    about: str


OPEN, CHANGED = Ask(0, "open"), Ask(0, "changed")


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
        failed = message["failed"]
        return Failed(**failed | {"causes": decode_causes(failed["causes"])})
    started = message["started"]
    return Surface(**started | {name: tuple(started[name]) for name in ("modules", "imported")})


def encode_orders(orders: Orders) -> bytes:
    """One line of JSON."""
    return json.dumps(asdict(orders)).encode() + b"\n"


def encode_ask(ask: Ask) -> bytes:
    """One line of JSON."""
    return json.dumps({"ask": ask.number, "about": ask.about}).encode() + b"\n"


def decode_answer(line: bytes) -> tuple[int, dict[str, Any]] | None:
    """The number of the question and the answer to it; None when the line ended before one came."""
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    return message["to"], message["found"]


class WorkerLink:
    """The serving process's end of the line. `asks` may run in a thread of its own, once the orders are read."""

    def __init__(self, descriptor: int) -> None:
        # What the application starts in its turn must not hold the line open.
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=descriptor)
        self._said = b""
        self._descriptors: list[int] = []

    def read_names(self) -> list[str]:
        """The modules to import before anything is known of the application.

        Raises:
            EOFError: the supervisor is gone already.
        """
        names: list[str] = json.loads(self._line())
        return names

    def tell_ready(self) -> None:
        """Say that they are imported."""
        self._socket.sendall(b"\n")

    def read_orders(self) -> tuple[Orders, list[socket.socket]]:
        """What to do, and the sockets to serve on, which came with it (`SCM_RIGHTS`).

        Raises:
            EOFError: the supervisor is gone already.
        """
        orders: dict[str, Any] = json.loads(self._line())
        sockets = [socket.socket(fileno=descriptor) for descriptor in self._descriptors]
        for listener in sockets:
            listener.set_inheritable(False)
        return Orders(Grace(**orders["grace"]), orders["password"], orders["environment"]), sockets

    def report(self, report: Report) -> None:
        """Tell the supervisor how the start went."""
        self._socket.sendall(encode_report(report))

    def answer(self, ask: Ask, found: dict[str, Any]) -> None:
        """Answer one question."""
        self._socket.sendall(json.dumps({"to": ask.number, "found": found}).encode() + b"\n")

    def asks(self) -> Iterator[Ask]:
        """What else the supervisor says, until it is gone."""
        while True:
            try:
                message = json.loads(self._line())
            except (EOFError, OSError):
                return
            yield Ask(message["ask"], message["about"])

    def close(self) -> None:
        """Let the supervisor read the end of the line."""
        self._socket.close()

    def _line(self) -> bytes:
        # Not through a buffered reader: a thread dropped while it reads keeps the lock, and the interpreter's end wants it. And no
        # such reader takes the sockets that come along.
        while b"\n" not in self._said:
            piece, descriptors, _, _ = socket.recv_fds(self._socket, 65536, MAX_SOCKETS)
            if not piece:
                raise EOFError
            self._said += piece
            self._descriptors += descriptors
        line, _, self._said = self._said.partition(b"\n")
        return line
