"""One public address in front of several servers: what a load balancer is to their clients."""

import asyncio
import contextlib
from types import TracebackType
from typing import Self


class Front:
    """Passes the bytes of each new connection to the server it leads to at that moment."""

    def __init__(self) -> None:
        self._port = 0
        self._open: set[asyncio.StreamWriter] = set()
        self._passing: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.close()
        await self._hang_up()

    async def lead_to(self, port: int) -> None:
        """From now on to this server; connections to the one before are cut, as when a machine is lost, when this returns."""
        self._port = port
        await self._hang_up()

    async def _hang_up(self) -> None:
        for writer in self._open:
            writer.close()
        self._open.clear()
        # A client that still takes its connection for open sends a form into nowhere; and one whose end the loop has not seen is
        # reported as left open.
        if self._passing:
            await asyncio.wait(self._passing)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._open |= {writer, there_writer}
        await asyncio.gather(_copy(reader, there_writer), _copy(there_reader, writer), return_exceptions=True)
        for end in (writer, there_writer):
            with contextlib.suppress(ConnectionError):
                await end.wait_closed()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    finally:
        target.close()
