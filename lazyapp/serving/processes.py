"""The serving processes as the supervisor sees them: started on its sockets, heard, asked, ended for certain."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lazyapp.serving.banner import Surface
from lazyapp.serving.link import Ask, Failed, Grace, Orders, Report, decode_answer, decode_report, encode_ask, encode_orders


@dataclass(frozen=True, slots=True)
class Start:
    """What every process of a run is given.

    `password` goes over the link: arguments are there for every user of the machine to read.
    """

    sockets: Sequence[socket.socket]
    grace: Grace
    password: str | None = field(default=None, repr=False)


class Process:
    """One serving process and the supervisor's end of its link."""

    def __init__(self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._asking = asyncio.Lock()
        self._asked = 0
        self.is_up = False

    @classmethod
    async def start(cls, start: Start) -> "Process":
        """A new process that inherits the sockets and one end of a new link.

        Raises:
            OSError: this machine has no room for another process.
        """
        ours, theirs = socket.socketpair()
        descriptors = [listener.fileno() for listener in start.sockets]
        try:
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", "lazyapp.serving.worker", str(theirs.fileno()), ",".join(map(str, descriptors))),
                    pass_fds=[theirs.fileno(), *descriptors],
                )
        except OSError:
            ours.close()
            raise
        reader, writer = await asyncio.open_connection(sock=ours)
        writer.write(encode_orders(Orders(start.grace, start.password)))
        return cls(process, reader, writer)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def report(self) -> Report:
        """How its start went; a process that ends before it said so has failed too."""
        report = decode_report(await self._reader.readline())
        if report is not None:
            self.is_up = isinstance(report, Surface)
            return report
        return Failed(f"The server process ended while it started ({how(await self._process.wait())}).")

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
        return await self._process.wait()

    async def end(self, grace: Grace) -> None:
        """Ask it to end, insist when the grace is over, and return when it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), grace.process_s)
        except TimeoutError:
            self.kill()
            await self._process.wait()
        self._writer.close()

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()


def how(code: int) -> str:
    """An exit code in words."""
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
