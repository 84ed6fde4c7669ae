"""What the peer may read about a function that failed: one safe sentence. The traceback goes to the log, under the id it names."""

import asyncio
import logging
import secrets
from typing import Final

from lazyauth import AuthError
from lazymcp.errors import Forbidden, InternalError, InvalidParams, MCPError, ToolError

__all__ = ["FAILURES", "explain", "refusal"]

logger = logging.getLogger("lazymcp")

# What a function may do to us without harming others: raise anything, call sys.exit, be cancelled by its own library.
FAILURES: Final = (Exception, asyncio.CancelledError, SystemExit, BaseExceptionGroup)
_SPOKEN: Final = (ToolError, AuthError)


def explain(problem: BaseException, what: str) -> str:
    """One sentence about the failure of a function.

    Args:
        problem: what it raised, one of FAILURES; call this inside the `except` clause.
        what: the function, as the peer knows it, e.g. `tool admin.user_count`.

    Raises:
        BaseException: the problem itself when it is no failure: an error meant for the peer, or this request's own end.
    """
    if isinstance(problem, _SPOKEN):
        return str(problem) or f"{what} refused"
    if isinstance(problem, (MCPError, Forbidden)) or (isinstance(problem, asyncio.CancelledError) and _is_ours_to_end()):
        raise problem
    failure_id = secrets.token_hex(4)
    logger.error("%s failed [%s]", what, failure_id, exc_info=problem)
    return f"{what} failed; the details are in the server's log under {failure_id}"


def refusal(problem: BaseException, what: str) -> MCPError:
    """The same for what has no result of its own to fail with, a resource or a prompt: an error for the peer. Raises likewise."""
    sentence = explain(problem, what)
    return InvalidParams(sentence) if isinstance(problem, _SPOKEN) else InternalError(sentence)


def _is_ours_to_end() -> bool:
    """Whether somebody cancelled this request, rather than the function having raised CancelledError of its own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
