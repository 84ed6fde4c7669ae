"""`lazyapp oauth doctor`."""

import asyncio
import json
import os
import shutil
import sys
from typing import Annotated

import typer

from lazyapp.cli.group import make

command = make()


@command.command()
def doctor(
    url: Annotated[str, typer.Argument(metavar="URL", help="The MCP endpoint, as people type it: https://example.com/mcp.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, one object with `findings`.")] = False,
    no_register: Annotated[
        bool, typer.Option("--no-register", help="Register no client; what needs a registered one is left out.")
    ] = False,
) -> None:
    """Play an MCP client against any deployment and name what would stop it, with the fix.

    It registers as real clients do where registration is open, but never signs in. It asks the given host and the authorization
    server that this host names, at most 120 times. Ends with 1 when something breaks, or may break, a client.

    \b
    Examples:
      lazyapp oauth doctor http://localhost:3000/mcp
      lazyapp oauth doctor https://shop.example.com/mcp --no-register --json
    """
    import httpx2

    from lazyapp.doctor.examine import Report, examine
    from lazyapp.doctor.report import lines, to_dict

    async def examined() -> Report:
        async with httpx2.AsyncClient() as http:
            return await examine(url, http, registers=not no_register)

    report = asyncio.run(examined())
    if as_json:
        print(json.dumps(to_dict(report), indent=2, ensure_ascii=False))
    else:
        is_terminal = sys.stdout.isatty()
        width = min(shutil.get_terminal_size().columns, 110) if is_terminal else 100
        print(*lines(report, width=width, colour=is_terminal and "NO_COLOR" not in os.environ), sep="\n")
    raise typer.Exit(0 if report.is_healthy else 1)
