"""Groups of commands whose modules are imported when the command runs: `--help` costs what the list costs."""

import difflib
import importlib
from collections.abc import Mapping
from typing import Any, ClassVar

import typer
import typer.core
import typer.main

from lazyapp.cli.commands import Lazy
from lazyapp.errors import ConfigurationError


class Group(typer.core.TyperGroup):
    """A group that answers a wrong word with the nearest, and tells each of its commands in a whole sentence."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is typed first.

        Raises:
            ConfigurationError: there is no such command; the sentence names the nearest.
        """
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], names, n=1)
            advice = f"did you mean `{ctx.command_path} {near[0]}`?" if near else f"`{ctx.command_path} --help` lists them."
            raise ConfigurationError(f"`{ctx.command_path} {args[0]}` is no command; {advice}")
        return super().resolve_command(ctx, args)

    def summaries(self, ctx: Any) -> list[tuple[str, str]]:
        """Each command with the first line of its help."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        return [(name, (command.help or "").strip().partition("\n")[0]) for name, command in found if command is not None]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list in `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx))


class LazyGroup(Group):
    """A group whose commands are `commands_by_name`; a subclass a group."""

    commands_by_name: ClassVar[Mapping[str, Lazy]] = {}

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the table."""
        return list(self.commands_by_name)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import one command; None when there is no such."""
        lazy = self.commands_by_name.get(cmd_name)
        if lazy is None:
            return None
        found = typer.main.get_command(importlib.import_module(lazy.module).command)
        found.name = cmd_name
        return found

    def summaries(self, ctx: Any) -> list[tuple[str, str]]:
        """Out of the table alone."""
        return [(name, lazy.summary) for name, lazy in self.commands_by_name.items()]


def make(group: type[LazyGroup] | None = None, **options: Any) -> typer.Typer:
    """A typer application in this project's manner: plain help, no completion options, errors left to `root.run`.

    How a command says its examples is told in `examples.py`.
    """
    settings: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
    settings["cls"] = group or Group
    if group is not None:
        settings["no_args_is_help"] = True
    return typer.Typer(**settings, **options, context_settings={"help_option_names": ["-h", "--help"]})
