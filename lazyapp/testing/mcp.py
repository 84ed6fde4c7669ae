"""An MCP client in one object, of any revision that the application serves: calls, reads and asks, and keeps what it is told.

It goes through the application's own `/mcp`, with the token of a real login where the application asks for one. What differs
between the revisions is in `mcp_wire.py`.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lazyapp.testing.errors import MCPError
from lazyapp.testing.mcp_wire import Wire


@dataclass(frozen=True, slots=True)
class Question:
    """What a tool asks its user. MCP 2026-07-28, client/elicitation.

    Attributes:
        message: the words.
        schema: the form's JSON Schema; empty for a page.
        url: the page that is to be opened; "" for a form.
    """

    message: str
    schema: Mapping[str, Any]
    url: str = ""


Answer = Mapping[str, Any] | bool | None
Answers = Callable[[Question], Answer | Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered. `raw` is the result as it came."""

    raw: Mapping[str, Any]

    @property
    def structured(self) -> Any:
        """`structuredContent`: what the tool returned, as JSON; None where it is only text."""
        return self.raw.get("structuredContent")

    @property
    def text(self) -> str:
        """The texts that a model reads, one a line."""
        return _texts(self.content)

    @property
    def content(self) -> Sequence[Mapping[str, Any]]:
        """The content blocks."""
        found: Sequence[Mapping[str, Any]] = self.raw.get("content", ())
        return found

    @property
    def is_error(self) -> bool:
        """Whether the tool failed in a way that it told the model."""
        return bool(self.raw.get("isError"))

    @property
    def meta(self) -> Mapping[str, Any]:
        """`_meta`: what only the client reads."""
        found: Mapping[str, Any] = self.raw.get("_meta", {})
        return found


@dataclass(frozen=True, slots=True)
class Contents:
    """What a resource holds. `raw` is the result as it came."""

    raw: Mapping[str, Any]

    @property
    def parts(self) -> Sequence[Mapping[str, Any]]:
        """Each part of the resource."""
        found: Sequence[Mapping[str, Any]] = self.raw["contents"]
        return found

    @property
    def text(self) -> str:
        """The texts of the parts, one a line."""
        return "\n".join(part["text"] for part in self.parts if "text" in part)

    @property
    def mime_type(self) -> str:
        """The media type of the first part."""
        return str(self.parts[0].get("mimeType", "")) if self.parts else ""

    def json(self) -> Any:
        """The text, read as JSON."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a prompt says. `raw` is the result as it came."""

    raw: Mapping[str, Any]

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        """Its messages, each with a role and content."""
        found: Sequence[Mapping[str, Any]] = self.raw["messages"]
        return found

    @property
    def text(self) -> str:
        """The texts of its messages, one a line."""
        return _texts([message["content"] for message in self.messages])


class MCPClient:
    """One AI client.

    Attributes:
        progress: what tools said of their progress, `{"progress", "total", "message"}`, in order.
        logs: what they logged, `{"level", "logger", "data"}`.
        notifications: every notification, as it came.
        questions: what the user was asked.
    """

    def __init__(self, wire: Wire, answers: Answers | None) -> None:
        self._wire = wire
        self._answers = answers
        self._tools: list[dict[str, Any]] | None = None
        self.notifications: list[Mapping[str, Any]] = []
        self.questions: list[Question] = []
        wire.on_notification(self.notifications.append)
        if answers is not None:
            wire.on_question(self._answer)

    @property
    def progress(self) -> list[Mapping[str, Any]]:
        return [_without_token(each["params"]) for each in self.notifications if each["method"] == "notifications/progress"]

    @property
    def logs(self) -> list[Mapping[str, Any]]:
        return [each["params"] for each in self.notifications if each["method"] == "notifications/message"]

    @property
    def revision(self) -> str:
        """The revision that it speaks."""
        return self._wire.revision

    async def list_tools(self) -> list[dict[str, Any]]:
        """The tools that this user may use, as a client is told of them."""
        self._tools = await self._list("tools/list", "tools")
        return self._tools

    async def list_resources(self) -> list[dict[str, Any]]:
        """The resources."""
        return await self._list("resources/list", "resources")

    async def list_templates(self) -> list[dict[str, Any]]:
        """The templates of resources."""
        return await self._list("resources/templates/list", "resourceTemplates")

    async def list_prompts(self) -> list[dict[str, Any]]:
        """The prompts."""
        return await self._list("prompts/list", "prompts")

    async def call(self, tool: str, /, **arguments: Any) -> Result:
        """Call a tool.

        Raises:
            MCPError: there is no such tool. Arguments that do not fit and a `ToolError` are a `Result` that `is_error`.
        """
        tools = self._tools if self._tools is not None else await self.list_tools()
        schema: Mapping[str, Any] = next((each["inputSchema"] for each in tools if each["name"] == tool), {})
        try:
            return Result(await self._wire.ask("tools/call", {"name": tool, "arguments": arguments}, schema))
        except MCPError as error:
            names = sorted(each["name"] for each in tools)
            if tool in names:
                raise
            raise MCPError(error.code, error.message, error.data, hint=f"the tools are {', '.join(names) or 'none'}") from None

    async def read(self, uri: str) -> Contents:
        """Read a resource.

        Raises:
            MCPError: there is none.
        """
        return Contents(await self._wire.ask("resources/read", {"uri": uri}))

    async def prompt(self, name: str, /, **arguments: str) -> Prompt:
        """Ask for a prompt.

        Raises:
            MCPError: there is none, or an argument is missing.
        """
        return Prompt(await self._wire.ask("prompts/get", {"name": name, "arguments": arguments}))

    async def complete(self, reference: Mapping[str, str], argument: str, value: str) -> list[str]:
        """What is suggested for an argument.

        Args:
            reference: `{"type": "ref/prompt", "name": …}` or `{"type": "ref/resource", "uri": …}`.
            argument: its name.
            value: what was typed so far.
        """
        params = {"ref": dict(reference), "argument": {"name": argument, "value": value}}
        found: list[str] = (await self._wire.ask("completion/complete", params))["completion"]["values"]
        return found

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Any other request of the protocol; its result as it came.

        Raises:
            MCPError: the answer is an error.
        """
        return await self._wire.ask(method, params)

    async def _list(self, method: str, key: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            result = await self._wire.ask(method, cursor)
            found += result[key]
            if "nextCursor" not in result:
                return found
            cursor = {"cursor": result["nextCursor"]}

    async def _answer(self, params: Mapping[str, Any]) -> dict[str, Any]:
        question = Question(str(params.get("message", "")), params.get("requestedSchema", {}), str(params.get("url", "")))
        self.questions.append(question)
        given = self._answers(question) if self._answers is not None else None
        answer = await given if inspect.isawaitable(given) else given
        if answer is None or answer is False:
            return {"action": "decline"}
        return {"action": "accept", **({} if answer is True else {"content": dict(answer)})}


def _texts(blocks: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")


def _without_token(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in params.items() if name != "progressToken"}
