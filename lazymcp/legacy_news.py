"""`Ear`: what older clients hear of besides answers.

Over HTTP it fills the stream of GET, over stdio it speaks between the answers.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from typing import Any

from lazymcp.methods import is_readable
from lazymcp.news import PROMPTS, RESOURCES, TOOLS, Key, resource_key
from lazymcp.registry import Registry

__all__ = ["Ear", "Tell"]

Tell = Callable[[str, dict[str, Any]], Awaitable[None]]

log = logging.getLogger("lazymcp.legacy")


class Ear:
    """Hears, for an older client, that lists and the resources it subscribed to have changed: a `news.Reader`.

    State: what is yet to be told, one item at most for each thing; a task writes while there is any.
    """

    def __init__(self, registry: Registry, uris: Mapping[str, None], tell: Tell) -> None:
        """Begin to hear, with the rights of whoever is asking now.

        Args:
            uris: the resources, more of which may come.
            tell: sends a notification.
        """
        self._registry = registry
        self._tell = tell
        self._variables = copy_context()
        self._waiting: dict[Key, tuple[str, Mapping[str, Any]]] = {}
        self._pen: asyncio.Task[None] | None = None
        self._stops = {key: registry.news.watch([key], self) for key in (TOOLS, PROMPTS, RESOURCES, *map(resource_key, uris))}

    def subscribe(self, uri: str) -> None:
        """Hear of a resource too."""
        key = resource_key(uri)
        if key not in self._stops:
            self._stops[key] = self._registry.news.watch([key], self)

    def unsubscribe(self, uri: str) -> None:
        """Hear no more of it."""
        if stop := self._stops.pop(resource_key(uri), None):
            stop()

    def hear(self, key: Key, method: str, params: Mapping[str, Any], /) -> None:
        """Take a notification; it goes out as soon as the client has read what came before."""
        self._waiting[key] = (method, params)
        if self._pen is None:
            self._pen = asyncio.get_running_loop().create_task(self._write(), context=self._variables.copy())

    def close(self) -> None:
        """Hear nothing more."""
        for stop in self._stops.values():
            stop()
        self._stops = {}
        if self._pen is not None:
            self._pen.cancel()

    async def _write(self) -> None:
        try:
            while self._waiting:
                key = next(iter(self._waiting))
                method, params = self._waiting.pop(key)
                await self._pass_on(key, method, params)
        finally:
            self._pen = None

    async def _pass_on(self, key: Key, method: str, params: Mapping[str, Any]) -> None:
        try:
            # An authorizer may have changed its mind since the client subscribed.
            if key[0] != "resource" or await is_readable(self._registry, key[1]):
                await self._tell(method, dict(params))
        except Exception:
            log.exception("a notification of %r was lost", key[0])
