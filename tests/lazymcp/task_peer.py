"""A client that takes tasks, and the modules and stores that its tests share."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic import BaseModel

from lazyauth import Claims, User, signed_in
from lazymcp import Base, Options, Scope
from lazymcp.protocol import CAPABILITIES_KEY, TASKS_EXTENSION
from lazymcp.task_store import MemoryTasks, TaskRecord, TaskStore
from lazymcp.tasks import Tasks
from tests.lazymcp.asgi_peer import Answer, Peer

__all__ = ["STORES", "TAKES_TASKS", "Name", "TaskPeer", "ann", "bob", "open_store", "record", "serving"]

TAKES_TASKS = {"elicitation": {"form": {}}, "extensions": {TASKS_EXTENSION: {}}}
STORES = ("memory", "sqlite", "postgres")


class Name(BaseModel):
    """What tasks ask for."""

    name: str


def ann() -> Any:
    """Everything inside is Ann's."""
    return signed_in(User("ann", {"team": "red"}), Claims({"sub": "ann", "mcps": ["*"], "scope": "jobs"}))


def bob() -> Any:
    return signed_in(User("bob"), Claims({"sub": "bob", "mcps": ["*"], "scope": "jobs"}))


class TaskPeer(Peer):
    """A client of today's revision that declares the extension with every request."""

    capabilities: Mapping[str, Any] = TAKES_TASKS
    scope: Scope
    tasks: Tasks

    def message(self, method: str, params: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
        return super().message(method, params, **{CAPABILITIES_KEY: self.capabilities, **meta})

    def headers_for(self, message: dict[str, Any]) -> dict[str, str | None]:
        headers = super().headers_for(message)
        if message["method"].startswith("tasks/") and isinstance(message["params"].get("taskId"), str):
            headers["mcp-name"] = message["params"]["taskId"]
        return headers

    async def call(self, name: str, /, **arguments: Any) -> Any:
        return (await self.ask("tools/call", {"name": name, "arguments": arguments})).result

    async def start(self, name: str, /, **arguments: Any) -> str:
        """The id of the task that a call becomes."""
        found = await self.call(name, **arguments)
        assert found["resultType"] == "task", found
        return str(found["taskId"])

    async def get(self, task_id: str) -> Any:
        return (await self.ask("tasks/get", {"taskId": task_id})).result

    async def update(self, task_id: str, **answers: Any) -> Any:
        return (await self.ask("tasks/update", {"taskId": task_id, "inputResponses": answers})).result

    async def cancel(self, task_id: str) -> Answer:
        return await self.ask("tasks/cancel", {"taskId": task_id})

    async def wait(self, task_id: str, *statuses: str) -> Any:
        """The task, once it has one of these statuses."""
        async with asyncio.timeout(10):
            while (found := await self.get(task_id))["status"] not in statuses:
                await asyncio.sleep(0.005)
        return found

    async def end(self, task_id: str) -> Any:
        """The task, once it is over."""
        return await self.wait(task_id, "completed", "failed", "cancelled")


@asynccontextmanager
async def serving(*modules: Base, now: Callable[[], float] = time.time, **options: Any) -> AsyncIterator[TaskPeer]:
    """A client of a server with these modules, which ends its tasks in the end."""
    scope = Scope(Options(**options))
    scope.register(*modules)
    served = TaskPeer(scope.asgi())
    served.scope = scope
    if scope._registry.tasks is not None:
        served.tasks = scope._registry.tasks
        served.tasks._now = now
    try:
        yield served
    finally:
        await scope.end_tasks()


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator[TaskStore]:
    """The store at a URL; "" is memory."""
    if not url:
        yield MemoryTasks()
        return
    from sqlalchemy.ext.asyncio import create_async_engine

    from lazymcp.task_sql import SQLTasks

    engine = create_async_engine(url)
    try:
        yield SQLTasks(engine)
    finally:
        await engine.dispose()


def record(task_id: str = "t" * 32, **more: Any) -> TaskRecord:
    """A task that runs until 2,000 and is kept until 10,000."""
    known = {"owner": "ann", "module": "m", "tool": "m.work", "created_ms": 1_000, "updated_ms": 1_000, "expires_ms": 10_000}
    return TaskRecord(**{"id": task_id, "runner": "here", "lease_ms": 2_000, **known, **more})
