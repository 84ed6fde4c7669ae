"""A request to the application's own MCP endpoint, made in this process: what a client would send, and what it would be answered.

It goes through `Scope.asgi()`, so the checks of headers, the authorizer, the tools and their errors are those that a client meets.
Only the token is left out: whoever calls sets who is asking before (`preview_people.py`).
"""

import itertools
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lazyapp.developing.door import ASGIApp, Message, Receive
from lazymcp.failures import failure_id_of
from lazymcp.methods import routing_param
from lazymcp.param_headers import repeated
from lazymcp.protocol import APP_MIME_TYPE, UI_EXTENSION, VERSION
from lazymcp.routing import encode

#: What the page may ask for: requests that end, and that a host of MCP Apps makes for itself or for a widget.
METHODS = frozenset(
    {
        *("tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"),
        *("prompts/list", "prompts/get", "completion/complete", "server/discover"),
    }
)
MAX_ANSWER_BYTES = 32 * 1024 * 1024
CAPABILITIES = {"extensions": {UI_EXTENSION: {"mimeTypes": [APP_MIME_TYPE]}}, "elicitation": {"form": {}, "url": {}}}
CLIENT = {"name": "lazyapp preview", "version": "1"}

_KEY = "io.modelcontextprotocol/"
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        status: of HTTP.
        message: the JSON-RPC answer; where none came, an error that tells the HTTP status.
        before: the notifications that came before it.
        took_ms: how long it took.
        failure: the id under which the traceback is kept, or "".
    """

    status: int
    message: Mapping[str, Any]
    before: tuple[Mapping[str, Any], ...]
    took_ms: float
    failure: str

    def to_dict(self) -> dict[str, Any]:
        """As the page reads it."""
        return {
            "status": self.status,
            "answer": self.message,
            "before": list(self.before),
            "ms": round(self.took_ms, 1),
            "failure": self.failure,
        }


async def ask(
    endpoint: ASGIApp, method: str, params: Mapping[str, Any], schema: Mapping[str, Any], *, host: bytes, receive: Receive
) -> Answer:
    """Send one request and read its answer to the end.

    Args:
        endpoint: of the application's scope.
        method: of MCP.
        params: its parameters, without `_meta`'s own keys.
        schema: of the tool that is called: arguments that it marks are repeated in headers.
        host: the host that was asked, as the browser named it.
        receive: tells when the browser has left; that cancels the call.
    """
    said: dict[str, Any] = {"protocolVersion": VERSION, "clientInfo": CLIENT, "logLevel": "debug"}
    said["clientCapabilities"] = CAPABILITIES
    number = next(_numbers)
    meta = {**_dict(params.get("_meta")), "progressToken": number, **{_KEY + name: value for name, value in said.items()}}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}}).encode()
    exchange = _Exchange(body, receive)
    began = time.perf_counter()
    await endpoint(_scope(_headers(method, params, schema, host)), exchange.receive, exchange.send)
    took_ms = (time.perf_counter() - began) * 1000
    message, before = _read(exchange, number)
    return Answer(exchange.status, message, before, took_ms, _failure_of(message))


class _Exchange:
    """One request and its answer, held in memory up to a bound."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive
        self.status = 0
        self.kind = b""
        self.answer = bytearray()
        self.is_too_large = False

    async def receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        return await self._receive()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.kind = dict(message["headers"]).get(b"content-type", b"")
        elif not self.is_too_large:
            self.answer += message.get("body", b"")
            self.is_too_large = len(self.answer) > MAX_ANSWER_BYTES


def _read(exchange: _Exchange, number: int) -> tuple[Mapping[str, Any], tuple[Mapping[str, Any], ...]]:
    if exchange.is_too_large:
        return _no_answer(f"the answer is larger than {MAX_ANSWER_BYTES} bytes, which is more than this page shows"), ()
    before: list[Mapping[str, Any]] = []
    for message in _messages(exchange):
        if message.get("id") == number and "method" not in message:
            return message, tuple(before)
        if "error" in message:  # an error from before the id was read
            return message, tuple(before)
        before.append(message)
    return _no_answer(f"HTTP {exchange.status} without a message"), tuple(before)


def _messages(exchange: _Exchange) -> Iterator[dict[str, Any]]:
    data = bytes(exchange.answer)
    if exchange.kind.startswith(b"text/event-stream"):
        lines = (line.removeprefix(b"data:") for line in data.split(b"\n") if line.startswith(b"data:"))
        texts = [line.strip() for line in lines if line.strip()]
    else:
        texts = [data] if exchange.kind.startswith(b"application/json") else []
    for text in texts:
        found = json.loads(text)
        if isinstance(found, dict):
            yield found


def _no_answer(words: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": words}}


def _failure_of(message: Mapping[str, Any]) -> str:
    """The id of a failure: it stands in the one sentence that the client is told."""
    error, result = _dict(message.get("error")), _dict(message.get("result"))
    texts = [error.get("message")]
    if result.get("isError"):
        texts += [block.get("text") for block in result.get("content", ()) if isinstance(block, dict)]
    return next((found for text in texts if isinstance(text, str) and (found := failure_id_of(text))), "")


def _headers(method: str, params: Mapping[str, Any], schema: Mapping[str, Any], host: bytes) -> list[tuple[bytes, bytes]]:
    said = {"mcp-protocol-version": VERSION, "mcp-method": method}
    if param := routing_param(method):
        said["mcp-name"] = encode(str(params.get(param, "")))
    said |= dict(repeated(schema, params.get("arguments")))
    headers = [(b"host", host), (b"content-type", b"application/json"), (b"accept", b"application/json, text/event-stream")]
    return headers + [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in said.items()]


def _scope(headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.5"},
        "http_version": "1.1",
        "method": "POST",
        "headers": headers,
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "root_path": "",
        "client": ("127.0.0.1", 0),
        "server": None,
        "state": {},
    }


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
