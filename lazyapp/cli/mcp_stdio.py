"""`lazyapp mcp stdio`: the process that a desktop client starts. Its stdout belongs to the protocol, all else goes to stderr."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

from lazyapp.cli.group import make

command = make()


@command.command()
def stdio() -> None:
    """Serve the MCP modules to one local client over stdin and stdout.

    The same modules and services as under `lazyapp serve`, without web server and login: whoever may start the process
    may call its tools.
    """
    from lazyapp import location

    os.environ.setdefault("LAZYAPP_ENV", "development")
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s  %(name)s: %(message)s")
    here = location.enter()
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_serve(here))


async def _serve(here: Any) -> None:
    from lazyapp import location

    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.ExitStack() as quiet:
        # A module that prints when it is imported, or a service when it opens, must not speak into the protocol.
        quiet.enter_context(_stdout_to_stderr())
        async with location.load(here).stdio() as scope:
            quiet.close()
            await scope.serve_stdio()


@contextlib.contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
