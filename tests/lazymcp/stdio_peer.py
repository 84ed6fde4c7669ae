"""The client at the other end of `lazymcp.stdio.serve`, over pipes and over sockets. Its lines are held against JSON-RPC."""

import asyncio
import json
import os
import socket
from contextlib import suppress

from lazymcp import jsonrpc, stdio
from tests.lazymcp.wire import judge_message


class Peer:
    """The client at the other end: it speaks lines."""

    def __init__(self, to_server, from_server, reader, writer):
        self._to_server = to_server
        self.from_server = from_server
        self.reader = reader  # what the server gets
        self.writer = writer
        self.task = None

    def serve(self, handle, **options):
        self.task = asyncio.create_task(stdio.serve(handle, self.reader, self.writer, **options))
        return self.task

    def send(self, *messages):
        self.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def write(self, data):
        self._to_server.write(data)

    def ask(self, request_id, method="echo", **params):
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def read(self, *, judged=True):
        """The next line, which must be a message unless nobody shall judge it."""
        line = await asyncio.wait_for(self.from_server.readuntil(b"\n"), 20)
        return read_line(line) if judged else json.loads(line)

    def end_input(self):
        self._to_server.close()

    async def end(self):
        """What was still to read, after the input has ended and the server returned."""
        self.end_input()
        await asyncio.wait_for(self.task, 20)
        return [read_line(line) for line in await self.rest()]

    async def rest(self):
        for stream in (self.reader, self.writer):
            if not isinstance(stream, asyncio.StreamReader):
                stream.close()
        return (await self.from_server.read()).splitlines()

    def hang_up(self):
        self.from_server._transport.close()

    async def close(self):
        if self.task:
            self.task.cancel()
            await asyncio.wait({self.task})
        for stream in (self._to_server, self.writer, self.reader):
            if hasattr(stream, "close"):
                with suppress(OSError):
                    stream.close()
        self.hang_up()
        for writer in (self._to_server, self.writer):
            if isinstance(writer, asyncio.StreamWriter):
                with suppress(OSError):
                    await writer.wait_closed()


def read_line(line):
    """The message of a line. What a result holds is the handler's business here, and need not be an object."""
    message = json.loads(line.decode())
    judge_message({**message, "result": {}} if "result" in message else message)
    return message


async def over_pipes():
    loop = asyncio.get_running_loop()
    server_reads, client_writes = os.pipe()
    client_reads, server_writes = os.pipe()
    from_server = asyncio.StreamReader(limit=2**30)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(from_server), os.fdopen(client_reads, "rb", 0))
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(client_writes, "wb", 0))
    protocol._get_close_waiter = lambda _: asyncio.sleep(0)
    to_server = asyncio.StreamWriter(transport, protocol, None, loop)
    return Peer(to_server, from_server, os.fdopen(server_reads, "rb"), os.fdopen(server_writes, "wb"))


async def over_sockets():
    ours, theirs = socket.socketpair()
    from_server, to_server = await asyncio.open_connection(sock=ours, limit=2**30)
    reader, writer = await asyncio.open_connection(sock=theirs)
    peer = Peer(to_server, from_server, reader, writer)
    peer.end_input = to_server.write_eof
    return peer


async def echo(message, send):
    """A handler that answers with the params it got, and answers a notification, which must never arrive."""
    if "id" in message:
        return jsonrpc.result(message["id"], message["params"])
    return {"never": "sent"}
