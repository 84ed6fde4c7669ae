"""`lazyapp mcp stdio`: the process that a desktop client starts. Its stdout belongs to the protocol, all else goes to stderr."""

from pathlib import Path
from typing import Annotated

import typer

from lazyapp.cli.group import make

command = make()


@command.command()
def stdio(
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="PATH", help="The application's folder, for clients that start it elsewhere.")
    ] = None,
    about: Annotated[
        bool, typer.Option("--about", help="Instead of the modules, tell a coding agent about the application (docs/about.md).")
    ] = False,
) -> None:
    """Serve the MCP modules to one local client over stdin and stdout.

    The same modules and services as under `lazyapp serve`, without web server and login: whoever may start the process
    may call its tools. They see the user named by LAZYAUTH_DEFAULT_USER, `admin` where it is not set.

    \b
    Examples:
      lazyapp mcp stdio
      LAZYAUTH_DEFAULT_USER=ada lazyapp mcp stdio
      lazyapp mcp stdio --about
    """
    from lazyapp.cli.local_client import serve_one_client

    serve_one_client(folder, about=about)
