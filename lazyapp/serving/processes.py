"""The serving processes as the supervisor sees them: started on its sockets, heard, asked, ended for certain."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lazyapp.serving.banner import Surface
from lazyapp.serving.interpreters import Interpreter
from lazyapp.serving.link import (
    CHANGED,
    OPEN,
    Ask,
    Failed,
    Grace,
    Orders,
    Report,
    decode_answer,
    decode_report,
    encode_ask,
    encode_orders,
)

MAX_LINE_BYTES = 1024 * 1024
# Told to end while it imports or opens, a process serves nobody for whom it should take its time.
STARTING_S = 1.0


@dataclass(frozen=True, slots=True)
class Start:
    """What every process of a run is given.

    `password` goes over the link: arguments are there for every user of the machine to read.
    """

    sockets: Sequence[socket.socket]
    grace: Grace
    password: str | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict)


class Process:
    """One serving process and the supervisor's end of its link."""

    def __init__(self, interpreter: Interpreter, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._interpreter = interpreter
        self._process = interpreter.process
        self._ended = _ended(interpreter)
        self._reader = reader
        self._writer = writer
        self._asking = asyncio.Lock()
        self._asked = 0
        self.is_up = False

    @classmethod
    async def start(cls, interpreter: Interpreter | None = None) -> "Process":
        """A process that waits for its orders.

        Args:
            interpreter: which; None: a new one.

        Raises:
            OSError: this machine has no room for another process.
        """
        interpreter = interpreter or Interpreter.start()
        reader, writer = await asyncio.open_connection(sock=interpreter.link, limit=MAX_LINE_BYTES)
        return cls(interpreter, reader, writer)

    @property
    def is_fresh(self) -> bool:
        """Whether it is alive, and what it has imported ahead is still what is installed."""
        return self._interpreter.is_fresh

    async def ready(self) -> None:
        """Return when it has imported what it could ahead of its orders, or is gone; then `report` says so."""
        with contextlib.suppress(OSError):
            await self._reader.readline()

    def order(self, start: Start) -> None:
        """Let it import the application; `open` says when it may open that too."""
        orders = encode_orders(Orders(start.grace, start.password, start.environment))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it is gone; `report` says so
            socket.send_fds(self._interpreter.link, [orders], [listener.fileno() for listener in start.sockets])

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def open(self) -> None:
        """Let it open the application and serve."""
        self._writer.write(encode_ask(OPEN))

    def tell_changed(self) -> None:
        """A file that it reads anew by itself has changed."""
        self._writer.write(encode_ask(CHANGED))

    async def report(self) -> Report:
        """How its start went; a process that ends before it said so has failed too."""
        try:
            report = decode_report(await self._reader.readline())
        except OSError:
            report = None
        if report is not None:
            self.is_up = isinstance(report, Surface)
            return report
        return Failed(f"The server process ended while it started ({how(await self.exited())}).")

    async def ask(self, about: str, within_s: float) -> dict[str, Any] | None:
        """What it says of itself; None when it does not within this time. Only once it has reported."""
        try:
            async with asyncio.timeout(within_s), self._asking:
                self._asked += 1
                self._writer.write(encode_ask(Ask(self._asked, about)))
                while (answer := decode_answer(await self._reader.readline())) is not None:
                    if answer[0] == self._asked:  # those before it came too late
                        return answer[1]
        except (TimeoutError, OSError):
            pass
        return None

    async def exited(self) -> int:
        """Its exit code, negative for a signal, when it has ended."""
        return await asyncio.shield(self._ended)

    async def end(self, grace: Grace) -> None:
        """Ask it to end, insist when the grace is over, and return when it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self.exited(), grace.process_s if self.is_up else min(grace.process_s, STARTING_S))
        except TimeoutError:
            self.kill()
            await self.exited()
        self._writer.close()

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()


def _ended(interpreter: Interpreter) -> asyncio.Future[int]:
    """Its exit code, negative for a signal, once it has ended.

    Raises:
        OSError: this machine has no room for a thread that waits for it; it is killed.
    """
    loop = asyncio.get_running_loop()
    code: asyncio.Future[int] = loop.create_future()

    def wait() -> None:
        found = interpreter.process.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(code.set_result, found)

    try:
        threading.Thread(target=wait, daemon=True).start()
    except RuntimeError as error:
        interpreter.end()
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
    return code


def how(code: int) -> str:
    """An exit code in words."""
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
