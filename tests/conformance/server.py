"""The server that the official suite judges, written as a user of lazymcp would: one module, one scope, uvicorn.

    python -m tests.conformance.server --port 8000 [--http h11|httptools] [--workers 2 --database postgresql+asyncpg://…]

With several workers each has its own listening socket on the one port, and every connection carries one request, so that hardly
two requests of a client meet the same process. They share a secret, and a database for the bus and the tasks.
"""

import argparse
import contextlib
import multiprocessing
import multiprocessing.connection
import secrets
import signal
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from multiprocessing.process import BaseProcess

import uvicorn
from sqlalchemy.ext.asyncio import create_async_engine
from starlette.applications import Starlette

from lazymcp import Options, PostgresBus, Scope, ServerInfo, SQLTasks
from tests.conformance.module import Conformance

HOST = "127.0.0.1"
SHUTDOWN_S = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """What one process of the server has to know."""

    port: int
    http: str
    workers: int
    database: str | None
    secret: str


def application(settings: Settings) -> Starlette:
    """`/mcp`, with the bus and the tasks that the settings ask for."""
    engine = create_async_engine(settings.database) if settings.database else None
    bus = PostgresBus(engine) if engine else None
    options = Options(
        secret=settings.secret,
        server_info=ServerInfo(name="lazymcp-conformance", version="1.0"),
        bus=bus,
        tasks=SQLTasks(engine) if engine else None,
    )
    scope = Scope(options)
    scope.register(Conformance(scope))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            if engine and bus:
                stack.push_async_callback(engine.dispose)
                await stack.enter_async_context(bus)
            stack.push_async_callback(scope.end_tasks)
            print(f"serving http://localhost:{settings.port}/mcp", flush=True)
            yield

    app = Starlette(lifespan=lifespan)
    app.add_route("/mcp", scope.asgi())
    return app


def serve(settings: Settings) -> None:
    """Serve in this process until SIGTERM."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if settings.workers > 1:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind((HOST, settings.port))
    listener.listen(socket.SOMAXCONN)
    uvicorn.Server(
        uvicorn.Config(
            application(settings),
            http=settings.http,  # type: ignore[arg-type]
            headers=[("Connection", "close")] if settings.workers > 1 else [],
            timeout_graceful_shutdown=SHUTDOWN_S,
            log_level="warning",
        )
    ).run([listener])


def serve_all(settings: Settings) -> None:
    """Serve in several processes until SIGTERM, or until one of them ends."""
    context = multiprocessing.get_context("spawn")
    workers: list[BaseProcess] = [context.Process(target=serve, args=(settings,)) for _ in range(settings.workers)]
    for worker in workers:
        worker.start()
    signal.signal(signal.SIGTERM, lambda *_: [worker.terminate() for worker in workers])
    multiprocessing.connection.wait([worker.sentinel for worker in workers])
    for worker in workers:
        worker.terminate()
        worker.join()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the fixtures of the official conformance suite.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--http", choices=["httptools", "h11"], default="httptools")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--database", help="of all workers, as SQLAlchemy writes it; several workers need one")
    given = parser.parse_args()
    if given.workers > 1 and not given.database:
        parser.error("several workers need a --database for what they share")
    settings = Settings(given.port, given.http, given.workers, given.database, secrets.token_hex(32))
    serve(settings) if settings.workers == 1 else serve_all(settings)


if __name__ == "__main__":
    main()
