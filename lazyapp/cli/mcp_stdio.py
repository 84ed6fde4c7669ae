"""`lazyapp mcp stdio`: the process that a desktop client starts. Its stdout belongs to the protocol, all else goes to stderr."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from typing import Any, BinaryIO

from lazyapp.cli.group import make

command = make()


@command.command()
def stdio() -> None:
    """Serve the MCP modules to one local client over stdin and stdout.

    The same modules and services as under `lazyapp serve`, without web server and login: whoever may start the process
    may call its tools. They see the user named by LAZYAUTH_DEFAULT_USER, `admin` where it is not set.
    """
    from lazyapp import location

    protocol = _take_stdout()
    os.environ.setdefault("LAZYAPP_ENV", "development")
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s  %(name)s: %(message)s")
    here = location.enter()
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_serve(here, protocol))


async def _serve(here: Any, protocol: BinaryIO) -> None:
    from lazyapp import location

    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with location.load(here).stdio() as scope:
        await scope.serve_stdio(writer=protocol)


def _take_stdout() -> BinaryIO:
    """The process's stdout, for the protocol alone; whatever else is printed from here on goes to stderr.

    A module may print when it is imported, and a service when it is opened or closed: long before and after the protocol speaks.
    """
    sys.stdout.flush()
    real = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return real
