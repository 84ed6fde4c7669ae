"""One client of a scope: requests of today's revision, answered in this process, with the questions and tasks that they lead to.

MCP 2026-07-28, basic/index and basic/patterns/mrtr; tasks by SEP-2663. What is told on the way goes to `heard`, what the user is
asked to `answer`.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import lazymcp
from lazyapp.version import __version__
from lazymcp.protocol import (
    APP_MIME_TYPE,
    CAPABILITIES_KEY,
    CLIENT_KEY,
    LOG_LEVEL_KEY,
    TASKS_EXTENSION,
    UI_EXTENSION,
    VERSION,
    VERSION_KEY,
)

Heard = Callable[[Mapping[str, Any]], None]
Answer = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]

MAX_ROUNDS = 50
INVALID_PARAMS = -32602
MISSING_CAPABILITY = -32021
RESOURCE_NOT_FOUND = -32602  # MCP 2026-07-28, server/resources; `data` holds the URI
_LISTS = {
    "tool": ("tools/list", "tools", "name"),
    "resource": ("resources/list", "resources", "uri"),
    "template": ("resources/templates/list", "resourceTemplates", "uriTemplate"),
    "prompt": ("prompts/list", "prompts", "name"),
}
SKILLS = ("skills/list", "skills", "uri")


class Refused(Exception):
    """The answer was an error of the protocol.

    Attributes:
        code: JSON-RPC's.
        message: the sentence.
        data: what else it says.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Client:
    """A client that shows pages, takes tasks, and, where somebody is there to answer, questions.

    Args:
        scope: whose modules it uses; as whoever is signed in where it is called.
        heard: is told of progress and log messages.
        answer: answers one question of the server, an `elicitation/create`; None: there is nobody to ask.
    """

    def __init__(self, scope: lazymcp.Scope, *, heard: Heard = lambda message: None, answer: Answer | None = None) -> None:
        self.scope = scope
        self._connection = scope.connection()
        self._heard = heard
        self._answer = answer
        self._ids = itertools.count(1)

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request, whatever is asked and told before it.

        Raises:
            Refused: the answer is an error.
        """
        more: dict[str, Any] = {}
        for _ in range(MAX_ROUNDS):
            result = await self._exchange(method, {**params, **more})
            kind = result.get("resultType")
            if kind == "task":
                return await self._follow(result)
            if kind != "input_required":
                return result
            more = {"inputResponses": await self._answers(result), "requestState": result.get("requestState")}
        raise Refused(0, f"{method} asks without end")

    async def entries(self, kind: str) -> list[dict[str, Any]]:
        """Everything of one kind that the caller may see: `tool`, `resource` (pages and files of skills too), `template`, `prompt`
        or `skill`.
        """
        method, key, _ = _LISTS.get(kind, SKILLS)
        found: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            result = await self._exchange(method, cursor)
            found += result[key]
            if "nextCursor" not in result:
                return found
            cursor = {"cursor": result["nextCursor"]}

    async def names(self, kind: str) -> list[str]:
        """The names, or URIs, of everything of one kind that the caller may see."""
        name = _LISTS.get(kind, SKILLS)[2]
        return [entry[name] for entry in await self.entries(kind)]

    async def _follow(self, task: dict[str, Any]) -> dict[str, Any]:
        """The result of a task, once it has one; cancelled here, it is cancelled there. SEP-2663, "Task Polling"."""
        named = {"taskId": task["taskId"]}
        told = ""
        try:
            while True:
                task = await self._exchange("tasks/get", named)
                if task.get("statusMessage", "") != told:
                    told = task["statusMessage"]
                    self._heard({"method": "notifications/progress", "params": {"message": told}})
                if task["status"] == "completed":
                    return dict(task["result"])
                if task["status"] in {"failed", "cancelled"}:
                    problem = task.get("error") or {"code": 0, "message": "the task was cancelled"}
                    raise Refused(problem["code"], problem["message"], problem.get("data"))
                if task["status"] == "input_required":
                    await self._exchange("tasks/update", {**named, "inputResponses": await self._answers(task)})
                    continue
                await asyncio.sleep(task.get("pollIntervalMs", 1000) / 1000)
        except asyncio.CancelledError:
            await asyncio.shield(self._exchange("tasks/cancel", named))
            raise

    async def _answers(self, result: Mapping[str, Any]) -> dict[str, Any]:
        answers = {}
        for key, asked in result.get("inputRequests", {}).items():
            if self._answer is None or asked["method"] != "elicitation/create":
                raise Refused(MISSING_CAPABILITY, f"the server asks for {asked['method']}")
            answers[key] = await self._answer(asked["params"])
        return answers

    async def _exchange(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self._ids)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": self._meta(number)}}
        answer = await self._connection.handle(message, self._hear)
        if answer is None:
            raise Refused(0, f"{method} was not answered")
        if "error" in answer:
            problem = answer["error"]
            raise Refused(problem["code"], problem["message"], problem.get("data"))
        return dict(answer["result"])

    async def _hear(self, message: dict[str, Any]) -> None:
        self._heard(message)

    def _meta(self, number: int) -> dict[str, Any]:
        extensions: dict[str, Any] = {UI_EXTENSION: {"mimeTypes": [APP_MIME_TYPE]}, TASKS_EXTENSION: {}}
        asked: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}} if self._answer is not None else {}
        return {
            VERSION_KEY: VERSION,
            CAPABILITIES_KEY: {**asked, "extensions": extensions},
            CLIENT_KEY: {"name": "lazyapp", "version": __version__},
            LOG_LEVEL_KEY: "info",
            "progressToken": number,
        }
