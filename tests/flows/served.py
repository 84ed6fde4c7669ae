"""An ASGI application on a real loopback socket, in this process."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import uvicorn


@asynccontextmanager
async def served(app: Any, lifespan: Literal["on", "off"] = "off", http: Any = "auto") -> AsyncIterator[str]:
    """Serve `app` with uvicorn for the time of the block; gives its origin.

    Without uvicorn's access log, which tells queries; that of `lazyapp serve` does not.
    """
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan=lifespan, http=http))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task
