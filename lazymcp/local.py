"""A local client's connection: what stdio's lines mean. Both eras on one connection, decided for each request by its body."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from lazymcp import legacy, methods
from lazymcp.asking import unaskable
from lazymcp.bus import MemoryBus
from lazymcp.errors import Forbidden, MCPError
from lazymcp.jsonrpc import RequestId, check_request, error, result
from lazymcp.protocol import VERSION_KEY, check_version, complete, open_envelope
from lazymcp.questions import Questions
from lazymcp.registry import Registry
from lazymcp.tools import failed

__all__ = ["Connection", "NoLink"]

Send = Callable[[dict[str, Any]], Awaitable[None]]


class NoLink:
    """The link of a context outside any request, while modules are being registered."""

    transport: Final = ""
    headers: Final[Mapping[str, str]] = {}

    def __init__(self, endpoint: str | None) -> None:
        self.endpoint = endpoint

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Nobody listens."""

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Nobody answers."""
        unaskable("it is not there yet")

    async def close_stream(self, retry_ms: int) -> None:
        """There is none."""


class _Line:
    """The link of a request that came over stdio."""

    __slots__ = ("_questions", "_send", "request_id")

    transport: Final = "stdio"
    endpoint: Final = None
    headers: Final[Mapping[str, str]] = {}

    def __init__(self, send: Send, questions: Questions, request_id: RequestId) -> None:
        self.request_id = request_id
        self._send = send
        self._questions = questions

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        return await self._questions.ask("", method, params, self._send)

    async def close_stream(self, retry_ms: int) -> None:
        """The one stream of a connection stays open."""

    def prolong(self) -> None:
        """The one stream of a connection is long."""

    async def keep_alive(self) -> None:
        """Silence cuts no pipe."""

    async def gone(self) -> None:
        """Wait for ever: a client that leaves, or cancels, ends the request."""
        await asyncio.get_running_loop().create_future()


class Connection:
    """One local client."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._older = legacy.Conversation(registry)
        self._questions = Questions(MemoryBus(), registry.options.question_timeout_s)

    async def handle(self, raw: dict[str, Any], send: Send) -> dict[str, Any] | None:
        """Answer one message; None for what gets no answer."""
        request_id: RequestId | None = None
        is_modern = True
        try:
            message = check_request(raw)
            if message.id is None or message.kind != "request":
                await self._questions.answer("", message)
                return None
            request_id = message.id
            is_modern = legacy.is_modern(message.params, None)
            answer = self._modern if is_modern else self._older.answer
            return result(request_id, await answer(message.method, message.params, _Line(send, self._questions, request_id)))
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
