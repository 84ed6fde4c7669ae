"""Bytes in and out of a process without ever blocking the event loop.

A descriptor is left as it is: making a terminal or an inherited pipe non-blocking would change it for every process that shares it.
So a read waits until the loop sees the descriptor ready, a write goes as far as `poll` vouches for, and only what is left is given
to a thread. What has no descriptor (`io.BytesIO`, a wrapper) is served by a thread altogether.
"""

import asyncio
import contextlib
import os
import select
from collections.abc import Awaitable, Callable
from functools import partial
from io import BufferedIOBase, RawIOBase
from typing import IO, Any, Protocol

from lazymcp.worker import Worker, settle

__all__ = [
    "DescriptorSink",
    "DescriptorSource",
    "Reader",
    "Sink",
    "Source",
    "Writer",
    "descriptor_of",
    "open_sink",
    "open_source",
    "read_ahead",
]

Reader = asyncio.StreamReader | BufferedIOBase | RawIOBase | IO[bytes]
Writer = asyncio.StreamWriter | BufferedIOBase | RawIOBase | IO[bytes]

# A callback rather than an async iterator: a message is taken up in the same turn of the loop that found its bytes.
Receive = Callable[[bytes], bool]
Room = Callable[[], Awaitable[None]]

CHUNK = 64 * 1024
# POSIX: a pipe that polls as writable takes this much at once.
PIPE_BUF = getattr(select, "PIPE_BUF", 512)


class Source(Protocol):
    """Where bytes come from."""

    async def feed(self, receive: Receive, room: Room) -> None:
        """Hand over all bytes as they come, until the end. After `receive` says False, `room` is awaited."""
        ...

    def detach(self) -> None:
        """Have done with the stream and leave it open."""
        ...

    def close(self) -> None:
        """Have done with the stream and close it."""
        ...


class Sink(Protocol):
    """Where bytes go."""

    def offer(self, data: memoryview) -> memoryview:
        """Write what goes at once, without waiting; what is left comes back."""
        ...

    async def write(self, data: memoryview) -> None:
        """Write all of it, however long that takes."""
        ...

    def is_deaf(self) -> bool:
        """Whether it is known that nobody reads any more."""
        ...

    def detach(self) -> None:
        """Have done with the stream and leave it open."""
        ...

    def close(self) -> None:
        """Have done with the stream and close it."""
        ...


def open_source(reader: Reader) -> Source:
    """A source for a stream of asyncio or a binary file; of a text file (`sys.stdin`) its buffer is taken."""
    if isinstance(reader, asyncio.StreamReader):
        return _StreamSource(reader)
    file = getattr(reader, "buffer", reader)
    fd = descriptor_of(file)
    return _FileSource(file) if fd is None else DescriptorSource(fd, file.close, read_ahead(file, fd))


def open_sink(writer: Writer) -> Sink:
    """A sink for a stream of asyncio or a binary file; of a text file (`sys.stdout`) its buffer is taken."""
    if isinstance(writer, asyncio.StreamWriter):
        return _StreamSink(writer)
    # What the caller has written comes first.
    if hasattr(writer, "flush"):
        writer.flush()
    file = getattr(writer, "buffer", writer)
    fd = descriptor_of(file)
    if fd is None:
        return _FileSink(file)
    return DescriptorSink(fd, file.close)


class _StreamSource:
    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def feed(self, receive: Receive, room: Room) -> None:
        with contextlib.suppress(ConnectionError):
            await _pull(partial(self._reader.read, CHUNK), receive, room)

    def detach(self) -> None: ...

    def close(self) -> None:
        """A StreamReader cannot be closed; its writer can."""


class _StreamSink:
    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def offer(self, data: memoryview) -> memoryview:
        return data

    async def write(self, data: memoryview) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def is_deaf(self) -> bool:
        return False

    def detach(self) -> None: ...

    def close(self) -> None:
        self._writer.close()


class DescriptorSource:
    """A pipe, terminal, socket or file by its descriptor. `ahead` is what a buffer had read of it already."""

    def __init__(self, fd: int, close: Callable[[], None], ahead: bytes = b"") -> None:
        self._fd, self._close, self._ahead = fd, close, ahead
        self._worker = Worker()

    async def feed(self, receive: Receive, room: Room) -> None:
        if self._ahead and not receive(self._ahead):
            await room()
        try:
            while not await self._watch(receive):
                await room()
        except (NotImplementedError, PermissionError):  # a loop that only waits for sockets; a regular file
            await _pull(partial(self._worker.run, partial(os.read, self._fd, CHUNK)), receive, room)
        except ConnectionError:
            return

    async def _watch(self, receive: Receive) -> bool:
        """Read whenever there is something, until the end (True) or until `receive` wants no more (False)."""
        loop = asyncio.get_running_loop()
        is_at_end: asyncio.Future[bool] = loop.create_future()

        def read() -> None:
            try:
                chunk = os.read(self._fd, CHUNK)
                if not chunk or not receive(chunk):
                    settle(is_at_end, not chunk)
            except BlockingIOError:  # somebody else was quicker
                return
            except Exception as problem:
                settle(is_at_end, problem=problem)

        loop.add_reader(self._fd, read)
        try:
            return await is_at_end
        finally:
            loop.remove_reader(self._fd)

    def detach(self) -> None:
        self._worker.stop()

    def close(self) -> None:
        self._worker.stop(self._close)


class DescriptorSink:
    """A pipe, terminal, socket or file by its descriptor."""

    def __init__(self, fd: int, close: Callable[[], None]) -> None:
        self._fd, self._close = fd, close
        self._worker = Worker()
        self._is_closed = False
        self._poll: Callable[[int], list[tuple[int, int]]] | None = None
        if hasattr(select, "poll"):
            poller = select.poll()
            poller.register(fd, select.POLLOUT)
            self._poll = poller.poll

    def offer(self, data: memoryview) -> memoryview:
        # Beyond what a pipe usually holds, a thread is cheaper than many small writes.
        while data and self._poll and len(data) <= CHUNK and self._poll(0):
            data = data[os.write(self._fd, data[:PIPE_BUF]) :]
        return data

    async def write(self, data: memoryview) -> None:
        await self._worker.run(partial(self._write, data))

    def is_deaf(self) -> bool:
        return self._poll is not None and any(event & select.POLLERR for _, event in self._poll(0))

    def detach(self) -> None:
        self._worker.stop()

    def close(self) -> None:
        self._is_closed = True
        self._worker.stop(self._close)

    def _write(self, view: memoryview) -> None:
        """Runs in the thread. The flag is looked at in between, because a closed descriptor's number may be given anew."""
        while view and not self._is_closed:
            try:
                view = view[os.write(self._fd, view[: 16 * CHUNK]) :]
            except BlockingIOError:  # somebody made it non-blocking
                if self._poll:
                    self._poll(1000)


class _FileSource:
    def __init__(self, file: Any) -> None:
        self._file = file
        self._worker = Worker()

    async def feed(self, receive: Receive, room: Room) -> None:
        # Of all ways to read, readline is the one that never waits for more than a line.
        await _pull(partial(self._worker.run, partial(self._file.readline, CHUNK)), receive, room)

    def detach(self) -> None:
        self._worker.stop()

    def close(self) -> None:
        self._worker.stop(self._file.close)


class _FileSink:
    def __init__(self, file: Any) -> None:
        self._file = file
        self._worker = Worker()

    def offer(self, data: memoryview) -> memoryview:
        return data

    async def write(self, data: memoryview) -> None:
        await self._worker.run(partial(self._write, data))

    def is_deaf(self) -> bool:
        return False

    def detach(self) -> None:
        self._worker.stop()

    def close(self) -> None:
        self._worker.stop(self._file.close)

    def _write(self, view: memoryview) -> None:
        while view:
            written = self._file.write(view)
            # Buffered files write all and say so; raw ones may write less.
            view = view[len(view) if written is None else written :]
        self._file.flush()


async def _pull(read: Callable[[], Awaitable[bytes]], receive: Receive, room: Room) -> None:
    while chunk := await read():
        if not receive(chunk):
            await room()


def descriptor_of(file: Any) -> int | None:
    """The descriptor under a file, or None."""
    try:
        return int(file.fileno())
    except (AttributeError, OSError, ValueError):
        return None


def read_ahead(file: Any, fd: int) -> bytes:
    """What a buffered file has read already and nobody has taken."""
    if not hasattr(file, "peek") or not hasattr(os, "set_blocking"):
        return b""
    # Of an empty buffer, peek reads; it must not wait for that.
    was_blocking = os.get_blocking(fd)
    os.set_blocking(fd, False)
    try:
        return bytes(file.read(len(file.peek(1))))
    finally:
        os.set_blocking(fd, was_blocking)
