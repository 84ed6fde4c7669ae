"""`/livez`, `/readyz`, `/metrics`: whether the process runs, whether it can serve, what it has counted.

Plain ASGI, answered before every other layer.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from lazyapp.metrics import CONTENT_TYPE, Snapshot, added, exposition, started_at

ASGIApp = Callable[[MutableMapping[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]
READY = "ready"
Check = Callable[[], Awaitable[dict[str, str | None] | None]]


def livez() -> ASGIApp:
    """Answers 200 as long as the process answers at all."""

    async def answer(_scope: MutableMapping[str, Any], _receive: object, send: Callable[[Any], Awaitable[None]]) -> None:
        await _send(send, 200, {"status": "alive"})

    return answer


def readyz(check: Check, is_draining: Callable[[], bool] = lambda: False) -> ASGIApp:
    """Answers 200 when the application is started and every ping succeeds, else 503 with the names of what fails.

    Args:
        check: the pings' results by service, None for each that succeeded; None while the application is not started.
        is_draining: whether the run is about to end, so that nobody new should be sent here.
    """

    async def answer(_scope: MutableMapping[str, Any], _receive: object, send: Callable[[Any], Awaitable[None]]) -> None:
        readiness = await judge(check, is_draining())
        await _send(send, 200 if readiness["status"] == READY else 503, readiness)

    return answer


async def judge(check: Check, is_draining: bool) -> dict[str, object]:
    """What `/readyz` says: a status, and by name what fails.

    The reason stays in the log of the service; a stranger learns which part fails, not how.
    """
    if is_draining:
        return {"status": "draining"}
    found = await check()
    if found is None:
        return {"status": "starting"}
    failing = sorted(name for name, reason in found.items() if reason is not None)
    return {"status": "failing" if failing else READY, "failing": failing}


def metricsz(snapshot: Callable[[], Snapshot]) -> ASGIApp:
    """Answers with what this process has counted, as Prometheus reads it."""

    async def answer(_scope: MutableMapping[str, Any], _receive: object, send: Callable[[Any], Awaitable[None]]) -> None:
        await _send_bytes(send, 200, CONTENT_TYPE, exposition(added([snapshot(), started_at()])).encode())

    return answer


async def _send(send: Callable[[Any], Awaitable[None]], status: int, value: dict[str, object]) -> None:
    await _send_bytes(send, status, "application/json", json.dumps(value).encode())


async def _send_bytes(send: Callable[[Any], Awaitable[None]], status: int, content_type: str, body: bytes) -> None:
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
