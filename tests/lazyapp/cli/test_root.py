"""`lazyapp`: what it lists, and how every command ends."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lazyapp.cli.commands import COMMANDS
from tests.lazyapp.tiny_app import environment, run, write_app

HEAVY = ("fastapi", "starlette", "sqlalchemy", "uvicorn", "pydantic", "jinja2", "rich", "lazymcp", "lazyoauth", "watchfiles")


def test_help_lists_every_command_and_imports_none(tmp_path: Path) -> None:
    """Design 7: plain help, commands imported when run. More than one word is for typer; one alone is told in test_commands.py."""
    command = [sys.executable, "-X", "importtime", "-m", "lazyapp", "--help", "serve"]
    result = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert re.findall(r"^  (\w+)  ", result.stdout, re.MULTILINE) == list(COMMANDS)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines()}
    assert "typer" in imported
    assert imported.isdisjoint(HEAVY)


def test_a_listed_command_explains_itself(tmp_path: Path) -> None:
    """All of them are walked in test_examples.py; here is one as it is typed."""
    result = run(tmp_path, "mcp", "stdio", "-h")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Usage: lazyapp mcp stdio" in result.stdout
    assert "Examples:\n    lazyapp mcp stdio\n" in result.stdout


def test_the_version_is_told(tmp_path: Path) -> None:
    assert re.fullmatch(r"lazyapp \d+\.\d+\.\d+\n", run(tmp_path, "--version").stdout)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("srve", "`lazyapp srve` is no command; did you mean `lazyapp serve`?"),
        ("frobnicate", "`lazyapp frobnicate` is no command; `lazyapp --help` lists them."),
        ("mcp stdoi", "`lazyapp mcp stdoi` is no command; did you mean `lazyapp mcp stdio`?"),
        ("serve", "No init/app.py found here or above; run `lazyapp new NAME` or change to the application's folder."),
        ("routes", "No init/app.py found here or above;"),
        ("mcp stdio", "No init/app.py found here or above;"),
    ],
)
def test_a_wrong_command_ends_with_2_and_one_sentence(typed: str, answer: str, tmp_path: Path) -> None:
    """Design 7: exit code 2 and one sentence that says what to type."""
    result = run(tmp_path, *typed.split())
    assert (result.returncode, result.stdout) == (2, "")
    assert answer in result.stderr
    assert result.stderr.count("\n") == 1


def test_without_a_command_the_help_is_shown(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("Usage: lazyapp [OPTIONS] COMMAND")


def test_an_error_in_the_application_is_shown_short(tmp_path: Path) -> None:
    """The developer's own lines, not the framework's."""
    write_app(tmp_path, "import shop_that_is_not_there\n")
    result = run(tmp_path, "routes")
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "init/app.py:1 in <module>",
        "    import shop_that_is_not_there",
        "ModuleNotFoundError: No module named 'shop_that_is_not_there'",
    ]
