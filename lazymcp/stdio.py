"""MCP over standard input and output: one JSON-RPC message a line, many requests at a time.

What the messages mean is the handler's business. This file keeps the rules of the transport (MCP, basic/transports/stdio): every
answer bears the id of its request as it was given, nothing answers a notification or a cancelled request, lines never mix, a
message may have 64 MiB and an answer any size, and whatever a handler does, the next message is read.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from lazymcp import jsonrpc
from lazymcp.errors import InternalError, InvalidRequest, MCPError
from lazymcp.jsonrpc import RequestId
from lazymcp.lines import LineReader, LineWriter, TooLong
from lazymcp.pipes import Reader, Sink, Source, Writer, descriptor_of, open_sink, open_source
from lazymcp.process_streams import own_stdin, own_stdout

__all__ = ["MAX_LINE", "Handle", "Send", "serve"]

Send = Callable[[dict[str, Any]], Awaitable[None]]
Handle = Callable[[dict[str, Any], Send], Awaitable[dict[str, Any] | None]]
Stream = TypeVar("Stream", Source, Sink)

MAX_LINE = 64 * 1024 * 1024
# What a cancelled handler has to clean up in.
STOP_TIMEOUT_S = 5.0
LOOK_EVERY_S = 0.5

log = logging.getLogger("lazymcp.stdio")


async def serve(
    handle: Handle,
    reader: Reader | None = None,
    writer: Writer | None = None,
    *,
    at_start: Callable[[Send], None] | None = None,
    at_eof: Callable[[], None] | None = None,
) -> None:
    """Answer messages until the input ends and every request is answered.

    Args:
        handle: Answers one message. It gets the message and `send`, which writes a notification or a request to the peer; None is
            no answer. It runs in its own task and may raise anything.
        reader: A StreamReader or a binary file; None is the process's standard input, taken aside meanwhile.
        writer: A StreamWriter or a binary file; None is the process's standard output, taken aside meanwhile: what else is
            printed goes to standard error.
        at_start: Called before the first message with what sends the peer a message that belongs to no request.
        at_eof: Called when the input has ended, so that handlers which wait for the peer (a subscription, a question) end. Without
            it `subscriptions/listen` is cancelled then.

    Cancelled, it cancels what is pending, waits STOP_TIMEOUT_S for it at most and closes the streams; after a normal end, streams
    stay open. When the peer has closed its end of the output, pending requests are cancelled and it returns.

    Raises:
        OSError: the input or the output failed in another way, such as a full disk.
    """
    source = own_stdin() if reader is None or descriptor_of(reader) == 0 else _lent(open_source(reader))
    sink = own_stdout() if writer is None or descriptor_of(writer) == 1 else _lent(open_sink(writer))
    with source as incoming, sink as outgoing:
        session = _Session(handle, incoming, outgoing, at_eof)
        if at_start:
            at_start(session.send)
        await session.run()


@contextlib.contextmanager
def _lent(stream: Stream) -> Iterator[Stream]:
    """The caller's stream: left open in the end, closed when cancelled, so that whoever reads or writes it gets free."""
    try:
        yield stream
    except BaseException:
        stream.close()
        raise
    stream.detach()


@dataclass(slots=True, eq=False)
class _Call:
    """A request or notification at work. `is_live` until it is answered or cancelled; what it sends afterwards is dropped."""

    message: dict[str, Any]
    request_id: RequestId | None
    task: asyncio.Task[None] | None = None
    is_begun: bool = False
    is_live: bool = True


class _Session:
    """One peer. Only the event loop's thread touches it."""

    def __init__(self, handle: Handle, source: Source, sink: Sink, at_eof: Callable[[], None] | None) -> None:
        self._handle = handle
        self._source = source
        self._output = LineWriter(sink)
        self._at_eof = at_eof
        self._calls: set[_Call] = set()
        self._requests: dict[RequestId, _Call] = {}

    async def send(self, message: dict[str, Any]) -> None:
        self._output.put(jsonrpc.dump(message))
        await self._output.room()

    async def run(self) -> None:
        work = asyncio.create_task(self._work())
        ends: list[asyncio.Future[Any]] = [work, self._output.failure]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Whether at an end, cancelled or cut off: nothing of it goes on when this returns.
            await self._stop(work)
        if not self._output.failure.done():
            work.result()
        elif isinstance(problem := self._output.failure.result(), ConnectionError):
            log.info("the peer closed its end of the output")  # which is how some clients say goodbye
        else:
            raise problem

    async def _stop(self, work: asyncio.Task[None]) -> None:
        for call in self._calls:
            self._end(call)
        tasks = [task for task in (work, self._output.pump, *(call.task for call in self._calls)) if task]
        for task in tasks:
            task.cancel()
        _, stuck = await asyncio.wait(tasks, timeout=STOP_TIMEOUT_S)
        for call in [call for call in self._calls if call.task in stuck]:
            log.error("%s does not end although it is cancelled; it is left alone", call.message.get("method"))
        for task in stuck:
            # Else `asyncio.run` would wait for it in its turn, and without end.
            asyncio._unregister_task(task)

    async def _work(self) -> None:
        lines = LineReader(MAX_LINE)

        def receive(chunk: bytes) -> bool:
            for line in lines.feed(chunk):
                self._receive(line)
            return self._output.has_room

        await self._source.feed(receive, self._output.room)
        for line in lines.end():
            self._receive(line)
        if self._at_eof:
            self._at_eof()
        else:
            self._cancel_subscriptions()
        while tasks := [call.task for call in self._calls if call.task]:
            # A peer that has ended its input may still read. One that was killed does not, and a request could wait for ever.
            await asyncio.wait(tasks, timeout=LOOK_EVERY_S)
            self._output.look()
        await self._output.flush()

    def _receive(self, line: bytes | TooLong) -> None:
        try:
            if isinstance(line, TooLong):
                raise InvalidRequest(f"a message has at most {MAX_LINE} bytes", request_id=line.request_id)
            self._accept(jsonrpc.parse(line))
        except MCPError as problem:
            self._output.put(jsonrpc.dump(jsonrpc.error(None, problem)))

    def _accept(self, message: Any) -> None:
        try:
            checked = jsonrpc.check_request(message)
        except MCPError:
            if isinstance(message, dict) and "id" not in message and isinstance(message.get("method"), str):
                return  # a notification, even a broken one, is never answered
            raise
        if checked.method == "notifications/cancelled" and checked.kind == "notification":
            self._cancel(checked.params.get("requestId"))
        elif checked.kind == "request" and checked.id in self._requests:
            raise InvalidRequest("a request with this id is at work", request_id=checked.id)
        else:
            self._start(message, checked.id if checked.kind == "request" else None)

    def _start(self, message: dict[str, Any], request_id: RequestId | None) -> None:
        call = _Call(message, request_id)
        self._calls.add(call)
        if request_id is not None:
            self._requests[request_id] = call
        call.task = asyncio.create_task(self._run(call))

    def _end(self, call: _Call) -> None:
        if call.is_live and call.request_id is not None:
            del self._requests[call.request_id]
        call.is_live = False

    async def _run(self, call: _Call) -> None:
        async def send(message: dict[str, Any]) -> None:
            if call.is_live:
                await self.send(message)

        call.is_begun = True
        try:
            answer = await self._handle(call.message, send)
            line = b"" if answer is None else jsonrpc.dump(answer)
        except MCPError as problem:
            line = jsonrpc.dump(jsonrpc.error(call.request_id, problem))
        except BaseException as problem:
            # Whatever it is, SystemExit or a CancelledError of the handler's own making, it ends one request only. So does a
            # KeyboardInterrupt: the true Ctrl-C is a cancellation of the main task (`asyncio.run`).
            line = b""
            if call.is_live:
                log.error("%s failed", call.message.get("method"), exc_info=problem)
                line = jsonrpc.dump(jsonrpc.error(call.request_id, InternalError()))
        if call.is_live and call.request_id is not None and line:
            self._output.put(line)
        self._end(call)
        self._calls.discard(call)

    def _cancel(self, request_id: Any) -> None:
        # The types are compared too: 1.0 and true would find the request 1.
        call = self._requests.get(request_id) if type(request_id) in {str, int} else None
        if call and call.task:
            self._end(call)
            call.task.cancel()
            if not call.is_begun:  # then it never runs a line, and cannot tidy up after itself
                self._calls.discard(call)

    def _cancel_subscriptions(self) -> None:
        for call in list(self._requests.values()):
            if call.message["method"] == "subscriptions/listen":
                self._cancel(call.request_id)
