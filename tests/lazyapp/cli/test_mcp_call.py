"""`lazyapp mcp call`."""

import json
from pathlib import Path

import pytest

from tests.lazyapp.cli.conftest import EXAMPLE
from tests.lazyapp.cli.forking import Commands


def test_a_tool_of_the_example_is_called(lazyapp: Commands, tmp_path: Path) -> None:
    """docs/commands.md, "Call a tool"."""
    variables = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/app.db"}
    result = lazyapp(EXAMPLE, "mcp", "call", "admin.user_count", "active=true", **variables)
    assert (result.returncode, result.stdout) == (0, "count  2\n"), result.stderr


def test_words_are_typed_by_the_schema_and_data_is_a_table(lazyapp: Commands, everything: Path) -> None:
    """docs/commands.md, "Arguments". What modules and tools print goes to stderr."""
    result = lazyapp(everything, "mcp", "call", "shop_search", "query=12", "limit=2", "tags=a", "tags=b")
    assert result.stdout == "total  9\nrows:\n  name      size\n  12 0 a b  0\n  12 1 a b  1\n", result.stderr
    assert result.returncode == 0
    assert "printed by an import" in result.stderr
    assert "printed by a tool" in result.stderr


@pytest.mark.parametrize("how", ["text", "file", "stdin"])
def test_arguments_come_as_json(lazyapp: Commands, everything: Path, tmp_path: Path, how: str) -> None:
    """docs/commands.md, "Arguments": as a text, from a file, from stdin; `--json` prints the result as it is sent."""
    text = json.dumps({"query": "tea", "limit": 1})
    (tmp_path / "args.json").write_text("\ufeff" + text)
    given = {"text": text, "file": f"@{tmp_path / 'args.json'}", "stdin": "-"}[how]
    result = lazyapp(everything, "mcp", "call", "shop.search", "--args", given, "--json", stdin=text)
    assert json.loads(result.stdout)["structuredContent"] == {"total": 9, "rows": [{"name": "tea 0", "size": 0}]}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["shop.serch", "query=x"], "There is no tool 'shop.serch'; did you mean shop.search?\n"),
        (["search"], "There is no tool 'search'; did you mean shop.search?\n"),
        (["shop.search", "qery=x"], "There is no argument 'qery'; did you mean 'query'?\n"),
        (
            ["shop.search", "limit=1"],
            "The argument 'query' is missing; it takes query: string, limit?: integer, tags?: string[].\n",
        ),
        (["shop.search", "query=x", "limit=many"], "The argument 'limit' should be a whole number, not 'many'.\n"),
        (["shop.search", "query"], "'query' is no argument; write NAME=VALUE, such as query=x, or --args with JSON.\n"),
        (["shop.search", "query=x", "--args", '{"query": "y"}'], "The argument 'query' is given twice: by --args and by query=.\n"),
        (["shop.search", "--args", '{"query": "y", "limit": [1]}'], "shop.search: "),
        (["shop.search", "--args", "[1]"], "--args: --args should be a JSON object"),
        (["shop.who", "--user", "adda"], "There is no user 'adda'; `lazyapp user list` shows who there is.\n"),
        (["shop.order", "--answer", "yes"], "--answer should be a JSON object, true or false"),
    ],
)
def test_what_cannot_be_called_ends_with_2_and_a_sentence(
    lazyapp: Commands, everything: Path, arguments: list[str], sentence: str
) -> None:
    """Design 7: a wrong command ends with exit code 2 and one sentence that says what to type."""
    result = lazyapp(everything, "mcp", "call", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    said = result.stderr.replace("printed by an import\n", "")
    assert said.startswith(sentence)
    assert said.count("\n") == 1


def test_a_wrong_value_in_json_names_its_argument(lazyapp: Commands, everything: Path) -> None:
    """docs/commands.md, "Exit codes": the sentence that a model would read, before anything is called."""
    result = lazyapp(everything, "mcp", "call", "shop.search", "--args", '{"query": "y", "limit": [1]}')
    assert "limit" in result.stderr.splitlines()[-1]
    assert "printed by a tool" not in result.stderr


def test_a_failing_tool_ends_with_1_and_its_words_on_stderr(lazyapp: Commands, everything: Path) -> None:
    """MCP 2026-07-28, server/tools, "Error handling": the model reads the sentence; the developer also what lies behind."""
    refused = lazyapp(everything, "mcp", "call", "shop.refuse")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.endswith("the shelf is empty; order first\n")
    crashed = lazyapp(everything, "mcp", "call", "shop.crash", "--json")
    assert crashed.returncode == 1
    assert "secret innards" not in crashed.stdout
    assert "RuntimeError: secret innards" in crashed.stderr
    assert json.loads(crashed.stdout)["isError"] is True


def test_a_chosen_user_may_call_what_is_open_to_them_and_nothing_else(lazyapp: Commands, everything: Path) -> None:
    """docs/commands.md, "As one of your users": the claims of a token decide, as at /mcp."""
    assert lazyapp(everything, "mcp", "call", "shop.who").stdout == "admin\n"
    assert lazyapp(everything, "mcp", "call", "shop.who", "-u", "ada").stdout == "ada with \n"
    assert lazyapp(everything, "mcp", "call", "office.fire", "name=Bob", "-u", "boss").stdout == "Bob is gone\n"
    closed = lazyapp(everything, "mcp", "call", "office.fire", "name=Bob", "-u", "ada")
    assert (closed.returncode, closed.stdout) == (1, "")
    assert "The tool office.fire is not open to ada: it belongs to the module 'office'; `lazyapp user mcps ada" in closed.stderr
    lacking = lazyapp(everything, "mcp", "call", "shop.restock", "-u", "ada", "--scope", "mcp")
    assert lacking.returncode == 1
    assert "shop:write" in lacking.stderr
    assert lazyapp(everything, "mcp", "call", "shop.restock", "-u", "ada", "--scope", "shop:write").returncode == 0


def test_bytes_are_said_and_saved_where_one_asks(lazyapp: Commands, everything: Path, tmp_path: Path) -> None:
    """docs/commands.md, "Pictures, sounds and files"."""
    said = lazyapp(everything, "mcp", "call", "shop.picture")
    assert said.stdout == "the shelf\n"
    assert "image/png, 9 bytes; --out FILE saves it.\naudio/wav, 9 bytes; --out FILE saves it.\n" in said.stderr
    saved = lazyapp(everything, "mcp", "call", "shop.picture", "--out", str(tmp_path / "shelf"))
    assert f"image/png, 9 bytes, saved in {tmp_path}/shelf/1.png." in saved.stderr
    assert (tmp_path / "shelf" / "1.png").read_bytes() == b"png bytes"
    assert (tmp_path / "shelf" / "2.wav").read_bytes() == b"wav bytes"


def test_progress_and_log_lines_are_shown_on_stderr(lazyapp: Commands, everything: Path) -> None:
    """MCP 2026-07-28, basic/utilities/progress."""
    result = lazyapp(everything, "mcp", "call", "shop.slow")
    assert result.stdout == "three\n"
    assert "… 1/3 one\nwarning: a line\n… 2/3 two\n" in result.stderr


def test_a_task_is_followed_to_its_result(lazyapp: Commands, everything: Path) -> None:
    """SEP-2663, "Task Polling"."""
    assert lazyapp(everything, "mcp", "call", "shop.bake").stdout == "baked\n"


def test_a_question_without_a_terminal_is_answered_beforehand_or_told(lazyapp: Commands, everything: Path) -> None:
    """docs/commands.md, "When a tool asks something"."""
    told = lazyapp(everything, "mcp", "call", "shop.order")
    assert told.returncode == 1
    assert told.stderr.endswith(
        "It asks its user something, and there is no terminal to answer at; run it in one, or answer with --answer.\n"
    )
    answered = lazyapp(everything, "mcp", "call", "shop.order", "--answer", '{"size": "large", "gift": true}')
    assert answered.stdout == "large as a gift\n"
    declined = lazyapp(everything, "mcp", "call", "shop.order", "--answer", "false")
    assert (declined.returncode, declined.stdout) == (1, "")
    assert "the user declined" in declined.stderr
