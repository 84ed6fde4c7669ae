"""`lazyapp mcp prompt`."""

import json
from pathlib import Path

import pytest

from tests.lazyapp.cli.conftest import EXAMPLE
from tests.lazyapp.cli.forking import Commands


def test_a_prompt_of_the_example_is_asked_for(lazyapp: Commands, tmp_path: Path) -> None:
    """docs/commands.md, "Ask for a prompt"."""
    variables = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/app.db"}
    result = lazyapp(EXAMPLE, "mcp", "prompt", "admin.audit", "since=Monday", **variables)
    assert (result.returncode, result.stdout) == (0, "Summarise the admin audit events since Monday.\n"), result.stderr


def test_several_messages_say_whose_they_are(lazyapp: Commands, everything: Path) -> None:
    """docs/commands.md, "Ask for a prompt": arguments are texts, which the prompt's own types read."""
    result = lazyapp(everything, "mcp", "prompt", "shop_greet", "name=Ada", "times=2")
    assert result.stdout == "[user]\nGreet Ada 2 times.\n\n[assistant]\nGladly.\n"
    found = json.loads(lazyapp(everything, "mcp", "prompt", "shop.greet", "name=Ada", "--json").stdout)
    assert [message["role"] for message in found["messages"]] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["shop.great"], 2, "There is no prompt 'shop.great'; did you mean shop.greet?"),
        (["shop.greet"], 2, "The argument 'name' is missing; it takes name: string, times?: string."),
        (["shop.greet", "name=Ada", "time=2"], 2, "There is no argument 'time'; did you mean 'times'?"),
        (["shop.greet", "name=Ada", "times=often"], 2, "shop.greet: argument 'times': "),
        (["office.scold", "-u", "ada"], 1, "The prompt office.scold is not open to ada"),
    ],
)
def test_what_cannot_be_asked_for_is_told(
    lazyapp: Commands, everything: Path, arguments: list[str], code: int, sentence: str
) -> None:
    """docs/commands.md, "Exit codes"."""
    result = lazyapp(everything, "mcp", "prompt", *arguments)
    assert (result.returncode, result.stdout) == (code, "")
    assert result.stderr.removeprefix("printed by an import\n").startswith(sentence)
