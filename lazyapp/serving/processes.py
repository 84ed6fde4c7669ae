"""The serving processes as the supervisor sees them: started on its sockets, heard once, ended for certain."""

import asyncio
import contextlib
import json
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from lazyapp.serving.link import Failed, Grace, Report, decode_report


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
        writer.write(json.dumps({"password": start.password}).encode() + b"\n")
        return cls(process, reader, writer)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def report(self) -> Report:
        """How its start went; a process that ends before it said so has failed too."""
        report = decode_report(await self._reader.readline())
        if report is not None:
            return report
        return Failed(f"The server process ended while it started ({how(await self._process.wait())}).")

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
