"""`Pen`: writes news to one client, one thing after the other, as fast as the client reads."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import Context as Variables
from contextvars import copy_context
from typing import Any, Final

from lazymcp.news import Key

__all__ = ["Pen", "Tell"]

# Nobody waits long for a client that does not read.
LAST_WORD_S: Final = 1.0

Tell = Callable[[str, dict[str, Any]], Awaitable[None]]

log = logging.getLogger("lazymcp.news")


class Pen:
    """Tells a client what it may know: a `news.Reader`.

    State: what waits to be written, one item at most for each thing. While something is written a task does it; an idle pen has
    none.
    """

    __slots__ = ("_is_held", "_is_readable", "_tell", "_variables", "_waiting", "_writing")

    def __init__(self, is_readable: Callable[[str], Awaitable[bool]], tell: Tell, *, is_held: bool = False) -> None:
        """Write with the rights of whoever is asking now.

        Args:
            is_readable: whether the client may read what stands under a URI.
            tell: sends a notification.
            is_held: whether nothing is written until `release`.
        """
        self._is_readable = is_readable
        self._tell = tell
        self._is_held = is_held
        # News arrives in the context of whoever published it; rights are those of the client.
        self._variables: Variables = copy_context()
        self._waiting: dict[Key, tuple[str, Mapping[str, Any]]] | None = None
        self._writing: asyncio.Task[None] | None = None

    def hear(self, key: Key, method: str, params: Mapping[str, Any], /) -> None:
        """Take a notification; it goes out as soon as the client has read what came before."""
        if self._waiting is None:
            self._waiting = {}
        self._waiting[key] = (method, params)
        self._begin()

    def release(self) -> None:
        """Write what was heard meanwhile, and what comes."""
        self._is_held = False
        self._begin()

    async def finish(self) -> bool:
        """Let what is being written reach the client; whether it did, and the client may hear a last word."""
        writing = self._writing
        return writing is None or bool((await asyncio.wait([writing], timeout=LAST_WORD_S))[0])

    def close(self) -> None:
        """Write nothing more."""
        self._is_held = True
        if self._writing is not None:
            self._writing.cancel()

    def _begin(self) -> None:
        if self._waiting and self._writing is None and not self._is_held:
            self._writing = asyncio.get_running_loop().create_task(self._write(), context=self._variables.copy())

    async def _write(self) -> None:
        while self._waiting:
            key = next(iter(self._waiting))
            method, params = self._waiting.pop(key)
            try:
                # An authorizer may have changed its mind since the client asked to hear of it.
                if key[0] != "resource" or await self._is_readable(key[1]):
                    await self._tell(method, dict(params))
            except Exception:
                log.exception("a notification of %r was lost", key[0])
        self._waiting = self._writing = None
