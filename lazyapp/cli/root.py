"""The `lazyapp` command itself: finds the command that is typed, and tells how every command ends.

0 is done, 1 failed, 2 a wrong command or setting; the last with one sentence on stderr that says what to type.
"""

import sys
from typing import Annotated, Any, NoReturn

import typer
import typer.main

from lazyapp.cli.commands import ABOUT, COMMANDS, EXAMPLES, VERSION_HELP, version
from lazyapp.cli.group import LazyGroup, make

# typer keeps its copy of click private; the class above its public BadParameter is that of every wrong command line.
UsageError: type[Any] = typer.BadParameter.__mro__[1]


class Commands(LazyGroup):
    """The commands of `lazyapp`."""

    commands_by_name = COMMANDS


_EXAMPLES = "\n".join(f"  {example}" for example in EXAMPLES)
command = make(Commands, help=f"{ABOUT}\n\n\b\nExamples:\n{_EXAMPLES}")  # \b keeps the lines of the help as they are


def _show_version(wanted: bool) -> None:
    if wanted:
        print(version())
        raise typer.Exit


@command.callback()
def _root(
    wanted: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help=VERSION_HELP)] = False,
) -> None:
    pass


def run() -> NoReturn:
    """Run what the command line says, and end the process with its exit code."""
    root = typer.main.get_command(command)
    try:
        code = root.main(prog_name="lazyapp", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except UsageError as error:
        from lazyapp.cli.wrong import sentence

        _end(sentence(error, root, sys.argv[1:]), 2)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as error:
        from lazyapp.cli.process import failed

        sys.exit(failed(error))


def _end(text: str, code: int) -> NoReturn:
    print(text, file=sys.stderr)
    sys.exit(code)
