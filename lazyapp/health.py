"""`/livez` and `/readyz`: whether the process runs, and whether it can serve. Plain ASGI, answered before every other layer."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

ASGIApp = Callable[[MutableMapping[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]
Check = Callable[[], Awaitable[dict[str, str | None] | None]]


def livez() -> ASGIApp:
    """Answers 200 as long as the process answers at all."""

    async def answer(_scope: MutableMapping[str, Any], _receive: object, send: Callable[[Any], Awaitable[None]]) -> None:
        await _send(send, 200, {"status": "alive"})

    return answer


def readyz(check: Check) -> ASGIApp:
    """Answers 200 when the application is started and every ping succeeds, else 503 with the names of what fails.

    Args:
        check: the pings' results by service, None for each that succeeded; None while the application is not started.
    """

    async def answer(_scope: MutableMapping[str, Any], _receive: object, send: Callable[[Any], Awaitable[None]]) -> None:
        found = await check()
        if found is None:
            return await _send(send, 503, {"status": "starting"})
        # The reason stays in the log of the service; a stranger learns which part fails, not how.
        failing = sorted(name for name, reason in found.items() if reason is not None)
        return await _send(send, 503 if failing else 200, {"status": "failing" if failing else "ready", "failing": failing})

    return answer


async def _send(send: Callable[[Any], Awaitable[None]], status: int, value: dict[str, object]) -> None:
    body = json.dumps(value).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
