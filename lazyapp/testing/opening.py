"""The start and end of an application around a test: by ASGI's lifespan, in a task of its own.

A task of its own, because a fixture may be torn down in another task than it was set up in, and what an application holds open may
have to be closed by the task that opened it.
"""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from lazyapp.testing.transport import ASGIApp


@asynccontextmanager
async def started(app: ASGIApp) -> AsyncIterator[None]:
    """Start the application, and end it afterwards; what its start or its end raises is raised here."""
    heard: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
    said: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()

    async def send(message: MutableMapping[str, Any]) -> None:
        said.put_nowait(message)

    task = asyncio.ensure_future(app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, heard.get, send))
    heard.put_nowait({"type": "lifespan.startup"})
    await _answered(task, said)
    try:
        yield
    finally:
        heard.put_nowait({"type": "lifespan.shutdown"})
        await _answered(task, said)
        await task


async def _answered(task: "asyncio.Future[None]", said: asyncio.Queue[MutableMapping[str, Any]]) -> None:
    answer: asyncio.Future[Any] = asyncio.ensure_future(said.get())
    try:
        await asyncio.wait((task, answer), return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()
        raise
    finally:
        answer.cancel()
    if task.done():
        task.result()
    if answer.done() and not answer.cancelled() and answer.result()["type"].endswith(".failed"):
        await task  # raises the reason
        raise RuntimeError(str(answer.result().get("message", "the application did not start")))
