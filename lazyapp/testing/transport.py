"""Requests of an httpx2 client to an application in this process: no socket, and answers that come as they are sent.

An answer that is a stream can be read while the application still writes it, so a tool may ask its user something over it. What the
application logs as a failure of its own while it answers is kept with the answer, for whoever wants it raised.
"""

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import httpx2

Message = MutableMapping[str, Any]
ASGIApp = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]

FAILURES = "lazyapp.failures"
LEAVE_TIMEOUT_S = 5.0
_LOGGERS = ("lazyapp", "lazymcp", "lazyoauth")
_failures: contextvars.ContextVar[list[BaseException] | None] = contextvars.ContextVar("failures", default=None)


class InProcess(httpx2.AsyncBaseTransport):
    """Hands requests to an ASGI application.

    Args:
        app: the application, already started.
        client: the address and port that the requests come from.
    """

    def __init__(self, app: ASGIApp, client: tuple[str, int] = ("127.0.0.1", 50000)) -> None:
        self._app = app
        self._client = client

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        exchange = _Exchange(body)
        failures: list[BaseException] = []
        context = contextvars.copy_context()
        context.run(_failures.set, failures)
        answering = asyncio.create_task(self._answer(self._scope(request), exchange), context=context)
        exchange.task = answering
        try:
            start = await exchange.started()
        except BaseException:
            await exchange.leave()
            raise
        return httpx2.Response(
            start["status"],
            headers=start.get("headers", []),
            stream=_Body(exchange),
            request=request,
            extensions={FAILURES: failures},
        )

    async def _answer(self, scope: MutableMapping[str, Any], exchange: "_Exchange") -> None:
        try:
            await self._app(scope, exchange.receive, exchange.send)
        finally:
            exchange.finish()

    def _scope(self, request: httpx2.Request) -> dict[str, Any]:
        url = request.url
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.5"},
            "http_version": "1.1",
            "method": request.method,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "scheme": url.scheme,
            "path": url.path,
            "raw_path": url.raw_path.split(b"?")[0],
            "query_string": url.query,
            "server": (url.host, url.port or {"http": 80, "https": 443}[url.scheme]),
            "client": self._client,
            "root_path": "",
            "state": {},
        }


class _Exchange:
    """One request and its answer; `None` in the queue is the answer's end."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._sent: asyncio.Queue[Message | None] = asyncio.Queue()
        self._gone = asyncio.Event()
        self.task: asyncio.Task[None]

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self._sent.put_nowait(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            # As a server does: whoever still listens hears that the request is over.
            self._gone.set()

    def finish(self) -> None:
        self._sent.put_nowait(None)

    async def started(self) -> Message:
        message = await self._sent.get()
        if message is None:
            await self.task  # raises what the application raised
            raise RuntimeError("the application answered nothing")
        return message

    async def chunks(self) -> AsyncIterator[bytes]:
        while (message := await self._sent.get()) is not None:
            if body := message.get("body", b""):
                yield body
            if not message.get("more_body", False):
                break
        await self.task  # what runs after the answer, background tasks among it, is over when the answer has been read

    async def leave(self) -> None:
        """Close the connection, as a client does that has read enough."""
        self._gone.set()
        await asyncio.wait([self.task], timeout=LEAVE_TIMEOUT_S)
        self.task.cancel()
        await asyncio.wait([self.task])


class _Body(httpx2.AsyncByteStream):
    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._exchange.chunks():
            yield chunk

    async def aclose(self) -> None:
        if not self._exchange.task.done():
            await self._exchange.leave()


class _Collector(logging.Handler):
    """Keeps the errors that are logged while a request of ours is answered, with that request."""

    def emit(self, record: logging.LogRecord) -> None:
        failures = _failures.get()
        if failures is not None and record.exc_info and record.exc_info[1] is not None:
            failures.append(record.exc_info[1])


@contextmanager
def failures_kept() -> Iterator[None]:
    """While it is open, answers carry what failed in the application: `response.extensions[FAILURES]`."""
    collector = _Collector(logging.ERROR)
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addHandler(collector)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(collector)
