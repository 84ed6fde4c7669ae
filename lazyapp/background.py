"""Work that an action leaves for after its answer.

It runs in the request that left it: a server that ends waits for it as for the request, and who is signed in and the request's id
can still be asked for. The request's own services cannot: they are closed before the answer is sent.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from fastapi import Response
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from lazyapp.current import current

log = logging.getLogger("lazyapp")

Work = Callable[[], Any]


class Later(BackgroundTask):
    """Pieces of work, one after the other. One that fails is logged with the request's id and keeps none of the others.

    Args:
        work: functions, async or not; those that are not run in a thread.
        before: what the response was to do after it is sent already.
    """

    def __init__(self, work: Sequence[Work], before: Callable[[], Awaitable[None]] | None) -> None:
        self._work = work
        self._before = before

    async def __call__(self) -> None:
        """Do it all."""
        for each in (self._before, *self._work) if self._before is not None else self._work:
            try:
                await _done(each)
            except Exception:
                here = current.get()
                log.exception("request %s: %s failed after its answer", here.request_id if here else "none", _name(each))


def left_behind(response: Response, work: Sequence[Work]) -> Response:
    """The response, with work that is done once it was sent."""
    response.background = Later(work, response.background)
    return response


async def _done(work: Work) -> None:
    function = work.func if isinstance(work, partial) else work
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        await work()
    else:
        await run_in_threadpool(work)


def _name(work: Work) -> str:
    function = work.func if isinstance(work, partial) else work
    return getattr(function, "__qualname__", type(function).__name__)
