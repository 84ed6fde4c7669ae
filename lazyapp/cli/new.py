"""`lazyapp new`."""

import importlib.util
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from lazyapp.cli.group import make

command = make()


@command.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as shop or my-shop.", show_default=False)],
    folder: Annotated[Path | None, typer.Option("--dir", help="Where to make it, instead of a folder of that name here.")] = None,
    without_mcp: Annotated[bool, typer.Option("--without-mcp", help="Pages and their login only: nothing for AI clients.")] = False,
    without_oauth: Annotated[
        bool, typer.Option("--without-oauth", help="No login for AI clients: /mcp is open, on this machine only.")
    ] = False,
) -> None:
    """Make a new application in a folder of its own: pages, MCP, login and tests, ready to serve. Needs no network.

    \b
    Examples:
      lazyapp new shop
      lazyapp new shop --dir work/shop --without-oauth
    """
    from lazyapp.scaffold import Shape, create

    place = folder or Path(name)
    shape = Shape.of(mcp=not without_mcp, oauth=not without_oauth)
    files = create(name, place, shape)
    there = "" if place.resolve() == Path.cwd() else f"cd {shlex.quote(str(place))} && "
    print(f"  Created {place}/ with {len(files)} files: {shape.value}.")
    print(f"  Next:  {_bold(f'{there}bin/serve')}")
    print(f"  Test:  {_bold('bin/test')}{_lacking()}")


def _lacking() -> str:
    """What the tests of the new application lack in the Python that will run them."""
    if importlib.util.find_spec("pytest") is not None:
        return ""
    return f", once pytest is there: {shlex.quote(sys.executable)} -m pip install pytest ruff mypy"


def _bold(text: str) -> str:
    if not sys.stdout.isatty():
        return text
    from lazyapp.serving.banner import BOLD, RESET, wants_colour

    return f"{BOLD}{text}{RESET}" if wants_colour(sys.stdout) else text
