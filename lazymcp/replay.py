"""Asking in 2026-07-28, where a question ends the request: the client sends it again with the answers, and the handler runs anew.

`Replay` gives the handler the answers of earlier rounds until it asks something new. `resume` reads what a retry brings, `suspend`
writes what the client is to bring back. MCP 2026-07-28, basic/patterns/mrtr (SEP-2322).
"""

import logging
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from lazymcp.asking import InputRequired, Question
from lazymcp.errors import InvalidParams
from lazymcp.jsonrpc import dump
from lazymcp.request_state import Record, RequestStates, binding

__all__ = ["FIRST", "First", "Replay", "resume", "suspend"]

logger = logging.getLogger("lazymcp")


class First:
    """The asker of a request that brings no answers: every question ends it. One serves all, since it keeps nothing."""

    __slots__ = ()

    async def ask(self, questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        """Never answers."""
        raise InputRequired(questions)

    def record(self, questions: Mapping[str, Question]) -> Record:
        """What the client is to bring back, besides its answers to these."""
        return Record({}, {key: _mark(question) for key, question in questions.items()})


FIRST: Final = First()


class Replay(First):
    """The asker of a retry.

    State: `_answers` grows by what the client brought, `_put` by what the handler asked in this run.
    """

    __slots__ = ("_answers", "_asked", "_given", "_put")

    def __init__(self, known: Record | None, given: Mapping[str, Any]) -> None:
        """Give a run its answers.

        Args:
            known: what the state holds; None when the client sent none.
            given: the answers that come with this retry. Keys that nobody asks for are never looked at.
        """
        self._answers = {} if known is None else dict(known.answers)
        # Without a state, nothing tells what was asked: the answers stand for themselves.
        self._asked = None if known is None else known.asked
        self._given = given
        self._put: dict[str, str] = {}

    async def ask(self, questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        """The answers; those that are missing end the request."""
        still_open = {key: question for key, question in questions.items() if not self._has(key, question)}
        if still_open:
            raise InputRequired(still_open)
        return {key: self._answers[key][1] for key in questions}

    def record(self, questions: Mapping[str, Question]) -> Record:
        """What the client is to bring back, besides its answers to these."""
        # A question that is put again, with a reason, is marked as it was at first: so the next run will ask it.
        return Record(self._answers, {key: self._put.get(key) or _mark(question) for key, question in questions.items()})

    def _has(self, key: str, question: Question) -> bool:
        if key in self._put:
            # The answer could not be read; it is forgotten.
            self._answers.pop(key, None)
            return False
        mark = self._put[key] = _mark(question)
        answered = self._answers.get(key)
        if answered is None and key in self._given and (self._asked is None or key in self._asked):
            answered = self._answers[key] = (mark if self._asked is None else self._asked[key], self._given[key])
        if answered is not None and answered[0] != mark:
            # A yes to one question is none to another.
            logger.warning(
                "the question %r is not the one that was answered, so it is asked again: when the handler runs anew, its questions "
                "must be the same, without a time or a random value in them",
                key,
            )
            del self._answers[key]
            return False
        return answered is not None


def resume(states: RequestStates, method: str, params: Mapping[str, Any]) -> Replay:
    """The asker of a request that brings `inputResponses`, `requestState` or both.

    Raises:
        InvalidParams: one of them is malformed, or the state is not this request's.
    """
    given = params.get("inputResponses", {})
    if not isinstance(given, dict) or not all(isinstance(answer, dict) for answer in given.values()):
        raise InvalidParams("inputResponses must be an object that holds an object for each question")
    known = states.open(params["requestState"], binding(method, params)) if "requestState" in params else None
    return Replay(known, given)


def suspend(states: RequestStates, method: str, params: Mapping[str, Any], asker: First, stop: InputRequired) -> dict[str, Any]:
    """The `input_required` result, but for what every result has.

    Raises:
        InvalidParams: the answers so far are too large to be carried.
    """
    sealed = states.seal(asker.record(stop.questions), binding(method, params))
    questions = {key: question.to_dict() for key, question in stop.questions.items()}
    return {"resultType": "input_required", "inputRequests": questions, "requestState": sealed}


def _mark(question: Question) -> str:
    """A few characters by which a question is known again."""
    return b64encode(sha256(dump([question.method, question.params])).digest()[:12]).decode()
