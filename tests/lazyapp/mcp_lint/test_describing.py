"""lazyapp/mcp_lint/describing.py: descriptions."""

import pytest

from tests.lazyapp.mcp_lint.seeded import found, item, with_argument


@pytest.mark.parametrize(
    ("description", "rule", "said"),
    [
        (" ", "description-missing", "the tool has no description"),
        ("Searches.", "description-short", "the description is 'Searches.'"),
        ("Search the orders of a shop.", "description-echo", "the description is 'Search the orders of a shop.'"),
        ("Lend: so far this only answers that it is done.", "description-generated", "the description is the generated one"),
        ("Search everything. " + "x" * 2048, "description-long", "the description has 2,067 characters"),
    ],
)
def test_descriptions_that_tell_a_model_nothing_or_too_much_are_found(description: str, rule: str, said: str) -> None:
    """https://www.anthropic.com/engineering/writing-tools-for-agents, https://github.com/ayushcodes10/echo-mem/pull/38."""
    assert found(item(description=description)) == [(rule, said)]


def test_an_argument_without_a_description_is_found_wherever_it_lies() -> None:
    """https://github.com/G-Core/gcore-mcp-server/issues/14."""
    inner = {"type": "object", "description": "Where.", "properties": {"city": {"type": "string"}}}
    assert found(with_argument("address", inner)) == [("argument-undescribed", "the argument address.city has no description")]


def test_an_argument_of_a_prompt_without_a_description_is_noticed() -> None:
    """MCP 2026-07-28, server/prompts, "Prompt"."""
    assert found(item("prompt", arguments=[{"name": "since"}])) == [
        ("prompt-argument-undescribed", "the argument since has no description")
    ]
