"""The methods of the tasks extension. SEP-2663.

Whoever does not declare the extension with the request is refused, whoever does not own the task learns nothing by its id, and
older clients have no such methods.
"""

import re
from typing import Any, Final

from lazymcp.caller import caller
from lazymcp.context import Context
from lazymcp.errors import Forbidden, InvalidParams, MethodNotFound
from lazymcp.protocol import VERSION_KEY
from lazymcp.registry import Registry, require_scopes
from lazymcp.task_steps import answered, cancelled
from lazymcp.task_store import TaskRecord
from lazymcp.task_wire import detailed, require_tasks
from lazymcp.tasks import Tasks

__all__ = ["cancel_task", "get_task", "owns_task", "update_task"]

# What `tasks.Tasks` makes; anything else never reaches the store.
_ID: Final = re.compile(r"[A-Za-z0-9_-]{32}")


async def get_task(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`tasks/get`. SEP-2663, "Task Polling"."""
    tasks, record = await _open(registry, params, ctx)
    return detailed(record, tasks.limits.poll_interval_ms)


async def update_task(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`tasks/update`: answers to what the task asks, all or some. SEP-2663, "Task Update Requests"."""
    tasks, record = await _open(registry, params, ctx)
    answers = params.get("inputResponses")
    if type(answers) is not dict:
        raise InvalidParams("inputResponses must be an object, an answer under the key of each question")
    for key in record.questions.keys() & answers.keys():
        if type(answers[key]) is not dict:
            raise InvalidParams(f"the answer {key!r} must be an object, the result of the request that it answers")
    await tasks.change(record.id, answered(answers, tasks.now_ms()))
    return {}


async def cancel_task(registry: Registry, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    """`tasks/cancel`; of a task that is over it is acknowledged too. SEP-2663, "Task Cancellation"."""
    tasks, record = await _open(registry, params, ctx)
    await tasks.change(record.id, cancelled(tasks.now_ms()))
    return {}


async def owns_task(registry: Registry, ctx: Context, task_id: str) -> bool:
    """Whether there is such a task and the caller may hear of it, for `subscriptions/listen`.

    Raises:
        MissingCapability: the caller does not take tasks. SEP-2663, "Task Status Notifications".
    """
    if registry.tasks is None:
        return False
    require_tasks(ctx)
    try:
        return await _find(registry, registry.tasks, task_id) is not None
    except (InvalidParams, Forbidden):
        return False


async def _open(registry: Registry, params: dict[str, Any], ctx: Context) -> tuple[Tasks, TaskRecord]:
    tasks = registry.tasks
    if tasks is None or VERSION_KEY not in ctx.meta:
        raise MethodNotFound("no tool of this server runs as a task" if tasks is None else "there are no tasks in this revision")
    require_tasks(ctx)
    return tasks, await _find(registry, tasks, params.get("taskId"))


async def _find(registry: Registry, tasks: Tasks, task_id: Any) -> TaskRecord:
    """The task of an id, if it is the caller's. What is somebody else's is answered exactly like what is nobody's.

    Raises:
        InvalidParams: there is none.
        Forbidden: the token lacks a scope that the task's tool declares.
    """
    if type(task_id) is not str:
        raise InvalidParams("taskId must be a string")
    record = await tasks.find(task_id) if _ID.fullmatch(task_id) else None
    if record is None or record.owner != caller() or not await registry.allows(record.module):
        raise InvalidParams(f"no task is known as {task_id[:100]!r}; it may have expired")
    tool = registry.tools.get(record.tool)
    if tool is not None and tool.scopes:
        require_scopes(tool.scopes)
    return record
