"""`lazyapp serve`."""

import gc
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lazyapp.cli.group import make

command = make()


def migrates_only(root: Path, *, production: bool) -> bool:
    """Whether LAZYAPP_MIGRATE=up asks for the database to be brought up to date and nothing more; then that is done here."""
    from lazyapp.settings import Settings

    os.environ["LAZYAPP_ENV"] = "production" if production else os.environ.get("LAZYAPP_ENV") or "development"
    if Settings.load(root).migrate != "up":
        return False
    from lazyapp.cli.db import upgrade

    upgrade("heads")
    return True


@command.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; ADDR otherwise, 127.0.0.1 at last.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port, 0 for any free one; PORT otherwise, 3000 at last.")
    ] = None,
    production: Annotated[bool, typer.Option("--production", help="Refuse unsafe settings, reload nothing.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that serve, with --production.")] = None,
    no_reload: Annotated[bool, typer.Option("--no-reload", help="Leave the server alone when files change.")] = False,
    no_refresh: Annotated[bool, typer.Option("--no-refresh", help="Leave open pages alone when files change.")] = False,
) -> None:
    """Serve this application: pages, MCP and login.

    In development it starts again when a file changes, refreshes open pages, and prints a password for this run when the
    application brings no users of its own.

    \b
    Examples:
      lazyapp serve
      lazyapp serve --port 8000 --no-reload
      lazyapp serve --production --host 0.0.0.0 --workers 4
    """
    from lazyapp import location
    from lazyapp.serving.interpreters import started_ahead

    here = location.enter()
    for warning in location.strangers(here.root):
        print(f"  {warning}", file=sys.stderr)
    with started_ahead() as first:
        if migrates_only(here.root, production=production):
            return
        from lazyapp.serving.serve import Wish, decide
        from lazyapp.serving.supervisor import supervise

        wish = Wish(host=host, port=port, production=production, workers=workers, reload=not no_reload, refresh=not no_refresh)
        plan = decide(here, wish)
        gc.enable()
        code = supervise(plan, first)
    raise typer.Exit(code)
