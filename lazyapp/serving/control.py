"""The control plane: `/livez`, `/readyz` and `/metrics` at CONTROL_PLANE_ADDR, for those who run the application and nobody else.

The supervisor answers, for all its processes together, so there is one address whatever their number, and it answers while they
start and while they end. It is a listener of its own because what it says is not for visitors.
"""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol

from lazyapp.health import READY
from lazyapp.metrics import CONTENT_TYPE, Snapshot, added, exposition, started_at

# More than a ping may take; less than those who ask are patient.
ASK_WITHIN_S, HEAD_WITHIN_S, MAX_HEAD_BYTES = 3.0, 5.0, 16 * 1024


class Asked(Protocol):
    """A serving process that is up."""

    @property
    def pid(self) -> int: ...

    async def ask(self, about: str, within_s: float) -> dict[str, Any] | None:
        """What it says of itself; None when it does not in time."""
        ...


class Answer(NamedTuple):
    """What an address says."""

    status: int
    body: str
    content_type: str = "application/json"


class Control:
    """What the supervisor says about its processes.

    Args:
        up: those that are up now.
        is_ending: whether the run is to end.
    """

    def __init__(self, up: Callable[[], Sequence[Asked]], is_ending: Callable[[], bool]) -> None:
        self._up = up
        self._is_ending = is_ending
        self._paths: Mapping[str, Callable[[], Awaitable[Answer]]] = {
            "/livez": self.livez,
            "/readyz": self.readyz,
            "/metrics": self.metrics,
        }
        # What the last snapshot of a process said, so that a count does not fall when the process is replaced.
        self._counted: dict[int, Snapshot] = {}

    async def livez(self) -> Answer:
        """200 unless processes are up and none of them answers: those that died are replaced from here, one that hangs is not."""
        found = await self._ask("metrics")
        is_alive = not found or any(answer is not None for answer in found.values())
        return Answer(200 if is_alive else 503, json.dumps({"status": "alive" if is_alive else "hanging"}))

    async def readyz(self) -> Answer:
        """200 when a process is up, and each that is up is ready: a request may come to any of them."""
        if self._is_ending():
            return _readiness("draining")
        found = await self._ask("readyz")
        if not found:
            return _readiness("starting")
        states = {"failing" if answer is None else answer["status"] for answer in found.values()}
        failing = {name for pid, answer in found.items() for name in _failing(pid, answer)}
        return _readiness(READY if states == {READY} else (states - {READY}).pop(), sorted(failing))

    async def metrics(self) -> Answer:
        """The sums of what all processes count, those that are gone included."""
        found = await self._ask("metrics")
        for pid, answer in found.items():
            if answer is not None:
                self._counted[pid] = answer
        told = [snapshot if pid in found else _lasting(snapshot) for pid, snapshot in self._counted.items()]
        own: Snapshot = {"lazyapp_workers": {"": len(found)}}
        return Answer(200, exposition(added([*told, own, started_at()])), CONTENT_TYPE)

    async def answer(self, method: str, path: str) -> Answer:
        """What a request gets."""
        say = self._paths.get(path)
        if say is None:
            return Answer(404, json.dumps({"paths": sorted(self._paths)}))
        return await say() if method in ("GET", "HEAD") else Answer(405, json.dumps({"methods": ["GET", "HEAD"]}))

    async def _ask(self, about: str) -> dict[int, dict[str, Any] | None]:
        asked = tuple(self._up())
        answers = await asyncio.gather(*(process.ask(about, ASK_WITHIN_S) for process in asked))
        return {process.pid: answer for process, answer in zip(asked, answers, strict=True)}


@asynccontextmanager
async def controlled(control: Control, sockets: Sequence[socket.socket]) -> AsyncIterator[None]:
    """Answer on these sockets for the time of the block; they are closed after it."""
    connected: set[asyncio.Task[Any]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            connected.add(task)
            task.add_done_callback(connected.discard)
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                async with asyncio.timeout(HEAD_WITHIN_S):
                    head = await reader.readuntil(b"\r\n\r\n")
                method, target = [*head.decode("latin-1").split(" ", 2), "", ""][:2]
                writer.write(_encode(await control.answer(method, target.partition("?")[0]), with_body=method != "HEAD"))
                await writer.drain()
        finally:
            writer.close()

    servers = [await asyncio.start_server(serve, sock=one, limit=MAX_HEAD_BYTES) for one in sockets]
    try:
        yield
    finally:
        for server in servers:
            server.close()
        for task in tuple(connected):
            task.cancel()
        await asyncio.gather(*connected, return_exceptions=True)


def _readiness(status: str, failing: Sequence[str] = ()) -> Answer:
    return Answer(200 if status == READY else 503, json.dumps({"status": status, "failing": list(failing)}))


def _failing(pid: int, answer: Mapping[str, Any] | None) -> Sequence[str]:
    return [f"worker {pid} does not answer"] if answer is None else answer.get("failing", ())


def _lasting(snapshot: Snapshot) -> Snapshot:
    """What is still true when the process is gone: its counters."""
    return {name: samples for name, samples in snapshot.items() if name.endswith("_total")}


REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


def _encode(answer: Answer, *, with_body: bool) -> bytes:
    body = answer.body.encode()
    lines = (
        f"HTTP/1.1 {answer.status} {REASONS[answer.status]}",
        f"Content-Type: {answer.content_type}",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        *(["Allow: GET, HEAD"] if answer.status == 405 else []),
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body if with_body else b"")
