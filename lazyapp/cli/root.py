"""The `lazyapp` command itself: what it lists, and how every command ends.

0 is done, 1 failed, 2 a wrong command or setting; the last with one sentence on stderr that says what to type.
"""

import sys
from typing import Annotated, Any, NoReturn

import typer
import typer.main

from lazyapp.cli.group import Lazy, LazyGroup, make

# typer keeps its copy of click private; the class above its public BadParameter is that of every wrong command line.
UsageError: type[Any] = typer.BadParameter.__mro__[1]


class Commands(LazyGroup):
    """The commands of `lazyapp`."""

    commands_by_name = {  # noqa: RUF012  # declared a ClassVar by the base
        "new": Lazy("lazyapp.cli.new", "Make a new application in a folder of its own."),
        "serve": Lazy("lazyapp.cli.serve", "Serve this application: pages, MCP and login."),
        "check": Lazy("lazyapp.cli.check", "Start everything without serving it; --deploy: what production would refuse."),
        "generate": Lazy(
            "lazyapp.cli.generate", "Write a controller, a model, a tool for AI clients and the like, each with a test."
        ),
        "routes": Lazy("lazyapp.cli.routes", "List what this application answers: pages and MCP."),
        "mcp": Lazy("lazyapp.cli.mcp", "The MCP modules: list, call, read, lint them, connect clients, serve a local one."),
        "db": Lazy("lazyapp.cli.db", "The database: bring it up to date, look where it is, write migrations."),
        "user": Lazy("lazyapp.cli.user", "The users of this application: add, disable, list, change a password."),
        "docs": Lazy("lazyapp.cli.docs", "The documentation of this very version: list, print, search."),
        "oauth": Lazy("lazyapp.cli.oauth", "Logins of AI clients: examine a deployment, list and end logins."),
    }


command = make(
    Commands,
    help="""A web framework in which pages, AI clients and their login are one application.

    \b
    Examples:
      lazyapp new shop
      lazyapp serve
      lazyapp check --deploy
    """,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from lazyapp.version import __version__

        print(f"lazyapp {__version__}")
        raise typer.Exit


@command.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")] = False,
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
        from lazyapp.location import root_or_here
        from lazyapp.serving.failures import describe, exit_code

        _end(describe(error, root_or_here()), exit_code(error))


def _end(text: str, code: int) -> NoReturn:
    print(text, file=sys.stderr)
    sys.exit(code)
