"""A process that runs tasks: `python -m tests.lazymcp.task_server DATABASE_URL FOLDER LEASE_S`. It prints its port.

Its tools write what happens into files of the folder, and wait for the file `go`.
"""

import asyncio
import os
import socket
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import uvicorn
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import create_async_engine

from lazymcp import Base, Context, Options, Scope, tool
from lazymcp.options import TaskLimits
from lazymcp.sql import PostgresBus
from lazymcp.task_sql import SQLTasks


class Name(BaseModel):
    name: str


class Work(Base):
    name = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @tool(task="required")
    async def once(self) -> str:
        """Work that must not be done twice."""
        return await self._work("once")

    @tool(task="required", idempotent=True)
    async def again(self, ctx: Context) -> str:
        """Work that may be done again, and asks."""
        name = (await ctx.elicit(Name, "Who?")).name
        return f"{name}, {await self._work('again')}"

    async def _work(self, what: str) -> str:
        self._note(f"{what} began")
        try:
            while not (self.folder / "go").exists():
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            self._note(f"{what} was cancelled")
            raise
        self._note(f"{what} ended")
        return f"done by {os.getpid()}"

    def _note(self, line: str) -> None:
        with (self.folder / "log").open("a") as log:
            log.write(f"{os.getpid()} {line}\n")


async def main(url: str, folder: str, lease_s: str) -> None:
    engine = create_async_engine(url)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(engine.dispose)
        bus = await stack.enter_async_context(PostgresBus(engine)) if url.startswith("postgres") else None
        scope = Scope(Options(tasks=SQLTasks(engine), bus=bus, task_limits=TaskLimits(lease_s=float(lease_s))))
        scope.register(Work(Path(folder)))
        listening = socket.create_server(("127.0.0.1", 0))
        print(listening.getsockname()[1], flush=True)
        # Its tasks end with the lifespan: once it is over, uvicorn hands the signal on, and nothing else of this runs.
        await uvicorn.Server(uvicorn.Config(scope.asgi(), log_level="warning", lifespan="on")).serve([listening])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
