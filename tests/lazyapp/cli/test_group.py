"""Groups whose commands are imported when they run."""

import sys
from collections.abc import Mapping
from typing import ClassVar

import pytest
import typer.main
from typer.testing import CliRunner

from lazyapp.cli.commands import Lazy
from lazyapp.cli.group import LazyGroup, make
from lazyapp.errors import ConfigurationError


class Commands(LazyGroup):
    """One command that exists and one that could not be imported."""

    commands_by_name: ClassVar[Mapping[str, Lazy]] = {
        "stdio": Lazy("lazyapp.cli.mcp_stdio", "Serves."),
        "gone": Lazy("no_such_module", "Is not there."),
    }


@pytest.fixture
def command() -> typer.Typer:
    command = make(Commands, help="A group.")

    @command.callback()
    def _root() -> None:
        pass

    return command


def test_the_list_is_told_without_importing_a_command(command: typer.Typer) -> None:
    """Design 7: commands imported when run."""
    result = CliRunner().invoke(command, ["--help"])
    assert result.exit_code == 0
    assert "  stdio  Serves." in result.stdout
    assert "  gone   Is not there." in result.stdout


def test_a_command_is_imported_when_it_is_asked_for(command: typer.Typer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "lazyapp.cli.mcp_stdio", raising=False)
    result = CliRunner().invoke(command, ["stdio", "--help"])
    assert result.exit_code == 0
    assert "lazyapp.cli.mcp_stdio" in sys.modules


@pytest.mark.parametrize(("typed", "advice"), [("stdoi", "did you mean `root stdio`?"), ("xyz", "`root --help` lists them.")])
def test_an_unknown_command_is_answered_with_the_nearest(typed: str, advice: str, command: typer.Typer) -> None:
    with pytest.raises(ConfigurationError) as refused:
        CliRunner().invoke(command, [typed], catch_exceptions=False)
    assert str(refused.value) == f"`root {typed}` is no command; {advice}"
