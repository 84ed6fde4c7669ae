"""MCP over HTTP, as a raw ASGI application: one path, POST only, both eras.

From the socket to the tool: gate (host, origin, type, size), body, JSON, era, headers against body, method. Each step is a line
of `Endpoint` or of `_Today`; the rules live in `gate`, `routing` and `methods`, and older requests go to `legacy`. No state is kept
between requests.
"""

import asyncio
from collections.abc import Awaitable, Mapping, MutableMapping, Sequence
from typing import Any, Final, Protocol

from lazymcp import legacy, methods
from lazymcp.attendance import Attendance
from lazymcp.context import Context
from lazymcp.eager import begin
from lazymcp.errors import Forbidden, InternalError, InvalidRequest, MCPError
from lazymcp.exchange import Exchange, Receive, Send
from lazymcp.failures import explain
from lazymcp.gate import Gate, Headers, Refusal, check_single
from lazymcp.jsonrpc import Message, RequestId, check_request, dump, error, parse
from lazymcp.param_headers import check_params
from lazymcp.porch import Porch
from lazymcp.protocol import VERSION_KEY, Prepared, Structured, check_version, open_envelope
from lazymcp.registry import Registry
from lazymcp.routing import check_duplicates, check_routing
from lazymcp.sessions import SESSION_HEADER
from lazymcp.streams import ClientLeft
from lazymcp.tasks import Tasks

__all__ = ["Endpoint"]

BODY_TIMEOUT_S: Final = 30.0

_POST_ONLY: Final = (b"allow", b"POST, OPTIONS")
_METHODS: Final = b"POST, GET, DELETE, OPTIONS"
_OLDER_ONLY: Final = frozenset({"GET", "DELETE"})
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", _METHODS),
    (b"access-control-max-age", b"86400"),
)
_ALLOWED_HEADERS: Final = (
    b"authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-method, mcp-name, " + SESSION_HEADER
)

# MCP 2026-07-28, basic/transports/streamable-http, "Error responses". What is not here is answered with 200.
_STATUS: Final = {-32700: 400, -32600: 400, -32601: 404, -32602: 400, -32020: 400, -32021: 400, -32022: 400}


class _Era(Protocol):
    """The rules of the revision that a request speaks."""

    @property
    def cancels(self) -> bool:
        """Whether a client that leaves has cancelled its request."""
        ...

    def begin(self, message: Message, exchange: Exchange, /) -> Awaitable[dict[str, Any] | None] | None:
        """What will answer a message; None, now or in the end, for what gets no answer."""
        ...

    def refusal(self, problem: MCPError) -> tuple[MCPError, int]:
        """An error as the client knows it, and its HTTP status."""
        ...


class Endpoint:
    """The ASGI application of a scope. It looks at no path: whoever mounts it decides where it answers."""

    def __init__(self, registry: Registry, *, body_timeout_s: float = BODY_TIMEOUT_S) -> None:
        """Serve a closed registry.

        Args:
            body_timeout_s: a body that has not arrived by then is cut off with 408.
        """
        self._registry = registry
        self._gate = Gate(registry.options)
        self._today = _Today(registry)
        self._porch = Porch(registry)
        self._max_bytes = registry.options.max_body_bytes
        self._body_timeout_s = body_timeout_s

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await _decline(scope["type"], receive, send, self._registry.tasks)
            return
        exchange = Exchange(dict(scope["headers"]), receive, send, self._porch.desk)
        era: _Era = self._today
        try:
            message = await self._admit(scope, exchange)
            if message is not None:
                era = self._today if legacy.is_modern(message.params, exchange.raw) else self._porch
                await self._answer(scope, exchange, message, era)
        except ClientLeft:
            return
        except Refusal as refusal:
            exchange.more_headers += refusal.headers
            await exchange.answer(dump(error(None, InvalidRequest(refusal.message))), refusal.status)
        except Forbidden as problem:
            await self._forbid(exchange, problem)
        except MCPError as problem:
            await _refuse(exchange, era, problem)
        except BaseException as problem:
            try:
                sentence = explain(problem, "the request")
            except asyncio.CancelledError:
                await exchange.break_off(dump(error(exchange.request_id, InternalError("the server ended this request"))))
                raise
            await _refuse(exchange, era, InternalError(sentence))

    async def _admit(self, scope: Mapping[str, Any], exchange: Exchange) -> Message | None:
        """The message of a request that may come in; None for one that asked for nothing and is answered."""
        headers = exchange.raw
        if len(headers) != len(scope["headers"]):
            check_single(scope["headers"])
        accepted = self._gate.recall(headers) if scope["method"] == "POST" else None
        if accepted is None:
            self._gate.check(headers, scope.get("scheme", ""))
            if b"origin" in headers:
                exchange.allow_origin(headers[b"origin"])
            if scope["method"] != "POST":
                await self._answer_other(scope["method"], scope["headers"], exchange)
                return None
            self._gate.check_body(headers)
            accepted = self._gate.accepted(headers)
            self._gate.remember(headers, accepted)
        exchange.takes_json, exchange.takes_stream = accepted
        first, rest = begin(exchange.receive())
        is_whole = rest is None and first["type"] == "http.request" and not first.get("more_body")
        body = first.get("body", b"") if is_whole else await self._read(exchange, first, rest)
        if len(body) > self._max_bytes:
            self._gate.refuse_size()
        message = check_request(parse(body))
        exchange.request_id = message.id
        return message

    async def _answer_other(self, method: str, raw: Sequence[tuple[bytes, bytes]], exchange: Exchange) -> None:
        """What is not POST. OPTIONS is free: browsers send it without a token
        (https://github.com/modelcontextprotocol/python-sdk/issues/1079).
        """
        headers = exchange.raw
        if method == "OPTIONS":
            asked = headers.get(b"access-control-request-headers", b"")
            more = [name.strip() for name in asked.lower().split(b",") if name.strip().startswith(b"mcp-param-")]
            allowed = (b"access-control-allow-headers", b", ".join([_ALLOWED_HEADERS, *more]))
            await exchange.empty(204, (b"allow", _METHODS), *_PREFLIGHT, allowed)
        elif method in _OLDER_ONLY and Porch.serves(headers):
            if len(headers) != len(raw):
                check_duplicates(raw)
            exchange.takes_json, exchange.takes_stream = self._gate.accepted(headers)
            await self._porch.visit(method, exchange)
        else:
            raise Refusal(405, f"{method} is not served here; MCP speaks POST", _POST_ONLY)

    async def _answer(self, scope: Mapping[str, Any], exchange: Exchange, message: Message, era: _Era) -> None:
        if len(exchange.raw) != len(scope["headers"]):
            check_duplicates(scope["headers"])
        work = era.begin(message, exchange)
        if work is None:
            await exchange.empty(202)
            return
        found, rest = begin(work)
        if rest is not None:
            found = await (rest if exchange.is_long else Attendance(exchange).wait(rest, cancels=era.cancels))
        if found is None:
            await exchange.empty(202)
            return
        await exchange.answer(_encode(message.id, legacy.older(found) if era is self._porch else found))

    async def _read(self, exchange: Exchange, first: Any, rest: Awaitable[Any] | None) -> bytes:
        """A body that is not there at once. A client that stalls, or sends more than announced, is cut off; one that leaves is
        let go.

        Args:
            first: the first message of it, unless
            rest: what gives that message.
        """
        try:
            async with asyncio.timeout(self._body_timeout_s):
                return await _read_chunks(exchange, first if rest is None else await rest, self._max_bytes)
        except TimeoutError:
            late = f"the body did not arrive within {self._body_timeout_s:g} seconds"
            raise Refusal(408, late, (b"connection", b"close")) from None

    async def _forbid(self, exchange: Exchange, problem: Forbidden) -> None:
        """403 with a challenge that names the scopes. RFC 6750, section 3.1; RFC 9728, section 5.1."""
        challenge = f'Bearer error="insufficient_scope", scope="{" ".join(problem.scopes)}"'
        if self._registry.options.resource_metadata:
            challenge += f', resource_metadata="{self._registry.options.resource_metadata}"'
        exchange.more_headers += ((b"www-authenticate", challenge.encode("latin-1", "replace")),)
        await exchange.answer(dump(error(exchange.request_id, InvalidRequest(str(problem)))), 403)


class _Today:
    """MCP 2026-07-28: a ladder of checks, each rung with its own error."""

    cancels: Final = True

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def begin(self, message: Message, exchange: Exchange) -> Awaitable[dict[str, Any]] | None:
        """What will answer a message; None for what gets no answer."""
        if message.kind == "response":
            raise InvalidRequest("expected a request; answers to a server's questions stand in the next request")
        if message.kind == "notification":
            return None
        params = message.params
        ctx = open_envelope(params, exchange)
        version = ctx.meta[VERSION_KEY]
        row = methods.METHODS.get(message.method)
        check_routing(exchange.raw, version, message.method, params, "" if row is None else row.routed_by)
        check_version(version)
        if self._registry.has_headed_tools:
            return self._answer_headed(message.method, params, ctx, exchange.raw)
        return methods.answer(self._registry, message.method, params, ctx)

    async def _answer_headed(self, method: str, params: dict[str, Any], ctx: Context, headers: Headers) -> dict[str, Any]:
        """The same where headers may repeat arguments of the tool that is called.

        Raises:
            HeaderMismatch: they differ. A tool that the caller may not see asks for no headers: nobody shall learn of it.
        """
        called = params.get("name") if method == "tools/call" else None
        tool = self._registry.any_tool.get(called) if type(called) is str else None
        if tool is not None and tool.headed and await self._registry.allows(tool.module):
            check_params(tool.headed, headers, params.get("arguments"))
        return await methods.answer(self._registry, method, params, ctx)

    def refusal(self, problem: MCPError) -> tuple[MCPError, int]:
        """The error and its HTTP status."""
        return problem, _STATUS.get(problem.code, 200)


def _encode(request_id: RequestId | None, found: dict[str, Any]) -> bytes:
    if type(found) is Prepared:
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (dump(request_id), found.data)
    if type(found) is Structured:
        known = b"%d" % request_id if type(request_id) is int else dump(request_id)
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (known, found.to_json())
    return dump({"jsonrpc": "2.0", "id": request_id, "result": found})


async def _refuse(exchange: Exchange, era: _Era, problem: MCPError) -> None:
    told, status = era.refusal(problem)
    await exchange.answer(dump(error(exchange.request_id, told)), status)


async def _read_chunks(exchange: Exchange, message: MutableMapping[str, Any], limit: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        if message["type"] == "http.disconnect":
            raise ClientLeft
        chunk = message.get("body", b"")
        size += len(chunk)
        chunks.append(chunk)
        # One chunk too many is enough to know.
        if size > limit or not message.get("more_body"):
            return b"".join(chunks)
        message = await exchange.receive()


async def _decline(kind: str, receive: Receive, send: Send, tasks: Tasks | None) -> None:
    """What is not HTTP: of a server's lifespan only tasks want to know, a WebSocket is closed."""
    if kind == "websocket":
        await send({"type": "websocket.close", "code": 1000})
        return
    while kind == "lifespan":
        event = (await receive())["type"]
        if tasks is not None:
            await tasks.close() if event == "lifespan.shutdown" else tasks.sweep_soon()
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return
