"""`Porch`: requests of the older revisions over HTTP, and what else they do there: GET and DELETE.

`legacy.py` says what the messages mean; this file keeps the rules of the transport (MCP 2025-11-25, basic/transports): sessions
that any process can read, the streams of GET, the end by DELETE, and which error has which status.
"""

from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from lazymcp import legacy
from lazymcp.bus import BusUnavailable
from lazymcp.errors import InternalError, InvalidRequest, MCPError, ParseError, UnsupportedVersion
from lazymcp.exchange import Exchange
from lazymcp.gate import Headers, Refusal
from lazymcp.jsonrpc import Message
from lazymcp.legacy_desk import Desk
from lazymcp.legacy_streams import listen, resume
from lazymcp.registry import Registry
from lazymcp.sessions import SESSION_HEADER, Session, SessionEnded, Sessions

__all__ = ["Porch"]

# The status tells about the transport alone, so that other errors are answers like any.
_STATUS: Final = {ParseError: 400, InvalidRequest: 400, UnsupportedVersion: 400, SessionEnded: 404}
_AWAY: Final = "the other processes of this server cannot be reached; try again"
_NOTHING: Final[Mapping[str, Any]] = {}


class Porch:
    """Older requests over HTTP. Its shape is that of today's era in `http.py`."""

    # MCP 2025-11-25, basic/transports: a client that disconnects has not cancelled its request.
    cancels: Final = False

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._sessions = Sessions(registry.secret, registry.options.secret_fallbacks)
        self.desk = Desk(registry)

    def begin(self, message: Message, exchange: Exchange) -> Awaitable[dict[str, Any] | None] | None:
        """What will answer a message; None, now or in the end, for what gets no answer.

        Raises:
            MCPError: the handshake is malformed, the revision unknown, the session over.
        """
        params = message.params
        if message.method == legacy.INITIALIZE and message.kind == "request":
            return self._initialize(params, exchange)
        legacy.check_version(exchange.raw)
        token, desk = exchange.raw.get(SESSION_HEADER), self.desk
        session: Session | None = None
        client, capabilities, level = _NOTHING, _NOTHING, legacy.DEFAULT_LEVEL
        if token is not None:
            session = exchange.session = self._sessions.open(token.strip())
            if not desk.is_ready():
                return self._begin_later(message, exchange)
            if desk.known:
                level = desk.state(session).level
            client, capabilities = session.client, session.capabilities
        if message.kind != "request":
            return None if session is None else self._hear(session, message)
        ctx = legacy.open_request(params, exchange, client, capabilities, level)
        then = legacy.THEN.get(message.method)
        return legacy.answer(self._registry, message.method, params, ctx) if then is None else _settled(then(desk, session, params))

    def refusal(self, problem: MCPError) -> tuple[MCPError, int]:
        """An error as older clients know it, and its HTTP status."""
        return legacy.older_error(problem), _STATUS.get(type(problem), 200)

    @staticmethod
    def serves(headers: Headers) -> bool:
        """Whether a GET or a DELETE is one of an older client: it names its session or, failing that, its revision."""
        if b"mcp-protocol-version" not in headers:
            return SESSION_HEADER in headers
        return not legacy.is_modern({}, headers)

    async def visit(self, method: str, exchange: Exchange) -> None:
        """Answer a GET or a DELETE.

        Raises:
            Refusal: there is no session to do it for, or nothing to give.
        """
        try:
            session = await self._known(exchange)
        except MCPError as problem:
            raise Refusal(_STATUS.get(type(problem), 400), problem.message) from problem
        if method == "GET" and not exchange.takes_stream:
            raise Refusal(406, "what GET gives is a stream: the Accept header must allow text/event-stream")
        with _others():
            if method == "DELETE":
                await self.desk.end(session)
                await exchange.empty(204)
            elif last_event_id := exchange.raw.get(b"last-event-id", b"").strip():
                await resume(self._registry, self.desk, session, exchange, last_event_id)
            else:
                await listen(self._registry, self.desk, session, exchange)

    async def _hear(self, session: Session, message: Message) -> None:
        with _others():
            await self.desk.hear(session, message)

    async def _known(self, exchange: Exchange) -> Session:
        legacy.check_version(exchange.raw)
        token = exchange.raw.get(SESSION_HEADER)
        if token is None:
            raise InvalidRequest("this is done for a session: send the Mcp-Session-Id that initialize gave")
        session = self._sessions.open(token.strip())
        await self.desk.ready()
        self.desk.state(session)
        return session

    def _initialize(self, params: dict[str, Any], exchange: Exchange) -> Awaitable[dict[str, Any]]:
        version = legacy.negotiate(params)
        minted = self._sessions.mint(version, params.get("clientInfo", {}), params.get("capabilities", {}))
        exchange.more_headers += ((SESSION_HEADER, minted),)
        return legacy.initialize(self._registry, version)

    async def _begin_later(self, message: Message, exchange: Exchange) -> dict[str, Any] | None:
        await self.desk.ready()
        work = self.begin(message, exchange)
        return None if work is None else await work


@contextmanager
def _others() -> Iterator[None]:
    """What has to reach the other processes may not get there: then the client tries again."""
    try:
        yield
    except BusUnavailable as problem:
        raise Refusal(503, _AWAY) from problem


async def _settled(work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """What a request set; its failure is an answer like any."""
    try:
        return await work
    except BusUnavailable as problem:
        raise InternalError(_AWAY) from problem
