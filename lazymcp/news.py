"""`News`: what changed, from the bus to whoever asked to hear of it.

News is a hint: "ask again". So what has not been told yet is not told twice, and nothing here grows: at most one item waits for
each thing that somebody watches. Two thousand readers are told a few at a time, and requests are answered in between.

State: who watches what, by event loop, for as long as anybody does.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

from lazymcp.bus import Bus, BusUnavailable

__all__ = ["PROMPTS", "RESOURCES", "TOOLS", "TOPIC", "Key", "News", "Reader", "resource_key", "task_key"]

TOPIC: Final = "news"

Key = tuple[str, str]

TOOLS: Final[Key] = ("tools", "")
PROMPTS: Final[Key] = ("prompts", "")
RESOURCES: Final[Key] = ("resources", "")

_AT_ONCE: Final = 64
_LISTS: Final[Mapping[str, Key]] = {key[0]: key for key in (TOOLS, PROMPTS, RESOURCES)}


log = logging.getLogger("lazymcp.news")


def resource_key(uri: str) -> Key:
    """The key of a change to one resource."""
    return ("resource", uri)


def task_key(task_id: str) -> Key:
    """The key of a change to one task."""
    return ("task", task_id)


class Reader(Protocol):
    """Who watches."""

    def hear(self, key: Key, method: str, params: Mapping[str, Any], /) -> None:
        """Take a notification to be sent; returns at once."""
        ...


class News:
    """Who watches what."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._audiences: dict[asyncio.AbstractEventLoop, _Audience] = {}

    async def publish(self, message: Mapping[str, Any]) -> None:
        """Tell readers in all processes; a loss is logged, for whoever has changed something cannot do anything about it."""
        try:
            await self._bus.publish(TOPIC, message)
        except BusUnavailable as problem:
            log.warning("subscribers in other processes did not hear that %s changed: %s", message["kind"], problem)

    def watch(self, keys: Iterable[Key], reader: Reader) -> Callable[[], None]:
        """Hear of these things from now on, in the running loop.

        Returns:
            What stops it.
        """
        loop = asyncio.get_running_loop()
        audience = self._audiences.get(loop)
        if audience is None:
            audience = self._audiences[loop] = _Audience(self._bus, loop)
        audience.add(keys, reader)

        def stop() -> None:
            audience.remove(keys, reader)
            if not audience.readers and self._audiences.get(loop) is audience:
                del self._audiences[loop]
                audience.close()

        return stop


class _Audience:
    """The readers of one event loop."""

    def __init__(self, bus: Bus, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.readers: dict[Key, dict[Reader, None]] = {}
        self._waiting: dict[Key, tuple[str, Mapping[str, Any]]] = {}
        self._telling: Iterator[None] | None = None
        self.close = bus.listen(TOPIC, self._hear)

    def add(self, keys: Iterable[Key], reader: Reader) -> None:
        for key in keys:
            self.readers.setdefault(key, {})[reader] = None

    def remove(self, keys: Iterable[Key], reader: Reader) -> None:
        for key in keys:
            readers = self.readers.get(key, {})
            readers.pop(reader, None)
            if not readers:
                self.readers.pop(key, None)

    def _hear(self, message: Mapping[str, Any]) -> None:
        item = _read(message)
        if item is None or item[0] not in self.readers:
            return
        key, method, params = item
        self._waiting[key] = (method, params)
        if self._telling is None:
            self._telling = self._tell()
            self._go_on()

    def _go_on(self) -> None:
        if self._telling is None:
            return
        for _ in range(_AT_ONCE):
            if next(self._telling, self) is self:
                self._telling = None
                return
        self._loop.call_soon(self._go_on)

    def _tell(self) -> Iterator[None]:
        while self._waiting:
            key = next(iter(self._waiting))
            method, params = self._waiting.pop(key)
            for reader in tuple(self.readers.get(key, ())):
                if reader in self.readers.get(key, ()):  # who has left meanwhile hears nothing more
                    reader.hear(key, method, params)
                    yield None


def _read(message: Mapping[str, Any]) -> tuple[Key, str, Mapping[str, Any]] | None:
    """A message of the bus as a notification; None for kinds that a newer process may send."""
    kind = message["kind"]
    if kind in _LISTS:
        return _LISTS[kind], f"notifications/{kind}/list_changed", {}
    if kind == "resource":
        return resource_key(message["uri"]), "notifications/resources/updated", {"uri": message["uri"]}
    if kind == "task":
        return task_key(message["taskId"]), "notifications/tasks", message["params"]
    return None
