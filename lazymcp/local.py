"""A local client's connection: what stdio's lines mean. Both eras on one connection, decided for each request by its body."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from lazymcp import legacy, methods
from lazymcp.asking import unaskable
from lazymcp.errors import Forbidden, MCPError
from lazymcp.jsonrpc import RequestId, check_request, error, result
from lazymcp.protocol import VERSION_KEY, check_version, complete, open_envelope
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

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Nobody answers."""
        unaskable("it is not there yet")


class _Line:
    """The link of a request that came over stdio."""

    __slots__ = ("_send",)

    transport: Final = "stdio"
    endpoint: Final = None
    headers: Final[Mapping[str, str]] = {}

    def __init__(self, send: Send) -> None:
        self._send = send

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Nobody can be asked this way."""
        unaskable()


class Connection:
    """One local client."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._older = legacy.Conversation(registry)

    async def handle(self, raw: dict[str, Any], send: Send) -> dict[str, Any] | None:
        """Answer one message; None for what gets no answer."""
        request_id: RequestId | None = None
        is_modern = True
        try:
            message = check_request(raw)
            if message.id is None or message.kind != "request":
                return None
            request_id = message.id
            is_modern = legacy.is_modern(message.params, None)
            answer = self._modern if is_modern else self._older.answer
            return result(request_id, await answer(message.method, message.params, _Line(send)))
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
