"""What can happen to a task, each as a step on its record (`task_store.Step`). Rules only: nothing here waits or writes.

A step returns None when it comes too late or there is nothing to do. `kept_by` fences those of a running function: one that has
lost its task, to a cancellation or to another process, changes nothing any more.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from lazymcp.errors import InternalError, MCPError
from lazymcp.task_store import Status, Step, TaskRecord

__all__ = [
    "MAX_ATTEMPTS",
    "answered",
    "asked",
    "cancelled",
    "completed",
    "failed_with",
    "interrupted",
    "kept_by",
    "lost",
    "resumed",
    "said",
    "withdrawn",
]

# A task that ends its process each time it runs must not end all of them, one after the other.
MAX_ATTEMPTS: Final = 3

_MAX_MESSAGE: Final = 2_000
_RESTARTED: Final = "the server was restarted while this task was running; call the tool again"


def kept_by(runner: str, step: Step) -> Step:
    """The same step, for a task that this runner still holds."""

    def fenced(record: TaskRecord) -> TaskRecord | None:
        return None if record.is_over or record.runner != runner else step(record)

    return fenced


def asked(questions: Mapping[str, Any], stale: Collection[str], now_ms: int) -> Step:
    """Questions wait for the client. What it answered before, or is being asked already, is not asked again.

    Args:
        stale: keys of questions that an interrupted function put, and that this one puts differently.
    """

    def step(record: TaskRecord) -> TaskRecord | None:
        kept = {key: value for key, value in record.questions.items() if key not in stale}
        new = {key: value for key, value in questions.items() if key not in record.answers and key not in kept}
        if not new and len(kept) == len(record.questions):
            return None
        return _asking(record, {**kept, **new}, now_ms)

    return step


def answered(answers: Mapping[str, Any], now_ms: int) -> Step:
    """The client answered some questions; what nobody asks is ignored. SEP-2663, "Task Update Requests"."""

    def step(record: TaskRecord) -> TaskRecord | None:
        new = {key: value for key, value in answers.items() if key in record.questions}
        if record.is_over or not new:
            return None
        known = {key: {"question": record.questions[key], "result": result} for key, result in new.items()}
        return replace(_without(record, new, now_ms), answers={**record.answers, **known})

    return step


def withdrawn(questions: Mapping[str, Any], now_ms: int) -> Step:
    """Nobody waits for these answers any more."""
    return lambda record: _without(record, questions, now_ms)


def said(text: str, now_ms: int) -> Step:
    """What the task is doing, for people."""
    return lambda record: replace(record, message=text[:_MAX_MESSAGE], updated_ms=now_ms)


def completed(result: Mapping[str, Any], now_ms: int) -> Step:
    """The tool has a result, an `isError` one included."""
    # SEP-2663, "Task Execution Errors": exactly what the request would have been answered with.
    return lambda record: _over(record, "completed", now_ms, {**result, "resultType": "complete"})


def failed_with(problem: MCPError, now_ms: int) -> Step:
    """A JSON-RPC error ended the task; nothing else makes it "failed"."""
    return lambda record: _over(record, "failed", now_ms, problem.to_dict(), problem.message)


def cancelled(now_ms: int) -> Step:
    """The client wants it no longer."""
    return lambda record: None if record.is_over else _over(record, "cancelled", now_ms, None, "the client cancelled the task")


def interrupted(now_ms: int) -> Step:
    """The process that runs it ends: somebody else may go on at once, where going on is possible."""

    def step(record: TaskRecord) -> TaskRecord:
        if record.recipe:
            # An orderly end is no attempt that failed: a task may wait for its answer through any number of releases. It is never
            # the first one again, because the questions of the next may be others.
            return replace(record, runner="", lease_ms=0, attempts=max(1, record.attempts - 1))
        return _restarted(record, now_ms)

    return step


def lost(now_ms: int) -> Step:
    """The process that ran it is gone, and nobody goes on."""
    return lambda record: _restarted(record, now_ms) if _is_abandoned(record, now_ms) else None


def resumed(runner: str, lease_ms: int, now_ms: int) -> Step:
    """The process that ran it is gone, and this one goes on; or nobody does, when it was tried often enough."""

    def step(record: TaskRecord) -> TaskRecord | None:
        if not _is_abandoned(record, now_ms):
            return None
        if not record.recipe or record.attempts >= MAX_ATTEMPTS:
            return _restarted(record, now_ms)
        return replace(record, runner=runner, lease_ms=lease_ms, attempts=record.attempts + 1, updated_ms=now_ms)

    return step


def _is_abandoned(record: TaskRecord, now_ms: int) -> bool:
    return not record.is_over and record.lease_ms < now_ms


def _restarted(record: TaskRecord, now_ms: int) -> TaskRecord:
    problem = InternalError(_RESTARTED)
    return _over(record, "failed", now_ms, problem.to_dict(), problem.message)


def _without(record: TaskRecord, keys: Mapping[str, Any], now_ms: int) -> TaskRecord:
    return _asking(record, {key: value for key, value in record.questions.items() if key not in keys}, now_ms)


def _asking(record: TaskRecord, questions: Mapping[str, Any], now_ms: int) -> TaskRecord:
    return replace(record, status="input_required" if questions else "working", questions=questions, updated_ms=now_ms)


def _over(record: TaskRecord, status: Status, now_ms: int, outcome: Mapping[str, Any] | None, message: str = "") -> TaskRecord:
    """A record that nothing will change any more; what only a running task needs is forgotten."""
    return replace(
        record,
        status=status,
        outcome=outcome,
        message=message[:_MAX_MESSAGE],
        updated_ms=now_ms,
        lease_ms=0,
        questions={},
        answers={},
        recipe={},
    )
