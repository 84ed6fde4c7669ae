"""A request to `Scope.asgi()` whose answer is read while it comes, without sockets."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from mcp_types.jsonrpc import JSONRPCMessage
from pydantic import TypeAdapter

_MESSAGE = TypeAdapter(JSONRPCMessage)
PATIENCE_S = 10


@dataclass
class Event:
    """One event of a stream, as the HTML standard reads it; a comment and a lone `retry` are events here too."""

    data: str | None = None
    id: str | None = None
    retry: int | None = None
    comment: str | None = None

    @property
    def message(self) -> Any:
        """The JSON-RPC message, which must be one."""
        assert self.data, self
        message = json.loads(self.data)
        _MESSAGE.validate_python(message)
        return message


class Live:
    """One request at work; `leave()` hangs up."""

    def __init__(self, app: Any, headers: dict[str, str | None], body: bytes = b"", method: str = "POST") -> None:
        self._incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._incoming.put_nowait({"type": "http.request", "body": body})
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._events: list[Event] = []
        self.is_over = False
        raw = [(name.encode(), value.encode()) for name, value in headers.items() if value is not None]
        scope = {"type": "http", "method": method, "path": "/mcp", "headers": raw}
        self.task = asyncio.create_task(app(scope, self._incoming.get, self._send))

    async def _send(self, message: dict[str, Any]) -> None:
        self._sent.put_nowait(message)

    def leave(self) -> None:
        self._incoming.put_nowait({"type": "http.disconnect"})

    async def start(self) -> tuple[int, dict[str, str]]:
        """The status and the headers."""
        start = await asyncio.wait_for(self._sent.get(), PATIENCE_S)
        assert start["type"] == "http.response.start"
        return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}

    async def event(self) -> Event | None:
        """The next event, comments included; None at the end of the stream."""
        while not self._events:
            if self.is_over:
                return None
            chunk = await asyncio.wait_for(self._sent.get(), PATIENCE_S)
            self.is_over = not chunk.get("more_body", False)
            self._events = [_read(block) for block in chunk["body"].decode().split("\n\n") if block]
        return self._events.pop(0)

    async def message(self) -> Any:
        """The next JSON-RPC message; priming events and comments are passed over."""
        while (event := await self.event()) is not None:
            if event.data:
                return event.message
        raise AssertionError("the stream ended")

    async def end(self) -> list[Event]:
        """What is left of the stream."""
        found = []
        while (event := await self.event()) is not None:
            found.append(event)
        await asyncio.wait_for(self.task, PATIENCE_S)
        return found


def _read(block: str) -> Event:
    event = Event()
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "":
                event.comment = value
            case "data":
                event.data = value
            case "id":
                event.id = value
            case "retry":
                event.retry = int(value)
            case _:
                assert line == "event: message", line
    return event


def call(peer: Any, method: str, params: dict[str, Any] | None = None, request_id: Any = 7, **meta: Any) -> Live:
    """A request of a `Peer`."""
    message = {**peer.message(method, params, **meta), "id": request_id}
    return Live(peer.app, peer.headers_for(message), json.dumps(message).encode())


def listen(peer: Any, **headers: str | None) -> Live:
    """The GET of an older client."""
    usual = {**peer.headers_for({"method": ""}), "accept": "text/event-stream", "content-type": None}
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return Live(peer.app, {**usual, **more}, method="GET")


async def tell(peer: Any, message: dict[str, Any]) -> Any:
    """Send a notification or the answer to a question, which are accepted without a word."""
    message = {"jsonrpc": "2.0", **message}
    answer = await peer.post(json.dumps(message).encode(), peer.headers_for({"method": "", "params": {}}))
    assert (answer.status, answer.body) == (202, b""), answer
    return answer
