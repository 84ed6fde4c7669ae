"""A client that listens: `subscriptions/listen` in process, every message held against the models of `mcp_types`."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from lazymcp import Base, Options, Scope
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import MODERN, Peer, read_events
from tests.lazymcp.wire import judge

__all__ = ["LISTS", "Ear", "granted", "listening", "scope_with", "subscription_of"]

KEY = "io.modelcontextprotocol/subscriptionId"
LISTS = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}


def subscription_of(message: dict[str, Any]) -> Any:
    """The subscription that a notification or result belongs to."""
    return message.get("params", message.get("result"))["_meta"][KEY]


class Ear:
    """One stream, as its client sees it: read with `next`, stop reading with `pause`, go with `leave`."""

    def __init__(self, app: Any, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        self._body = [body]
        self._left = asyncio.Event()
        self.reads = asyncio.Event()
        self.reads.set()
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.start: dict[str, Any] = {}
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
        self.task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        if self._body:
            return {"type": "http.request", "body": self._body.pop()}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        await self.reads.wait()
        self.sent.put_nowait(message)

    async def next_chunk(self) -> bytes:
        """What is sent next, but for comments that keep the stream alive."""
        while True:
            message = await asyncio.wait_for(self.sent.get(), 10)
            if message["type"] == "http.response.start":
                self.start = message
            elif not message["body"].startswith(b":"):
                return bytes(message["body"])

    async def next(self) -> dict[str, Any]:
        """The next message."""
        chunk = await self.next_chunk()
        (event,) = read_events(chunk)
        message: dict[str, Any] = json.loads(event.data)
        judge(MODERN, message, "subscriptions/listen")
        return message

    async def rest(self) -> list[dict[str, Any]]:
        """The messages until the stream has ended."""
        await asyncio.wait_for(self.task, 10)
        chunks = [self.sent.get_nowait() for _ in range(self.sent.qsize())]
        found = [json.loads(event.data) for chunk in chunks for event in read_events(chunk.get("body", b""))]
        assert chunks[-1].get("more_body", False) is False
        for message in found:
            judge(MODERN, message, "subscriptions/listen")
        return found

    def leave(self) -> None:
        """Close the connection."""
        self._left.set()


def scope_with(*modules: Base, **options: Any) -> Scope:
    """A scope of these modules, by default of the administrator's."""
    scope = Scope(Options(**options))
    scope.register(*(modules or (AdminMCP(),)))
    return scope


async def granted(ear: Ear) -> Any:
    """The filter that is acknowledged; nothing comes before it."""
    first = await ear.next()
    assert first["method"] == "notifications/subscriptions/acknowledged"
    return first["params"]["notifications"]


@asynccontextmanager
async def listening(peer: Peer, wish: Any, request_id: str | int = "l-1", **meta: Any) -> AsyncIterator[Ear]:
    """A stream with this filter; it is gone after the block."""
    message = peer.message("subscriptions/listen", {"notifications": wish}, **meta) | {"id": request_id}
    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items() if value is not None]
    ear = Ear(peer.app, json.dumps(message).encode(), headers)
    try:
        yield ear
    finally:
        ear.reads.set()
        ear.leave()
        await asyncio.wait_for(asyncio.wait([ear.task]), 10)
