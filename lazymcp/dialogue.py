"""From a question to an answer that can be used: whoever fills in a form wrongly is told why and asked again, a few times."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from lazymcp.asking import ELICIT, Ask, Asker, Question, Unreadable, unaskable
from lazymcp.errors import Declined, ToolError

__all__ = ["ATTEMPTS", "OverLink", "hold"]

# An asker that ends the request counts nothing: there it is the client that decides how often it comes back.
ATTEMPTS: Final = 3

Request = Callable[[str, dict[str, Any]], Awaitable[Any]]


class OverLink:
    """The asker of the revisions before 2026-07-28: each question is a request to the client, one after the other."""

    __slots__ = ("_lacking", "_request")

    def __init__(self, request: Request, lacking: Mapping[str, Any]) -> None:
        """Ask by these requests.

        Args:
            request: `Link.request`.
            lacking: the capabilities that the questions need and the client did not declare.
        """
        self._request = request
        self._lacking = lacking

    async def ask(self, questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        """The client's results.

        Raises:
            ToolError: the client cannot be asked, or refused.
        """
        if self._lacking:
            # Some clients never answer what they do not know (https://github.com/modelcontextprotocol/python-sdk/issues/1740).
            unaskable(f"it did not declare {_shown(self._lacking)}")
        return {key: await self._request(question.method, _as_then(question)) for key, question in questions.items()}


async def hold(asker: Asker, asks: Mapping[str, Ask[Any]]) -> dict[str, Any]:
    """The answers, by key.

    Raises:
        Declined: the user would not answer one of them.
        ToolError: the client cannot be asked, or its answers cannot be used.
        InputRequired: the answers come with another request.
    """
    found: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    put = {key: ask.question for key, ask in asks.items()}
    for _ in range(ATTEMPTS):
        results = await asker.ask(put)
        reasons.clear()
        for key in put:
            try:
                found[key] = asks[key].read(results[key])
            except Unreadable as problem:
                reasons[key] = str(problem)
            except Declined as problem:
                raise Declined(problem.action, key if len(asks) > 1 else "") from None
        if not reasons:
            return {key: found[key] for key in asks}
        put = {key: _again(asks[key].question, reason) for key, reason in reasons.items()}
    raise ToolError(f"the answer cannot be used: {'; '.join(reasons.values())}")


def _again(question: Question, reason: str) -> Question:
    if "message" not in question.params:
        return question
    return Question(question.method, {**question.params, "message": f"{question.params['message']}\n\n{reason}"})


def _as_then(question: Question) -> dict[str, Any]:
    if question.method == ELICIT and question.params.get("mode") == "url":
        # MCP 2025-11-25, client/elicitation, "URL mode": an id is required; 2026-07-28 knows none.
        return {**question.params, "elicitationId": secrets.token_hex(16)}
    return question.params


def _shown(lacking: Mapping[str, Any]) -> str:
    names = [[f"{name}.{part}" for part in parts] or [name] for name, parts in lacking.items()]
    return ", ".join(name for group in names for name in group)
