"""Lines in and lines out: how messages are cut from bytes, and written so that two never mix."""

import asyncio
from collections import deque
from dataclasses import dataclass

from lazymcp.jsonrpc import RequestId, id_in_head
from lazymcp.pipes import Sink

__all__ = ["LineReader", "LineWriter", "TooLong"]

# Enough of a line that is refused to find its id.
HEAD = 4096
# Answers nobody reads fill memory: beyond this, who asks for room waits.
MAX_UNSENT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TooLong:
    """Stands for a line that was too long, with the id of its request if its head told it."""

    request_id: RequestId | None


class LineReader:
    """Cuts chunks into lines without their ends, leaving out blank ones. Of a line beyond the limit only the head is kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._begun = bytearray()
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes | TooLong]:
        """The lines that end in this chunk."""
        *ends, rest = chunk.split(b"\n")
        lines: list[bytes | TooLong] = []
        for end in ends:
            self._add(end)
            lines += self.end()
        self._add(rest)
        return lines

    def end(self) -> list[bytes | TooLong]:
        """The line so far, complete or not: none or one."""
        line, is_too_long = bytes(self._begun), self._size > self._limit
        self._begun.clear()
        self._size = 0
        if is_too_long:
            return [TooLong(id_in_head(line))]
        return [line] if line.strip() else []

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._limit:
            self._begun += part
        else:
            self._begun += part[:HEAD]
            del self._begun[HEAD:]


class LineWriter:
    """Writes whole lines in the order they are put. Only the event loop's thread touches it."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._waiting: deque[memoryview] = deque()
        self._size = 0
        self.pump: asyncio.Task[None] | None = None  # cancel it to stop writing
        self._is_roomy = asyncio.Event()
        self._is_roomy.set()
        self.failure: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

    def put(self, line: bytes) -> None:
        """Write a line, now or later; dropped once the output has failed."""
        data = memoryview(line + b"\n")
        if self.failure.done():
            return
        if self.pump is None:
            try:
                data = self._sink.offer(data)
            except (OSError, ValueError) as problem:
                self._fail(problem)
            if not data or self.failure.done():
                return
            # Until the rest of this line and all that follow are written, the pump is the only one who writes. It belongs to no
            # request: one that is cancelled meanwhile leaves no torn line.
            self.pump = asyncio.create_task(self._write())
        self._waiting.append(data)
        self._size += len(data)
        if self._size > MAX_UNSENT:
            self._is_roomy.clear()

    @property
    def has_room(self) -> bool:
        """Whether not too much is waiting behind the line that is being written."""
        return self._is_roomy.is_set()

    async def room(self) -> None:
        """Wait until there is room."""
        await self._is_roomy.wait()

    def look(self) -> None:
        """Notice a reader that has gone although nothing is being written."""
        if not self.failure.done() and self._sink.is_deaf():
            self._fail(BrokenPipeError("nobody reads the output"))

    async def flush(self) -> None:
        """Wait until all is written."""
        if self.pump:
            await asyncio.wait({self.pump})

    async def _write(self) -> None:
        try:
            while self._waiting:
                data = self._waiting.popleft()
                self._size -= len(data)
                if self._size <= MAX_UNSENT:
                    self._is_roomy.set()
                await self._sink.write(data)
        except (OSError, ValueError) as problem:  # ValueError: the file was closed
            self._fail(problem)
        finally:
            self.pump = None

    def _fail(self, problem: Exception) -> None:
        self._waiting.clear()
        self._size = 0
        self._is_roomy.set()
        self.failure.set_result(problem)
