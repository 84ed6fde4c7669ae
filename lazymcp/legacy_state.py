"""`States`: the few things that an older client sets for its session, known to every process of the server.

A session id says what the client said in its handshake; what it asks for later (a log level, news of resources, the end) is told
to all processes over the bus. A process that starts later asks the others for what it has missed, before it reads its first
session id, and one whose bus was away asks again. Nothing is kept for a session that sets nothing.

State: bounded; what was set longest ago is forgotten first, and then the session is as it was in the beginning. Subscriptions,
which are what a client can make large, have a bound of their own.
"""

import asyncio
import contextlib
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lazymcp.bus import BACK, Bus, BusUnavailable, Hear
from lazymcp.legacy import DEFAULT_LEVEL

__all__ = ["State", "States"]

MAX_STATES: Final = 10_000
MAX_SUBSCRIBED: Final = 32 * 1024 * 1024
# How long the others have to tell what they know, and to hear what they are told. There may be no others.
ANSWER_S: Final = 0.25
HEARD_S: Final = 1.0

_TOPIC: Final = "older"
# What a URI costs besides its characters.
_EACH: Final = 200

log = logging.getLogger("lazymcp.legacy")

React = Callable[[Mapping[str, Any]], None]


@dataclass(slots=True)
class State:
    """What a client has set."""

    level: str = DEFAULT_LEVEL
    uris: dict[str, None] = field(default_factory=dict)
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class _Told:
    """What was told, and which processes have not heard it yet."""

    unheard: set[str]
    is_heard: asyncio.Event = field(default_factory=asyncio.Event)


class States:
    """One process's knowledge."""

    def __init__(self, bus: Bus, *, is_shared: bool, react: React) -> None:
        """Know nothing yet.

        Args:
            is_shared: whether there may be other processes on the bus.
            react: called with everything that is told, after it was written down.
        """
        self.known: OrderedDict[str, State] = OrderedDict()
        self._bus = bus
        self._is_shared = is_shared
        self._react = react
        self._name = secrets.token_hex(8)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stops: list[Callable[[], None]] = []
        self._catching_up: asyncio.Task[None] | None = None
        self._greeted = asyncio.Event()
        # Processes that were heard of. One that does not answer any more is taken for gone.
        self._others: set[str] = set()
        self._told: dict[str, _Told] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._sizes: OrderedDict[str, int] = OrderedDict()
        self._size = 0

    def is_ready(self) -> bool:
        """Whether this process hears what the others tell, and knows what they know."""
        return self._loop is asyncio.get_running_loop() and self._catching_up is None

    async def ready(self) -> None:
        """Begin to hear what is told, and find out what was told before."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            for stop in self._stops:
                stop()
            topics: dict[str, Hear] = {_TOPIC: self._hear, _own(self._name): self._hear_reply, BACK: self._hear_back}
            self._stops = [self._bus.listen(topic, hear) for topic, hear in topics.items()]
            self._loop, self._greeted = loop, asyncio.Event()
            self._catching_up = loop.create_task(self._catch_up()) if self._is_shared else None
        if self._catching_up is not None:
            await asyncio.shield(self._catching_up)

    async def tell(self, kind: str, session: str, **more: Any) -> None:
        """Tell every process.

        Raises:
            BusUnavailable: the others did not hear it.
        """
        await self.ready()
        await self._bus.publish(_TOPIC, {"kind": kind, "session": session, **more})

    async def settle(self, kind: str, session: str, **more: Any) -> None:
        """Tell every process, and wait until all that are there have heard it.

        Raises:
            BusUnavailable: the others did not hear it.
        """
        await self.ready()
        mark = secrets.token_hex(8)
        told = self._told[mark] = _Told({self._name, *self._others})
        try:
            await self._bus.publish(_TOPIC, {"kind": kind, "session": session, "mark": mark, "from": self._name, **more})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEARD_S):
                    await told.is_heard.wait()
            self._others -= told.unheard
        finally:
            del self._told[mark]

    async def _catch_up(self) -> None:
        try:
            await self._send(_TOPIC, {"kind": "hello", "from": self._name})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_S):
                    await self._greeted.wait()
        finally:
            self._catching_up = None

    def _hear_back(self, _: None) -> None:
        if self._catching_up is None:
            self._send_soon(_TOPIC, {"kind": "hello", "from": self._name})

    def _hear(self, message: Mapping[str, Any]) -> None:
        sender = message.get("from", self._name)
        if sender != self._name:
            self._others.add(sender)
        if message["kind"] == "hello":
            if sender != self._name:
                self._greet(sender)
            return
        self._note(message)
        self._react(message)
        if sender != self._name:
            self._send_soon(_own(sender), {"heard": message["mark"], "from": self._name})
        elif "mark" in message:
            self._strike_out(message["mark"], self._name)

    def _greet(self, sender: str) -> None:
        states: dict[str, Any] | None = None
        if self._catching_up is None:
            states = {session: [state.level, list(state.uris), state.is_over] for session, state in self.known.items()}
        self._send_soon(_own(sender), {"states": states, "from": self._name})

    def _hear_reply(self, message: Mapping[str, Any]) -> None:
        self._others.add(message["from"])
        if "heard" in message:
            self._strike_out(message["heard"], message["from"])
        elif message["states"] is not None:
            for session, (level, uris, is_over) in message["states"].items():
                if is_over and session in self.known and not self.known[session].is_over:
                    self._note({"kind": "end", "session": session})
                    self._react({"kind": "end", "session": session})
                elif session not in self.known:
                    self.known[session] = State(level, is_over=is_over)
                    for uri in uris:
                        self._subscribe(session, uri)
            self._greeted.set()

    def _strike_out(self, mark: str, name: str) -> None:
        if told := self._told.get(mark):
            told.unheard.discard(name)
            if not told.unheard:
                told.is_heard.set()

    def _send_soon(self, topic: str, message: Any) -> None:
        sending = asyncio.get_running_loop().create_task(self._send(topic, message))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    async def _send(self, topic: str, message: Any) -> None:
        try:
            await self._bus.publish(topic, message)
        except BusUnavailable:
            log.warning("processes could not tell each other what older clients have set", exc_info=True)

    def _note(self, message: Mapping[str, Any]) -> None:
        session = message["session"]
        match message["kind"]:
            case "level":
                self._state(session).level = message["level"]
            case "subscribe":
                self._subscribe(session, message["uri"])
            case "unsubscribe" if session in self.known and message["uri"] in self.known[session].uris:
                del self._state(session).uris[message["uri"]]
                self._weigh(session, -_EACH - len(message["uri"]))
            case "end":
                self._unsubscribe(session)
                self.known.pop(session, None)
                self._state(session).is_over = True

    def _subscribe(self, session: str, uri: str) -> None:
        uris = self._state(session).uris
        if uri not in uris:
            uris[uri] = None
            self._weigh(session, _EACH + len(uri))

    def _weigh(self, session: str, change: int) -> None:
        self._sizes[session] = self._sizes.pop(session, 0) + change
        self._size += change
        while self._size > MAX_SUBSCRIBED:
            self._unsubscribe(next(iter(self._sizes)))

    def _unsubscribe(self, session: str) -> None:
        self._size -= self._sizes.pop(session, 0)
        if state := self.known.get(session):
            state.uris.clear()

    def _state(self, session: str) -> State:
        state = self.known.setdefault(session, State())
        self.known.move_to_end(session)
        if len(self.known) > MAX_STATES:
            oldest = next(iter(self.known))
            self._unsubscribe(oldest)
            del self.known[oldest]
        return state


def _own(name: str) -> str:
    """Where a process is told something alone."""
    return f"{_TOPIC}:{name}"
