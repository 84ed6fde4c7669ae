"""What goes over the wire between an MCP client and `/mcp`: today's revision, and the older ones with a handshake.

MCP 2026-07-28, basic/transports/streamable-http and basic/patterns/mrtr; MCP 2025-11-25, basic/lifecycle and basic/transports.
"""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import httpx2

from lazyapp.steps.mcp import MCP_PATH
from lazyapp.testing.errors import MCPError
from lazyapp.testing.transport import FAILURES
from lazymcp.methods import routing_param
from lazymcp.param_headers import repeated
from lazymcp.routing import encode

MODERN = "2026-07-28"
MAX_ROUNDS = 20
_KEY = "io.modelcontextprotocol/"
_CLIENT = {"name": "lazyapp.testing", "version": "1"}

Ask = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
Authorize = Callable[[], Awaitable[Mapping[str, str]]]


class Wire:
    """The messages of one client.

    Args:
        http: sends them.
        revision: `2026-07-28`, or an older one.
        authorize: gives the headers that say who calls; asked before each request.
        raise_errors: raise what fails in a tool, instead of answering the sentence that a model reads.
    """

    def __init__(self, http: httpx2.AsyncClient, revision: str, authorize: Authorize, *, raise_errors: bool) -> None:
        self._http = http
        self.revision = revision
        self._authorize = authorize
        self._raise_errors = raise_errors
        self._ids = itertools.count(1)
        self._session: dict[str, str] | None = None
        self._notify: Callable[[Mapping[str, Any]], None] = lambda message: None
        self._ask_user: Ask | None = None

    def on_notification(self, heard: Callable[[Mapping[str, Any]], None]) -> None:
        """Call this with each notification."""
        self._notify = heard

    def on_question(self, ask: Ask) -> None:
        """Tell the server that there is a user to ask, and ask this one."""
        self._ask_user = ask

    async def ask(self, method: str, params: Mapping[str, Any], schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of a request, whatever is asked and told before it.

        Args:
            schema: of the tool that is called, whose marked arguments are repeated in headers.

        Raises:
            MCPError: the answer is an error.
        """
        if self.revision != MODERN:
            if self._session is None:
                await self._initialize()
            return await self._exchange(method, params, {})
        more: dict[str, Any] = {}
        for _ in range(MAX_ROUNDS):
            result = await self._exchange(method, {**params, **more}, dict(repeated(schema, params.get("arguments"))))
            if result.get("resultType") != "input_required":
                return result
            answers = {key: await self._reply(asked) for key, asked in result.get("inputRequests", {}).items()}
            more = {"inputResponses": answers, "requestState": result.get("requestState")}
        raise MCPError(0, f"{method} asks without end")

    async def close(self) -> None:
        """End the session of an older revision."""
        if self._session:
            await self._http.delete(MCP_PATH, headers={**self._headers("", {}), **await self._authorize()})
            self._session = None

    async def _initialize(self) -> None:
        self._session = {}
        params = {"protocolVersion": self.revision, "capabilities": self._capabilities, "clientInfo": _CLIENT}
        result = await self._exchange("initialize", params, {})
        if result["protocolVersion"] != self.revision:
            raise MCPError(0, f"the server speaks {result['protocolVersion']} and not {self.revision}")
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def _exchange(self, method: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
        number = next(self._ids)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": self._with_meta(method, params, number)}
        said = {**self._headers(method, params), **headers, **await self._authorize()}
        async with self._http.stream("POST", MCP_PATH, json=message, headers=said) as response:
            if session := response.headers.get("mcp-session-id"):
                self._session = {"mcp-session-id": session}
            answer = await self._read(response, number)
        failures = response.extensions.get(FAILURES, ())
        if self._raise_errors and failures and ("error" in answer or answer["result"].get("isError")):
            raise failures[0]
        if "error" in answer:
            error = answer["error"]
            raise MCPError(error["code"], error["message"], error.get("data"))
        result: dict[str, Any] = answer["result"]
        return result

    async def _read(self, response: httpx2.Response, number: int) -> dict[str, Any]:
        replies: set[asyncio.Task[None]] = set()
        async for message in _messages(response):
            if message.get("id") == number and "method" not in message:
                await asyncio.gather(*replies)
                return message
            if "id" in message:
                # A question of an older revision: its answer is a request of its own, while this stream stays open.
                replies.add(asyncio.create_task(self._reply_by_message(message)))
            else:
                self._notify(message)
        body = response.text if response.is_stream_consumed and not response.is_success else ""
        hint = response.headers.get("www-authenticate", "")
        raise MCPError(response.status_code, body[:500] or f"HTTP {response.status_code} without a message", hint=hint)

    async def _reply_by_message(self, asked: Mapping[str, Any]) -> None:
        await self._post({"jsonrpc": "2.0", "id": asked["id"], "result": await self._reply(asked)})

    async def _reply(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        if asked["method"] != "elicitation/create" or self._ask_user is None:
            raise MCPError(0, f"the server asks for {asked['method']}", asked.get("params"), hint="give mcp() answers=")
        return await self._ask_user(asked["params"])

    async def _post(self, message: Mapping[str, Any]) -> None:
        answer = await self._http.post(MCP_PATH, json=message, headers={**self._headers("", {}), **await self._authorize()})
        if answer.status_code != 202:
            raise MCPError(answer.status_code, answer.text[:500])

    @property
    def _capabilities(self) -> dict[str, Any]:
        return {"elicitation": {"form": {}, "url": {}}} if self._ask_user else {}

    def _with_meta(self, method: str, params: Mapping[str, Any], number: int) -> dict[str, Any]:
        meta: dict[str, Any] = {} if method == "initialize" else {"progressToken": number}
        if self.revision == MODERN:
            own = {"protocolVersion": MODERN, "clientCapabilities": self._capabilities, "clientInfo": _CLIENT, "logLevel": "debug"}
            meta |= {f"{_KEY}{name}": value for name, value in own.items()}
        return {**params, "_meta": {**params.get("_meta", {}), **meta}}

    def _headers(self, method: str, params: Mapping[str, Any]) -> dict[str, str]:
        headers = {"accept": "application/json, text/event-stream", **(self._session or {})}
        if method == "initialize":
            return headers
        headers["mcp-protocol-version"] = self.revision
        if self.revision == MODERN:
            headers["mcp-method"] = method
            if param := routing_param(method):
                headers["mcp-name"] = encode(str(params[param]))
        return headers


async def _messages(response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    """The JSON-RPC messages of an answer, those of a stream as they come."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        await response.aread()
        if response.headers.get("content-type", "").startswith("application/json"):
            found = json.loads(response.content)
            if "jsonrpc" in found:
                yield found
        return
    data: list[str] = []
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and data:
            text, data = "\n".join(data), []
            if text:
                yield json.loads(text)
