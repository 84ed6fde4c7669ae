"""A local client's connection: what stdio's lines mean. Both eras on one connection, decided for each request by its body."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from lazymcp import legacy, methods
from lazymcp.asking import unaskable
from lazymcp.bus import MemoryBus
from lazymcp.conversation import Conversation
from lazymcp.errors import Forbidden, MCPError
from lazymcp.jsonrpc import RequestId, check_request, error, result
from lazymcp.protocol import VERSION_KEY, check_version, complete, open_envelope, whole
from lazymcp.questions import Questions, gone_topic
from lazymcp.registry import Registry
from lazymcp.streams import ClientLeft
from lazymcp.tools import failed

__all__ = ["Connection"]

Send = Callable[[dict[str, Any]], Awaitable[None]]


class _Line:
    """The link of a request that came over stdio."""

    __slots__ = ("_connection", "_send", "request_id")

    transport: Final = "stdio"
    endpoint: Final = None
    headers: Final[Mapping[str, str]] = {}

    def __init__(self, connection: "Connection", send: Send, request_id: RequestId) -> None:
        self.request_id = request_id
        self._connection = connection
        self._send = send

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        return await self._connection.ask(method, params, self._send)

    async def close_stream(self, retry_ms: int) -> None:
        """The one stream of a connection stays open."""

    def prolong(self) -> None:
        """The one stream of a connection is long."""

    async def keep_alive(self) -> None:
        """Silence cuts no pipe."""

    async def gone(self) -> None:
        """Wait until the client has closed its end; one that cancels ends the request."""
        await self._connection.over.wait()


class Connection:
    """One local client."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._older = Conversation(registry, self._tell)
        self._bus = MemoryBus()
        self._questions = Questions(self._bus, registry.options.question_timeout_s)
        self.over = asyncio.Event()
        self._post: Send | None = None

    def begin(self, post: Send) -> None:
        """Take what sends a message that answers nothing."""
        self._post = post

    def end(self) -> None:
        """End what waits for the client, because it says nothing more: questions, subscriptions. What is at work goes on."""
        self.over.set()
        self._older.end()
        self._bus.tell(gone_topic(""), None)

    async def ask(self, method: str, params: dict[str, Any], send: Send) -> Any:
        """The result with which the client answers a question."""
        if self.over.is_set():
            unaskable("it has closed its end of the connection")
        return await self._questions.ask("", method, params, send)

    async def handle(self, raw: dict[str, Any], send: Send) -> dict[str, Any] | None:
        """Answer one message; None for what gets no answer."""
        request_id: RequestId | None = None
        is_modern = True
        try:
            message = check_request(raw)
            if message.id is None or message.kind != "request":
                self._older.take_in(message.method)
                await self._questions.answer("", message)
                return None
            request_id = message.id
            is_modern = legacy.is_modern(message.params, {})
            answer = self._modern if is_modern else self._older.answer
            return result(request_id, whole(await answer(message.method, message.params, _Line(self, send, request_id))))
        except ClientLeft:
            return None
        except Forbidden as problem:
            # There is no status line to say it with, so the model is told.
            refused = failed(str(problem))
            found = complete(refused, self._registry.server, None, "private") if is_modern else refused
            return {"jsonrpc": "2.0", "id": request_id, "result": found}
        except MCPError as problem:
            return error(request_id, problem if is_modern else legacy.older_error(problem))

    async def _modern(self, method: str, params: dict[str, Any], line: _Line) -> dict[str, Any]:
        ctx = open_envelope(params, line)
        check_version(ctx.meta[VERSION_KEY])
        return await methods.answer(self._registry, method, params, ctx)

    async def _tell(self, method: str, params: dict[str, Any]) -> None:
        if self._post is not None:
            await self._post({"jsonrpc": "2.0", "method": method, "params": params})
