"""What `lazyapp` does without typer: its help and its version, and the process that a desktop client starts and waits for.

Importing typer takes longer than all that is told here. It is left to other commands, and to a line that is mistyped.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple


class Lazy(NamedTuple):
    """A command, or a group of them, that is not imported yet.

    Args:
        module: a module with a `command: typer.Typer`.
        summary: its line in the list.
    """

    module: str
    summary: str


COMMANDS: Final[Mapping[str, Lazy]] = {
    "new": Lazy("lazyapp.cli.new", "Make a new application in a folder of its own."),
    "serve": Lazy("lazyapp.cli.serve", "Serve this application: pages, MCP and login."),
    "check": Lazy("lazyapp.cli.check", "Start everything without serving it; --deploy: what production would refuse."),
    "generate": Lazy("lazyapp.cli.generate", "Write a controller, a model, a tool for AI clients and the like, each with a test."),
    "routes": Lazy("lazyapp.cli.routes", "List what this application answers: pages and MCP."),
    "mcp": Lazy("lazyapp.cli.mcp", "The MCP modules: list, call, read, lint them, connect clients, serve a local one."),
    "db": Lazy("lazyapp.cli.db", "The database: bring it up to date, look where it is, write migrations."),
    "user": Lazy("lazyapp.cli.user", "The users of this application: add, disable, list, change a password."),
    "docs": Lazy("lazyapp.cli.docs", "The documentation of this very version: list, print, search."),
    "oauth": Lazy("lazyapp.cli.oauth", "Logins of AI clients: examine a deployment, list and end logins."),
}
ABOUT: Final = "A web framework in which pages, AI clients and their login are one application."
EXAMPLES: Final = ("lazyapp new shop", "lazyapp serve", "lazyapp check --deploy")
VERSION_HELP: Final = "Show the version."

_NARROWEST, _WIDEST = 50, 78


def answered(typed: Sequence[str]) -> int | None:
    """Answer what asks for no command, on stdout, or the help that nothing asked for on stderr; serve a local client.

    Args:
        typed: the words after `lazyapp`.

    Returns:
        The exit code; None where a command is to be run, or refused.
    """
    match typed:
        case []:
            print(help_text(), file=sys.stderr)
            return 2
        case ["--help" | "-h"]:
            return _print(help_text())
        case ["--version"]:
            return _print(version())
        case ["mcp", "stdio"]:
            return _serve_one_client(None)
        case ["mcp", "stdio", "--folder", folder] if not folder.startswith("-"):
            return _serve_one_client(folder)
    return None


def version() -> str:
    """The answer to `--version`."""
    from lazyapp.version import __version__

    return f"lazyapp {__version__}"


def help_text() -> str:
    """The answer to `--help`: as typer sets that of the other commands, as wide as the terminal up to 80 letters."""
    import shutil

    width = max(min(shutil.get_terminal_size().columns - 2, _WIDEST), _NARROWEST)
    options = (("--version", VERSION_HELP), ("-h, --help", "Show this message and exit."))
    lines = [
        "Usage: lazyapp [OPTIONS] COMMAND [ARGS]...",
        "",
        *_wrapped(ABOUT, width, "  ", "  "),
        *("", "  Examples:", *(f"    {example}" for example in EXAMPLES)),
        *("", "Options:", *_table(options, width)),
        *("", "Commands:", *_table([(name, lazy.summary) for name, lazy in COMMANDS.items()], width)),
    ]
    return "\n".join(lines)


def _serve_one_client(folder: str | None) -> int:
    from pathlib import Path

    from lazyapp.cli.local_client import serve_one_client
    from lazyapp.cli.process import failed

    try:
        serve_one_client(None if folder is None else Path(folder))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 1
    except Exception as error:
        return failed(error)
    return 0


def _table(rows: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    rows = list(rows)
    first = max(len(name) for name, _ in rows) + 2
    for name, told in rows:
        yield from _wrapped(told, width, f"  {name:{first}}", " " * (first + 2))


def _wrapped(text: str, width: int, first: str, others: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=others)


def _print(text: str) -> int:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # The reader has left, as of `lazyapp --help | head -1`. What it left unread would be written again at Python's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return 0
