"""`Desk`: where the threads of older clients come together, whose conversations are longer than a request.

A session id says all that most requests need (`sessions.py`). What is longer comes here: a question that waits for its answer, a
request that may be cancelled by another one, a stream that a client lost and asks for again, what it set for its session, its end.
Any process may serve the next request, so each of these is told to all of them (`legacy_state.py`).
"""

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol

from lazymcp.bus import BusUnavailable
from lazymcp.errors import InvalidParams, InvalidRequest
from lazymcp.journal import Journal, Journals
from lazymcp.jsonrpc import Message, RequestId
from lazymcp.legacy import MAX_SUBSCRIPTIONS, check_length, check_level, check_uri
from lazymcp.legacy_state import State, States
from lazymcp.questions import Questions
from lazymcp.registry import Registry
from lazymcp.sessions import Session, SessionEnded

__all__ = ["Desk", "Hearing", "Work"]

MAX_REQUEST_ID: Final = 1_024
# 2025-11-25 made the event without data; older clients would try to read it.
_POLLS_SINCE: Final = "2025-11-25"

Send = Callable[[dict[str, Any]], Awaitable[None]]


class Work(Protocol):
    """A request that is being answered."""

    def cancel(self) -> None:
        """End it, unanswered."""
        ...


class Hearing(Protocol):
    """The stream on which a session hears of changes."""

    def subscribe(self, uri: str, /) -> None:
        """Hear of a resource too."""
        ...

    def unsubscribe(self, uri: str, /) -> None:
        """Hear no more of it."""
        ...

    def end(self) -> None:
        """End the stream."""
        ...


class Desk:
    """One process's part."""

    def __init__(self, registry: Registry) -> None:
        self.endpoint = registry.options.endpoint
        self.calls: dict[tuple[str, RequestId | None], Work] = {}
        self.journals = Journals()
        self._registry = registry
        self._bus = registry.bus
        given = (registry.secret, *filter(None, registry.options.secret_fallbacks))
        self._questions = Questions(registry.bus, registry.options.question_timeout_s, given)
        self._states = States(registry.bus, is_shared=registry.options.bus is not None, react=self._react)
        self._hearings: dict[str, tuple[str, Hearing]] = {}
        self._readers: dict[str, asyncio.Task[None]] = {}
        self.known: Mapping[str, State] = self._states.known
        self.is_ready, self.ready = self._states.is_ready, self._states.ready

    def state(self, session: Session) -> State:
        """What a client has set.

        Raises:
            SessionEnded: that it is over.
        """
        state = self.known.get(session.key)
        if state is None:
            return State()
        if state.is_over:
            raise SessionEnded
        return state

    async def ask(self, session: Session, method: str, params: dict[str, Any], send: Send) -> Any:
        """The result with which a client answers a question."""
        return await self._questions.ask(session.key, method, params, send)

    def close_journal(self, journal: Journal) -> None:
        """Keep it a while for a client that missed the end."""
        self.journals.end(journal)

    def open_journal(self, session: Session) -> Journal:
        """A journal for a stream that opens."""
        return self.journals.open(session.key, polls=self.polls(session))

    def polls(self, session: Session) -> bool:
        """Whether a client can be sent away while its request is answered, and comes back for the rest."""
        return session.version >= _POLLS_SINCE

    async def hear(self, session: Session, message: Message) -> None:
        """Take in what is no request: a notification, or the answer to a question."""
        if message.kind == "response":
            await self._questions.answer(session.key, message)
        elif message.method == "notifications/cancelled":
            request_id = message.params.get("requestId")
            if type(request_id) is not str and type(request_id) is not int:
                return
            if work := self.calls.get((session.key, request_id)):
                work.cancel()
            # One that no client makes is not carried to all processes.
            elif isinstance(request_id, int) or len(request_id) <= MAX_REQUEST_ID:
                await self._states.tell("cancel", session.key, id=request_id)

    async def end(self, session: Session) -> None:
        """End a session, in every process.

        Raises:
            BusUnavailable: some do not know it. The session goes on everywhere, and can be ended again.
        """
        try:
            await self._states.settle("end", session.key)
        except BusUnavailable:
            self._states.known.pop(session.key, None)
            raise
        await self._questions.end(session.key)

    async def set_level(self, session: Session | None, level: object) -> None:
        """Set the least severe log message that a client wants to hear."""
        await self._states.settle("level", _known(session).key, level=check_level(level))

    async def subscribe(self, session: Session | None, uri: object) -> None:
        """Tell a client when a resource changes."""
        session = _known(session)
        checked = await check_uri(self._registry, uri)
        if len(self.state(session).uris) >= MAX_SUBSCRIPTIONS:
            raise InvalidParams(f"a session has at most {MAX_SUBSCRIPTIONS} subscriptions")
        await self._states.settle("subscribe", session.key, uri=checked)

    async def unsubscribe(self, session: Session | None, uri: object) -> None:
        """Tell it no more."""
        await self._states.settle("unsubscribe", _known(session).key, uri=check_length(uri))

    async def open_hearing(self, session: Session, hearing: Hearing) -> Callable[[], None]:
        """Make a stream the one on which a session hears of changes; an earlier one ends, in whatever process.

        MCP 2025-11-25, basic/transports, "Multiple connections": a message goes out on one stream only.

        Returns:
            What says that the stream has ended.
        """
        name = secrets.token_hex(8)
        earlier = self._hearings.get(session.key)
        # Written down first: of two that open at the same time in two processes, both end rather than both tell.
        self._hearings[session.key] = (name, hearing)
        if earlier is not None:
            earlier[1].end()

        def close() -> None:
            if self._hearings.get(session.key, ("",))[0] == name:
                del self._hearings[session.key]

        try:
            await self._states.tell("hearing", session.key, by=name)
        except BaseException:
            close()
            raise
        return close

    async def ask_for_rest(self, session: Session, event_id: tuple[str, int], topic: str) -> None:
        """Ask whichever process has a stream to publish, on a topic, what follows an event."""
        await self._states.tell("rest", session.key, stream=event_id[0], after=event_id[1], topic=topic)

    async def leave_rest(self, session: Session, topic: str) -> None:
        """Say that nobody reads it any more."""
        with contextlib.suppress(BusUnavailable):
            await self._states.tell("enough", session.key, topic=topic)

    def _react(self, message: Mapping[str, Any]) -> None:
        session = message["session"]
        name, hearing = self._hearings.get(session, ("", None))
        match message["kind"]:
            case "cancel":
                if work := self.calls.get((session, message["id"])):
                    work.cancel()
            case "subscribe" if hearing is not None:
                hearing.subscribe(message["uri"])
            case "unsubscribe" if hearing is not None:
                hearing.unsubscribe(message["uri"])
            case "hearing" | "end" if hearing is not None and name != message.get("by"):
                hearing.end()
            case "rest":
                self._read_out(session, message["stream"], message["after"], message["topic"])
            case "enough":
                if reader := self._readers.get(message["topic"]):
                    reader.cancel()
        if message["kind"] == "end":
            self.journals.forget(session)

    def _read_out(self, session: str, stream_id: str, after: int, topic: str) -> None:
        journal = self.journals.find(session, stream_id)
        if journal is None:
            return
        reader = asyncio.get_running_loop().create_task(self._publish_rest(journal, after, topic, self._readers.get(topic)))
        self._readers[topic] = reader

    async def _publish_rest(self, journal: Journal, after: int, topic: str, earlier: asyncio.Task[None] | None) -> None:
        if earlier is not None:
            earlier.cancel()
            await asyncio.wait([earlier])
        try:
            with contextlib.suppress(BusUnavailable):
                await self._bus.publish(topic, {"is_over": False})
                async for place, event in journal.follow(after):
                    await self._bus.publish(topic, {"event": event.decode(), "place": place})
                await self._bus.publish(topic, {"is_over": True})
        finally:
            if self._readers.get(topic) is asyncio.current_task():
                del self._readers[topic]


def _known(session: Session | None) -> Session:
    if session is None:
        raise InvalidRequest("this is remembered for a session, and the request names none: send Mcp-Session-Id")
    return session
