"""What is kept of a task, the contract of the stores that keep it, and `MemoryTasks`, the store of a server that is one process.

A task is a record that several processes may want to change at the same moment: the one that runs it, the one that a client's
answer or cancellation reached, the one that finds it abandoned. Each change is therefore a small pure function, a step, that the
store runs on the newest record and writes in one act. Steps never touch a task that is over, so nobody late can revive it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol

from lazymcp.errors import ToolError

__all__ = ["OVER", "MemoryTasks", "Status", "Step", "TaskRecord", "TaskStore"]

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]

# SEP-2663, "Task Status": nothing follows these.
OVER: Final = frozenset({"completed", "failed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecord:
    """A task as it is kept. Times are Unix milliseconds.

    Attributes:
        id: unguessable; whoever is not the owner learns nothing by it.
        owner: who may ask for it, as `caller.caller` writes it; "" where nobody signs in.
        module, tool: what it runs, by full name.
        message: what it is doing, for people.
        runner: the process that runs it, by a name of its own choosing.
        lease_ms: until when that process need not be heard of; later anybody may take the task over.
        expires_ms: until when it is kept.
        attempts: how often it was begun; one that ended in good order counts once.
        revision: rises with each change; the store counts it.
        recipe: what running it again takes; empty for a tool that must not run twice.
        questions: requests to the client that wait for an answer, by key, as they go on the wire.
        answers: what the client answered, by key: the `question`, and its `result`.
        outcome: the result, or the JSON-RPC error of a failed task.
    """

    id: str
    owner: str
    module: str
    tool: str
    created_ms: int
    updated_ms: int
    expires_ms: int
    status: Status = "working"
    message: str = ""
    runner: str = ""
    lease_ms: int = 0
    attempts: int = 1
    revision: int = 0
    recipe: Mapping[str, Any] = field(default_factory=dict)
    questions: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    outcome: Mapping[str, Any] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing will change it any more."""
        return self.status in OVER


Step = Callable[[TaskRecord], TaskRecord | None]


class TaskStore(Protocol):
    """Keeps tasks. `MemoryTasks` serves one process; `SQLTasks` any number of them.

    What a method has returned is durable: it survives the process, where the store outlives processes at all. Records are JSON
    through and through. A store never interprets them beyond the fields that its methods name.
    """

    async def create(self, task: TaskRecord, /) -> None:
        """Keep a new task.

        Raises:
            ToolError: there is no room for another one.
        """
        ...

    async def find(self, task_id: str, /) -> TaskRecord | None:
        """The newest record, as the last finished `create`, `change` or `renew` of any process left it."""
        ...

    async def change(self, task_id: str, step: Step, /) -> TaskRecord | None:
        """Let a step change a task, in one act: nobody changes the task between what the step sees and what is written.

        Args:
            step: gets the newest record and returns what shall be written, or None to leave it. It does nothing else, and may be
                called more than once.

        Returns:
            What was written, with the next revision; None when there is no such task or the step left it.
        """
        ...

    async def renew(self, runner: str, lease_ms: int, expires_ms: int, /) -> Mapping[str, int]:
        """Extend the lease and the life of every task of a runner that is not over; neither ever gets shorter by this.

        Returns:
            The revision of each, by id. What the runner believes to run and is not here has been taken from it.
        """
        ...

    async def abandoned(self, now_ms: int, /) -> Sequence[str]:
        """The ids of some tasks that are not over and whose lease has ended."""
        ...

    async def purge(self, now_ms: int, /) -> int:
        """Forget the tasks that have expired and are over, or whose lease has ended; how many."""
        ...


class MemoryTasks:
    """Tasks in the memory of one process, lost with it. Everything happens in single steps of the event loop.

    State: one dictionary of records, and how many each owner has; records themselves never change.
    """

    def __init__(self, limit: int = 10_000, per_caller: int = 1_000) -> None:
        """Make an empty store.

        Args:
            limit: how many tasks it keeps, those included that are over and not yet expired.
            per_caller: how many of them may be one signed-in caller's, so that nobody can fill it for all.
        """
        self._limit, self._per_caller = limit, per_caller
        self._tasks: dict[str, TaskRecord] = {}
        self._owned: Counter[str] = Counter()

    async def create(self, task: TaskRecord, /) -> None:
        """Keep a new task."""
        if self._is_full(task.owner):
            await self.purge(task.created_ms)
        if len(self._tasks) >= self._limit:
            raise ToolError(f"this server keeps {self._limit} tasks and has no room for another one; try again later")
        if self._is_full(task.owner):
            raise ToolError(f"you have {self._per_caller} tasks here, as many as you may; try again when some have expired")
        self._tasks[task.id] = task
        self._owned[task.owner] += 1

    async def find(self, task_id: str, /) -> TaskRecord | None:
        """The newest record."""
        return self._tasks.get(task_id)

    async def change(self, task_id: str, step: Step, /) -> TaskRecord | None:
        """Let a step change a task."""
        found = self._tasks.get(task_id)
        changed = None if found is None else step(found)
        if found is None or changed is None:
            return None
        changed = self._tasks[task_id] = replace(changed, revision=found.revision + 1)
        return changed

    async def renew(self, runner: str, lease_ms: int, expires_ms: int, /) -> Mapping[str, int]:
        """Extend the lease and the life of a runner's tasks."""
        held = [task for task in self._tasks.values() if task.runner == runner and not task.is_over]
        for task in held:
            lease, expires = max(task.lease_ms, lease_ms), max(task.expires_ms, expires_ms)
            self._tasks[task.id] = replace(task, lease_ms=lease, expires_ms=expires)
        return {task.id: task.revision for task in held}

    async def abandoned(self, now_ms: int, /) -> Sequence[str]:
        """The ids of tasks whose runner is gone."""
        return [task.id for task in self._tasks.values() if not task.is_over and task.lease_ms < now_ms]

    async def purge(self, now_ms: int, /) -> int:
        """Forget what has expired."""
        old = [task.id for task in self._tasks.values() if task.expires_ms < now_ms and (task.is_over or task.lease_ms < now_ms)]
        for task_id in old:
            owner = self._tasks.pop(task_id).owner
            self._owned[owner] -= 1
            if not self._owned[owner]:
                del self._owned[owner]
        return len(old)

    def _is_full(self, owner: str) -> bool:
        return len(self._tasks) >= self._limit or (owner != "" and self._owned[owner] >= self._per_caller)
