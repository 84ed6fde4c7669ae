"""The words of the tasks extension: what clients read of a task, and whether a client reads tasks at all. SEP-2663."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lazymcp.context import Context
from lazymcp.errors import MissingCapability
from lazymcp.protocol import TASKS_EXTENSION, VERSION_KEY
from lazymcp.task_store import TaskRecord

__all__ = ["created", "detailed", "require_tasks", "takes_tasks"]


def takes_tasks(ctx: Context) -> bool:
    """Whether the client takes a task for an answer: this very request must say so, and be of today's revision.

    SEP-2663, "Capability Negotiation". What an older client declared in its handshake was another, experimental, kind of tasks.
    """
    extensions = ctx.capabilities.get("extensions")
    return isinstance(extensions, Mapping) and isinstance(extensions.get(TASKS_EXTENSION), Mapping) and VERSION_KEY in ctx.meta


def require_tasks(ctx: Context) -> None:
    """Refuse a request that does not declare the extension.

    Raises:
        MissingCapability: naming it.
    """
    if not takes_tasks(ctx):
        raise MissingCapability({"extensions": {TASKS_EXTENSION: {}}})


def created(record: TaskRecord, poll_ms: int) -> dict[str, Any]:
    """The answer to a request that became a task. SEP-2663, "Task Creation"."""
    return {**_common(record, poll_ms), "resultType": "task"}


def detailed(record: TaskRecord, poll_ms: int) -> dict[str, Any]:
    """A task with its result, error or open questions: for `tasks/get` and `notifications/tasks`. SEP-2663, "Task Status"."""
    found = _common(record, poll_ms)
    if record.status == "input_required":
        found["inputRequests"] = dict(record.questions)
    elif record.status == "completed":
        found["result"] = dict(record.outcome or {})
    elif record.status == "failed":
        found["error"] = dict(record.outcome or {})
    return found


def _common(record: TaskRecord, poll_ms: int) -> dict[str, Any]:
    found: dict[str, Any] = {"taskId": record.id, "status": record.status}
    if record.message:
        found["statusMessage"] = record.message
    found["createdAt"], found["lastUpdatedAt"] = _instant(record.created_ms), _instant(record.updated_ms)
    found["ttlMs"] = max(1, record.expires_ms - record.created_ms)
    if not record.is_over:
        found["pollIntervalMs"] = poll_ms
    return found


def _instant(ms: int) -> str:
    """ISO 8601, in UTC, to the millisecond."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
