"""What a server may ask its client: questions, who carries them, and how a request stops to wait for the answers.

A `Question` is the wire's; an `Ask` is a question with the way to read its answer. An `Asker` gets answers. In 2026-07-28 a
question ends the request: `InputRequired` leaves the handler, and the client sends the same request again with the answers. In
older revisions, and inside a task, the asker waits.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, NoReturn, Protocol, TypeVar

from lazymcp.errors import ToolError

__all__ = [
    "ELICIT",
    "NEEDS",
    "ROOTS",
    "SAMPLE",
    "Ask",
    "Asker",
    "InputRequired",
    "Question",
    "Unreadable",
    "leaves",
    "missing",
    "stops",
    "unaskable",
]

ELICIT: Final = "elicitation/create"
SAMPLE: Final = "sampling/createMessage"
ROOTS: Final = "roots/list"

# What a client declares when it can answer, in the shape of ClientCapabilities.
NEEDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "form": {"elicitation": {"form": {}}},
    "url": {"elicitation": {"url": {}}},
    "sampling": {"sampling": {}},
    "roots": {"roots": {}},
}

T = TypeVar("T")


class Question(NamedTuple):
    """A request to the client, as it goes on the wire.

    Attributes:
        method: "elicitation/create", "sampling/createMessage" or "roots/list".
    """

    method: str
    params: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """An entry of `inputRequests`. MCP 2026-07-28, basic/patterns/mrtr."""
        return {"method": self.method, "params": self.params}


class Unreadable(Exception):
    """An answer that the question does not allow; the message says why, to whoever is asked again."""


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """A question and what its answer means.

    Attributes:
        needs: the capabilities that the client must have declared.
        read: turns the client's result into the answer.
            Raises Unreadable when the question must be put again, InvalidParams for a result that is none, Declined.
    """

    question: Question
    needs: Mapping[str, Any]
    read: Callable[[Any], T]


class Asker(Protocol):
    """Gets answers from the client of one request."""

    async def ask(self, questions: Mapping[str, Question], /) -> Mapping[str, Any]:
        """The client's result for each question, under the same key; as it came, for `Ask.read` to judge.

        A key that comes again in the same request puts its question anew: the first answer could not be read.

        Raises:
            InputRequired: the answers come with another request.
            ToolError: the client cannot be asked, or refused.
        """
        ...


class InputRequired(BaseException):
    """The request ends here; the client is told to answer these questions and to send it again.

    Not an Exception, so that a handler's `except Exception` lets it pass. It is no failure. MCP 2026-07-28, basic/patterns/mrtr.
    """

    def __init__(self, questions: Mapping[str, Question]) -> None:
        super().__init__(f"input required: {', '.join(questions)}")
        self.questions = questions


def missing(needs: Mapping[str, Any], declared: Mapping[str, Any]) -> dict[str, Any]:
    """What is needed and was not declared, in the same shape; empty when nothing is missing."""
    found: dict[str, Any] = {}
    for name, parts in needs.items():
        has = declared.get(name)
        if not isinstance(has, Mapping):
            found[name] = parts
            continue
        if name == "elicitation" and not has:
            # MCP 2025-11-25, client/elicitation, "Capabilities": an empty object declares form mode, as when there were no modes.
            has = {"form": {}}
        lacks: dict[str, Any] = {part: {} for part in parts if part not in has}
        if lacks:
            found[name] = lacks
    return found


def unaskable(why: str = "this connection carries no questions to the client") -> NoReturn:
    """Say that there is nobody to ask.

    Raises:
        ToolError: always.
    """
    raise ToolError(f"this client cannot be asked: {why}")


def stops(problem: BaseException) -> InputRequired | None:
    """The questions for which a handler stopped, out of the groups that task groups make of them; None for any other end.

    A group that holds a failure too is a failure.
    """
    if isinstance(problem, InputRequired):
        return problem
    if not isinstance(problem, BaseExceptionGroup):
        return None
    questions: dict[str, Question] = {}
    for leaf in leaves(problem):
        if not isinstance(leaf, InputRequired):
            return None
        questions |= leaf.questions
    return InputRequired(questions)


def leaves(group: BaseExceptionGroup[Any]) -> Iterator[BaseException]:
    """What a group holds, however deep."""
    for inner in group.exceptions:
        if isinstance(inner, BaseExceptionGroup):
            yield from leaves(inner)
        else:
            yield inner
