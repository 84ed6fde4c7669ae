"""`lazyapp new`."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from lazyapp.cli.group import make

command = make()


@command.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as shop or my-shop.", show_default=False)],
    folder: Annotated[Path | None, typer.Option("--dir", help="Where to make it, instead of a folder of that name here.")] = None,
) -> None:
    """Make a new application in a folder of its own: pages, MCP, login and a test, ready to serve. Needs no network."""
    from lazyapp.scaffold import create

    place = folder or Path(name)
    files = create(name, place)
    start = "lazyapp serve" if shutil.which("lazyapp") else "bin/serve"
    print(f"  Created {place}/ with {len(files)} files.")
    print(f"  Next:  {start}" if place.resolve() == Path.cwd() else f"  Next:  cd {place} && {start}")
