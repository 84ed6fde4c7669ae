"""Every command of `lazyapp`, found by walking down from the first: it explains itself, and its examples can be typed."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from lazyapp.cli.examples import examples, words
from lazyapp.cli.root import command as root


def walk(command: Any, path: tuple[str, ...] = ("lazyapp",)) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            yield from walk(command.get_command(None, name), (*path, name))


LAZYAPP = typer.main.get_command(root)
COMMANDS = [pytest.param(path, command, id=" ".join(path)) for path, command in walk(LAZYAPP)]


def entered(typed: list[str]) -> str:
    """The command that a command line leads to, with its options and arguments read, and nothing run."""
    context, rest = LAZYAPP.make_context("lazyapp", typed), typed
    while hasattr(context.command, "list_commands"):
        rest = [*context._protected_args, *context.args] if hasattr(context, "_protected_args") else context.args
        if not rest:
            break
        name, found, rest = context.command.resolve_command(context, rest)
        context = found.make_context(name, rest, parent=context)
    return str(context.command_path)


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_every_command_has_help_with_examples_that_can_be_typed(path: tuple[str, ...], command: Any) -> None:
    """docs/new.md: every command has `--help` with an example."""
    context = command.make_context(path[-1], [], parent=None, resilient_parsing=True)
    text = command.get_help(context)
    assert not re.search(r"^  .*\.\.\.$", text, re.MULTILINE), "a summary is cut off"
    found = examples(text)
    assert found, "its help has no `Examples:` block; lazyapp/cli/examples.py shows one"
    assert max(map(len, text.splitlines())) <= 120, "a line does not fit"
    for example in found:
        typed = words(example)
        is_own = typed[: len(path)] == list(path)
        assert is_own, example
        reached = entered(typed[1:])
        assert reached.startswith(" ".join(path)), example


def test_an_example_is_read_as_the_shell_reads_it() -> None:
    assert words("lazyapp user add ci --mcps '*' --password-stdin < secret") == [
        *("lazyapp", "user", "add", "ci", "--mcps", "*", "--password-stdin")
    ]
    assert words("lazyapp routes --json | jq .mcp") == ["lazyapp", "routes", "--json"]
    assert words("lazyapp mcp call x status='a|b'") == ["lazyapp", "mcp", "call", "x", "status=a|b"]
    assert words("LAZYAPP_ENV=production lazyapp check") == ["lazyapp", "check"]


def test_a_help_without_examples_has_none() -> None:
    assert examples("Serves.\n\nOptions:\n  --port") == []
    assert examples(None) == []
    assert examples("Serves.\n\n  Examples:\n    lazyapp serve\n    A=1 lazyapp serve --port 1\n\nOptions:") == [
        "lazyapp serve",
        "A=1 lazyapp serve --port 1",
    ]
