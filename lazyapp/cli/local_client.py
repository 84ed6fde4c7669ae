"""One local client over stdin and stdout, until it leaves: what `lazyapp mcp stdio` runs.

Without typer, whose import is a tenth of the time until the first answer: a desktop client waits for that whenever it starts.
"""

import asyncio
import contextlib
import gc
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, BinaryIO

from lazyapp.cli.process import leave_within, take_stdout
from lazyapp.errors import ConfigurationError

# Requests have five seconds of their own to end in, in `lazymcp.stdio`; what closes services has the rest.
END_WITHIN_S = 10.0
# When all is closed, what still runs is a thread or a task that did not heed its cancellation. Nobody waits for its answer.
LEAVE_WITHIN_S = 1.0


def serve_one_client(folder: Path | None = None, *, about: bool = False) -> None:
    """Serve until the client leaves.

    Args:
        folder: of the application; None where the process was started in it.
        about: serve what tells about the application, instead of its modules.

    Raises:
        ConfigurationError: there is no application, or it cannot be served so.
    """
    from lazyapp import location
    from lazyapp.serving.log_lines import log_to_stderr

    if folder is not None:
        change_to(folder)
    protocol = take_stdout()
    os.environ.setdefault("LAZYAPP_ENV", "development")
    log_to_stderr()
    here = location.enter()
    with asyncio.Runner() as runner:
        code = 1
        try:
            with contextlib.suppress(asyncio.CancelledError):
                runner.run(_serve(here, protocol, about))
            code = 0
        finally:
            leave_within(LEAVE_WITHIN_S, code)


def change_to(folder: Path) -> None:
    """Go to a folder, so that everything there is found as if the command had been typed there.

    Raises:
        ConfigurationError: there is no such folder.
    """
    try:
        os.chdir(folder)
    except OSError as problem:
        raise ConfigurationError(f"--folder: {folder} cannot be entered: {problem.strerror}.") from None


async def _serve(here: Any, protocol: BinaryIO, about: bool) -> None:
    from lazyapp import location
    from lazyapp.serving.log_lines import log_to_stderr

    _end_at_sigterm()
    app = location.load(here)
    log_to_stderr(as_json=app.settings.log_format == "json", level=app.settings.log_level)
    async with _about(app) if about else app.stdio() as scope:
        gc.freeze()  # what was made until here stays
        gc.enable()
        await scope.serve_stdio(writer=protocol)


@contextlib.asynccontextmanager
async def _about(app: Any) -> AsyncIterator[Any]:
    """The server about the application, which is started as for the web: its pages and its login can be asked for too."""
    from lazyapp.developing.about import about

    if app.settings.env != "development":
        raise ConfigurationError(f"--about is for development, and LAZYAPP_ENV is {app.settings.env}; leave one of them out.")
    async with app.router.lifespan_context(app):
        yield about(app)


def _end_at_sigterm() -> None:
    """Let SIGTERM cancel the task that asks for it; a process that does not come to its end by that comes to it all the same."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def end(number: int, frame: object) -> None:
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)
        leave_within(END_WITHIN_S, 1)

    # Not the event loop's own handler, which never runs while a tool that never awaits holds the loop.
    signal.signal(signal.SIGTERM, end)
