"""What the peer may read about a function that failed: one safe sentence. The traceback goes to the log, under the id it names."""

import asyncio
import logging
import re
import secrets
from contextvars import ContextVar
from typing import Final

from lazyauth import AuthError
from lazymcp.asking import InputRequired, leaves, stops
from lazymcp.errors import Forbidden, InternalError, InvalidParams, MCPError, ToolError

__all__ = ["explain", "failure_id_of", "pages_of", "refusal"]

logger = logging.getLogger("lazymcp")

#: What stands before the id in the address of a failure's page. Empty, which is the rule, when there is none to lead to: only who
#: serves a developer on this machine sets it, for a request.
pages_of: Final[ContextVar[str]] = ContextVar("lazymcp_pages_of", default="")

_SPOKEN = (ToolError, AuthError)
_MEANT = (*_SPOKEN, MCPError, Forbidden)
_BEFORE_ID: Final = "failed; the details are in the server's log under "
_ID: Final = re.compile(f"{re.escape(_BEFORE_ID)}([0-9a-f]{{8}})")


def explain(problem: BaseException, what: str) -> str:
    """One sentence about the failure of a function, which may do anything: call sys.exit, be cancelled by its own library.

    Args:
        problem: what it raised; call this inside an `except BaseException`, so that no function ends more than its own request.
        what: the function, as the peer knows it, e.g. `tool admin.user_count`.

    Raises:
        BaseException: the problem itself when it is no failure: an error meant for the peer, a question to the client, or this
            request's own end.
    """
    if isinstance(problem, BaseExceptionGroup):
        problem = _unwrapped(problem)
    if isinstance(problem, _SPOKEN):
        return str(problem) or f"{what} refused"
    if isinstance(problem, (MCPError, Forbidden, InputRequired)) or _ends_the_request(problem):
        raise problem
    failure_id = secrets.token_hex(4)
    logger.error("%s failed [%s]", what, failure_id, exc_info=problem, extra={"failure_id": failure_id})
    told = f"{what} {_BEFORE_ID}{failure_id}"
    return f"{told} and at {pages}{failure_id}" if (pages := pages_of.get()) else told


def failure_id_of(text: str) -> str:
    """The id that a sentence of `explain` names, under which the traceback was logged; "" in any other text."""
    match = _ID.search(text)
    return match[1] if match else ""


def refusal(problem: BaseException, what: str) -> MCPError:
    """The same for what has no result of its own to fail with, a resource or a prompt: an error for the peer. Raises likewise."""
    if isinstance(problem, BaseExceptionGroup):
        problem = _unwrapped(problem)
    sentence = explain(problem, what)
    return InvalidParams(sentence) if isinstance(problem, _SPOKEN) else InternalError(sentence)


def _unwrapped(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What a task group stands for, where that is one thing for the peer: questions, or a single refusal. Else the group itself."""
    stop = stops(group)
    if stop is not None:
        return stop
    first, *others = leaves(group)
    return first if not others and isinstance(first, _MEANT) else group


def _ends_the_request(problem: BaseException) -> bool:
    """Whether somebody ends this request, rather than the function having raised the same of its own.

    A Ctrl-C is no case of its own: `asyncio.run` makes it a cancellation of the main task.
    """
    if isinstance(problem, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(problem, GeneratorExit) and not _has_loop()


def _has_loop() -> bool:
    """Whether a loop runs: a request that is left when its loop ends is thrown away, which closes its coroutine."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
