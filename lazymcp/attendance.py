"""`Attendance`: being there while a handler takes its time.

A handler that is done at once never comes here, and one that is done within WATCH_AFTER_S costs a timer. Only one that goes on
waiting gets a companion task, which looks out for the client's leaving and keeps a silent stream alive.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

from lazymcp.exchange import Exchange
from lazymcp.streams import KEEP_ALIVE_S, ClientLeft

__all__ = ["Attendance"]

T = TypeVar("T")

WATCH_AFTER_S: Final = 0.05


class Attendance:
    """One handler that is not done at once."""

    __slots__ = ("_exchange", "_has_ended", "_is_cancelled", "_task")

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._task: asyncio.Task[Any] | None = None
        self._has_ended = False
        self._is_cancelled = False

    async def wait(self, rest: Awaitable[T], *, cancels: bool) -> T:
        """Wait for the handler.

        Args:
            rest: what `begin` left over.
            cancels: whether the client's leaving ends the handler.

        Raises:
            ClientLeft: the client left or cancelled its request, and the handler has ended.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        self._task = task
        session, calls = self._exchange.session, self._exchange.desk.calls
        if session is not None:
            calls[session.key, self._exchange.request_id] = self
        companions: list[asyncio.Task[None]] = []
        timer = loop.call_later(WATCH_AFTER_S, lambda: companions.append(loop.create_task(self._accompany(cancels))))
        try:
            return await rest
        except asyncio.CancelledError:
            if not self._has_ended or task is None:
                raise
            task.uncancel()
        finally:
            timer.cancel()
            for companion in companions:
                companion.cancel()
            if session is not None and calls.get((session.key, self._exchange.request_id)) is self:
                del calls[session.key, self._exchange.request_id]
        if self._is_cancelled:
            await self._exchange.leave_unanswered()
        raise ClientLeft

    def cancel(self) -> None:
        """End the handler, unanswered: another request of the client said so. MCP 2025-11-25, basic/utilities/cancellation."""
        self._is_cancelled = True
        self._end()

    def _end(self) -> None:
        if self._task is not None and not self._has_ended:
            self._has_ended = True
            self._task.cancel()

    async def _accompany(self, cancels: bool) -> None:
        exchange = self._exchange
        while True:
            try:
                async with asyncio.timeout(KEEP_ALIVE_S):
                    await exchange.gone()
            except TimeoutError:
                if exchange.takes_stream:
                    await exchange.keep_alive()
                continue
            if cancels:
                self._end()
            return
