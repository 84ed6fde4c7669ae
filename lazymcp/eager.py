"""`begin`: run an awaitable up to its first wait, here and now.

Most requests wait for nothing: their body has arrived, their tool computes. For those, a timer that guards against stalling or a
task that looks out for the client's leaving would be the greater part of the cost. So they are begun first, and guarded only when
they have to wait. It is what Python 3.12 calls an eager task, without the task.
"""

import types
from collections.abc import Awaitable, Generator
from typing import Any, TypeVar

__all__ = ["begin"]

T = TypeVar("T")


def begin(awaitable: Awaitable[T]) -> tuple[Any, Awaitable[T] | None]:
    """Start an awaitable in the current task.

    Returns:
        The result and None when it is done already; else None and the rest, which the caller must await in the same task.
    """
    steps = awaitable.__await__()
    try:
        waited_for = next(steps)
    except StopIteration as done:
        return done.value, None
    return None, _rest(steps, waited_for)


@types.coroutine
def _rest(steps: Generator[Any, Any, T], waited_for: Any) -> Generator[Any, Any, T]:
    try:
        yield waited_for
    except BaseException as problem:
        # A cancellation, usually: it belongs to what is waiting, which may still clean up and wait again.
        try:
            waited_for = steps.throw(problem)
        except StopIteration as done:
            value: T = done.value
            return value
        return (yield from _rest(steps, waited_for))
    return (yield from steps)
