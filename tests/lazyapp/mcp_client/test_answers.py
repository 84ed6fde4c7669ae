"""lazyapp/mcp_client/answers.py: what a tool asks its user, answered at a terminal."""

from collections.abc import Iterable
from typing import Any

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.mcp_client.answers import Answers, given

COLOURS = [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]
FORM = {
    "message": "Tell me.",
    "requestedSchema": {
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "of a person", "minLength": 2},
            "age": {"type": "integer"},
            "news": {"type": "boolean", "default": True},
            "colour": {"type": "string", "oneOf": COLOURS},
            "sizes": {"type": "array", "items": {"enum": ["s", "m"]}},
        },
        "required": ["name", "colour"],
    },
}


async def fill(asked: dict[str, Any], lines: Iterable[str], before: Iterable[Any] = ()) -> tuple[dict[str, Any], str]:
    """The answer, and all that was shown."""
    said: list[str] = []
    typed = iter(lines)

    async def read() -> str:
        return next(typed, "")

    return await Answers(list(before), said.append, read)(asked), "".join(said)


async def test_a_form_is_asked_field_by_field() -> None:
    """MCP 2026-07-28, client/elicitation, "Form mode": the types, the choices and the defaults of its fields."""
    answer, said = await fill(FORM, ["Ada\n", "36\n", "\n", "2\n", "s, 2\n"])
    content = {"name": "Ada", "age": 36, "news": True, "colour": "g", "sizes": ["s", "m"]}
    assert answer == {"action": "accept", "content": content}
    assert said.startswith("Tell me.\n  Name (of a person): ")
    assert "    1  Red\n    2  Green\n  colour: " in said
    assert "  news y/n [True]: " in said


async def test_what_does_not_fit_is_asked_again() -> None:
    """docs/commands.md, "When a tool asks something"."""
    answer, said = await fill(FORM, ["A\n", "\n", "Ada\n", "old\n", "\n", "maybe\n", "n\n", "blue\n", "Green\n", "\n"])
    assert answer["content"] == {"name": "Ada", "news": False, "colour": "g"}
    assert "must be a whole number" in said
    assert "is needed; Ctrl-D declines" in said


async def test_the_end_of_the_input_declines() -> None:
    """docs/commands.md, "When a tool asks something": Ctrl-D."""
    assert (await fill(FORM, ["Ada\n"]))[0] == {"action": "decline"}


@pytest.mark.parametrize(("line", "action"), [("\n", "accept"), ("n\n", "decline"), ("", "decline")])
async def test_a_page_is_shown_and_waited_for(line: str, action: str) -> None:
    """MCP 2026-07-28, client/elicitation, "URL mode": the whole address is shown, and nothing opens it unasked."""
    answer, said = await fill({"mode": "url", "message": "Pay.", "url": "https://example.com/pay"}, [line] if line else [])
    assert answer == {"action": action}
    assert "https://example.com/pay" in said


async def test_given_answers_come_first_and_then_the_terminal() -> None:
    before = list(given(['{"name": "Bob"}', "true", "false"]))
    answers = Answers(before, lambda text: None, None)
    assert [await answers(FORM) for _ in range(4)] == [
        {"action": "accept", "content": {"name": "Bob"}},
        {"action": "accept"},
        {"action": "decline"},
        {"action": "cancel"},
    ]


@pytest.mark.parametrize("text", ["yes", "[1]", "7", '"x"', "null", "{"])
def test_an_answer_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--answer should be a JSON object, true or false"):
        list(given([text]))
