"""A client of `Scope.asgi()` without sockets, in any revision, that holds every message of an answer against its revision."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from lazymcp import Base, Options, Scope
from lazymcp.protocol import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY
from tests.lazymcp.wire import ERAS, MODERN, OLDER, judge, judge_message

__all__ = ["ERAS", "MODERN", "OLDER", "Answer", "Event", "Peer", "read_answer", "read_events", "send_raw", "served"]


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream. WHATWG HTML, "Server-sent events"."""

    event: str = "message"
    data: str = ""
    id: str | None = None
    retry: int | None = None


@dataclass
class Answer:
    """What came back: the status, the headers, and the messages in the body, JSON or events. `events` is empty for JSON."""

    status: int
    headers: dict[str, str]
    body: bytes
    messages: list[dict[str, Any]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def result(self) -> Any:
        last = self.messages[-1]
        assert "result" in last, last
        return last["result"]

    @property
    def error(self) -> Any:
        last = self.messages[-1]
        assert "error" in last, last
        return last["error"]


class Peer:
    """A client of one revision."""

    def __init__(self, app: Any, era: str = MODERN, client: dict[str, Any] | None = None) -> None:
        self.app = app
        self.era = era
        self.client = client or {"name": "peer", "version": "1"}
        self.headers: dict[str, str] = {}

    async def ask(
        self, method: str, params: dict[str, Any] | None = None, *, headers: dict[str, str | None] | None = None, **meta: Any
    ) -> Answer:
        """Send a request as this revision writes it; a header of None is left out. Keyword arguments are added to `_meta`."""
        message = self.message(method, params, **meta)
        answer = await self.post(json.dumps(message).encode(), {**self.headers_for(message), **(headers or {})})
        kinds = [judge(self.era, told, method) for told in answer.messages]
        if "result" in kinds:
            assert kinds.index("result") == len(kinds) - 1, "nothing follows the answer"
            assert answer.messages[-1]["id"] == message["id"]
        return answer

    async def initialize(self, **more: Any) -> Answer:
        """The handshake of the older revisions; later requests carry the session id."""
        params = {"protocolVersion": self.era, "capabilities": {}, "clientInfo": self.client, **more}
        answer = await self.ask("initialize", params, headers={"mcp-protocol-version": None})
        if "mcp-session-id" in answer.headers:
            self.headers["mcp-session-id"] = answer.headers["mcp-session-id"]
        return answer

    def message(self, method: str, params: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
        params = dict(params or {})
        if self.era == MODERN:
            meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, CLIENT_KEY: self.client, **meta}
        if meta:
            params["_meta"] = {**params.get("_meta", {}), **meta}
        return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}

    def headers_for(self, message: dict[str, Any]) -> dict[str, str | None]:
        headers = {
            "host": "localhost:3000",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self.era,
            **self.headers,
        }
        if self.era == MODERN:
            headers["mcp-method"] = message["method"]
            name = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(message["method"], "")
            if isinstance(message["params"].get(name), str):
                headers["mcp-name"] = message["params"][name]
        return dict(headers)

    async def post(self, body: bytes, headers: dict[str, str | None], method: str = "POST") -> Answer:
        raw = [(name.encode(), value.encode()) for name, value in headers.items() if value is not None]
        return await send_raw(self.app, raw, [body], method)


async def send_raw(app: Any, headers: list[tuple[bytes, bytes]], chunks: list[bytes], method: str = "POST") -> Answer:
    """Send a request, its body in these chunks, and read the whole answer."""
    incoming = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    incoming[-1]["more_body"] = False
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if incoming:
            return incoming.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app({"type": "http", "method": method, "path": "/mcp", "headers": headers}, receive, send)
    return read_answer(sent)


def read_answer(sent: list[dict[str, Any]]) -> Answer:
    """Check the shape of an ASGI answer and of every JSON-RPC message in it."""
    start, *rest = sent
    assert start["type"] == "http.response.start"
    assert [message.get("more_body", False) for message in rest] == [True] * (len(rest) - 1) + [False]
    names = [name for name, _ in start["headers"]]
    assert all(name == name.lower() for name in names)
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    body = b"".join(message["body"] for message in rest)
    if "content-length" in headers:
        assert int(headers["content-length"]) == len(body)
    answer = Answer(start["status"], headers, body)
    kind = headers.get("content-type")
    if kind == "application/json":
        answer.messages = [json.loads(body)]
    elif kind == "text/event-stream":
        answer.events = read_events(body)
        answer.messages = [json.loads(event.data) for event in answer.events if event.data]
    else:
        assert body == b""
    for message in answer.messages:
        judge_message(message)
    return answer


def read_events(body: bytes) -> list[Event]:
    """The events of a stream, comments left out. Every event ends, and no line is of another kind."""
    *events, rest = body.decode().split("\n\n")
    assert rest == "", f"the stream is cut off: {rest!r}"
    return [event for text in events if (event := _read_event(text)) is not None]


def _read_event(text: str) -> Event | None:
    told: dict[str, Any] = {}
    for line in text.split("\n"):
        name, _, value = line.partition(":")
        assert name in {"", "event", "data", "id", "retry"}, line
        assert name == "" or name not in told, text
        if name:
            told[name] = int(value) if name == "retry" else value.removeprefix(" ")
    return Event(**told) if told else None


def served(*modules: Base, era: str = MODERN, client: dict[str, Any] | None = None, **options: Any) -> Peer:
    """A client of a server with these modules."""
    scope = Scope(Options(**options))
    scope.register(*modules)
    return Peer(scope.asgi(), era, client)
