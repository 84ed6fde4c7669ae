"""`Desk`: what the processes of a server have to tell each other about the sessions of older clients.

A session id says all that a request needs (`sessions.py`). What is longer than a request comes here: a question that waits for its
answer.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from lazymcp.jsonrpc import Message
from lazymcp.questions import Questions
from lazymcp.registry import Registry
from lazymcp.sessions import Session

__all__ = ["Desk"]

Send = Callable[[dict[str, Any]], Awaitable[None]]


class Desk:
    """One process's part."""

    def __init__(self, registry: Registry) -> None:
        self.endpoint = registry.options.endpoint
        self._questions = Questions(registry.bus, registry.options.question_timeout_s)

    async def ask(self, session: Session, method: str, params: dict[str, Any], send: Send) -> Any:
        """The result with which a client answers a question."""
        return await self._questions.ask(session.key, method, params, send)

    async def hear(self, session: Session, message: Message) -> None:
        """Take in what is no request: a notification, or the answer to a question."""
        if message.kind == "response":
            await self._questions.answer(session.key, message)
