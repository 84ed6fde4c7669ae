"""`Bus`: news between the processes of one server, by topic. `MemoryBus` is the bus of a server that is one process.

What has to cross processes goes over it: changes that subscribers asked to hear of, and what belongs to the session of an older
client. A bus carries news, not state: who was not listening has missed it. `sql.PostgresBus` joins processes.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, Final, Protocol

__all__ = ["BACK", "Bus", "BusUnavailable", "Hear", "MemoryBus"]

# Where a bus tells the listeners of its own process that it hears the others again, and may have missed what they told meanwhile.
BACK: Final = "back"

log = logging.getLogger("lazymcp.bus")

Hear = Callable[[Any], None]


class BusUnavailable(Exception):
    """The news reached the listeners of this process, but not the others."""


class Bus(Protocol):
    """What a scope needs of a bus."""

    def listen(self, topic: str, hear: Hear, /) -> Callable[[], None]:
        """Hear what is published on a topic from now on, in the running event loop.

        Args:
            hear: called with each message; it returns at once and does not change the message. What it raises is logged.

        Returns:
            What stops it. Stopping twice is no mistake.
        """
        ...

    async def publish(self, topic: str, message: Any, /) -> None:
        """Tell every listener of the topic, in all processes and this one: at most once, in the order of one publisher.

        Args:
            message: any JSON.

        Raises:
            BusUnavailable: only the listeners of this process heard it.
        """
        ...


class _Listener:
    """Equal to itself alone: the same function may listen twice."""

    __slots__ = ("hear", "loop")

    def __init__(self, hear: Hear, loop: asyncio.AbstractEventLoop) -> None:
        self.hear = hear
        self.loop = loop


class MemoryBus:
    """A bus within one process. Its listeners may live in several event loops; each hears in its own."""

    def __init__(self) -> None:
        self._topics: dict[str, list[_Listener]] = {}

    def listen(self, topic: str, hear: Hear, /) -> Callable[[], None]:
        """Hear what is published on a topic from now on."""
        listener = _Listener(hear, asyncio.get_running_loop())
        self._topics.setdefault(topic, []).append(listener)

        def stop() -> None:
            listeners = self._topics.get(topic, [])
            with contextlib.suppress(ValueError):
                listeners.remove(listener)
            if not listeners:
                self._topics.pop(topic, None)

        return stop

    async def publish(self, topic: str, message: Any, /) -> None:
        """Tell the listeners of a topic."""
        self.tell(topic, message)

    def is_heard(self, topic: str) -> bool:
        """Whether anybody listens to a topic."""
        return topic in self._topics

    def tell(self, topic: str, message: Any) -> None:
        """Tell the listeners of a topic, those of the running loop at once."""
        here = asyncio.get_running_loop()
        for listener in tuple(self._topics.get(topic, ())):
            if listener.loop is here:
                _tell(listener.hear, topic, message)
            else:
                with contextlib.suppress(RuntimeError):  # a loop that is closed hears nothing
                    listener.loop.call_soon_threadsafe(_tell, listener.hear, topic, message)


def _tell(hear: Hear, topic: str, message: Any) -> None:
    try:
        hear(message)
    except Exception:
        log.exception("a listener of %r failed; the others heard the news all the same", topic)
