"""One serving process: `python -m lazyapp.serving.worker LINK SOCKET,…`, started by the supervisor and never without it.

It loads the application, serves it on the sockets it was handed, and reports once over the link whether the start succeeded.
"""

import contextlib
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import uvicorn

from lazyapp import location
from lazyapp.serving.banner import Surface
from lazyapp.serving.failures import describe, exit_code, is_given
from lazyapp.serving.link import Failed, Grace, WorkerLink, grace_for
from lazyapp.serving.log_lines import SERVER, log_config

COUNTED = ("tools", "resources", "prompts", "skills", "apps")


class Server(uvicorn.Server):
    """uvicorn's server, which tells when it is up, and keeps the error of a failed start instead of logging a wall of traceback."""

    def __init__(self, config: uvicorn.Config, when_up: Callable[[], None], when_draining: Callable[[], None]) -> None:
        super().__init__(config)
        self.failure: BaseException | None = None
        self._when_up = when_up
        self._when_draining = when_draining

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then listen."""
        app: Any = self.config.loaded_app

        async def watched(scope: Any, receive: Any, send: Any) -> None:
            try:
                await app(scope, receive, send)
            except BaseException as error:
                self.failure = error
                raise

        # The lifespan runs through `watched`; requests, which come later, run through the application itself.
        logger = logging.getLogger(SERVER)
        self.config.loaded_app = watched
        logger.setLevel(logging.CRITICAL)
        try:
            await super().startup(sockets)
            gc.freeze()  # what the start made stays
        finally:
            gc.enable()
            logger.setLevel(logging.WARNING)
            self.config.loaded_app = app
        self._when_up()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the long streams, which would never end by themselves, then wait for the answers that are being written."""
        self._when_draining()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGTERM ends the run; SIGINT is the supervisor's to interpret, although a terminal sends it to both."""
        signal.signal(signal.SIGTERM, self.handle_exit)
        yield


def main() -> None:
    """Serve until the supervisor says SIGTERM, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    link = WorkerLink(int(sys.argv[1]))
    sockets = [socket.socket(fileno=int(descriptor)) for descriptor in sys.argv[2].split(",")]
    for listener in sockets:
        listener.set_inheritable(False)
    password = link.read_password()
    grace = grace_for(os.environ["LAZYAPP_ENV"])
    threading.Thread(target=_leave_with_supervisor, args=(link, grace), daemon=True).start()
    sys.exit(_serve(link, sockets, password, grace))


def _serve(link: WorkerLink, sockets: list[socket.socket], password: str | None, grace: Grace) -> int:
    try:
        here = location.enter()
        app = location.load(here)
        is_ours = password is not None and app.config.auth is None
        if is_ours and password is not None:
            os.environ["LAZYAUTH_DEFAULT_PASS"] = password
        report = partial(_surface, app, is_password_ours=is_ours)
        server = Server(_config(app, grace), lambda: link.report(report()), lambda: _end_streams(app))
        try:
            server.run(sockets)
        except SystemExit as end:
            raise server.failure or end  # noqa: B904  # `from` would take away its cause, which knows the place
    except Exception as error:
        with contextlib.suppress(OSError):  # the supervisor may be gone already
            link.report(Failed(describe(error, location.root_or_here()), exit_code(error), is_given(error)))
        return exit_code(error)
    return 0


def _end_streams(app: Any) -> None:
    if app.mcp is not None:
        app.mcp.end_streams()


def _config(app: Any, grace: Grace) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_http(),
        h11_max_incomplete_event_size=64 * 1024,
        lifespan="on",
        log_config=log_config(in_development=os.environ["LAZYAPP_ENV"] != "production"),
        # Without the setting no header of a stranger decides who the client is.
        proxy_headers=bool(os.environ.get("FORWARDED_ALLOW_IPS")),
        server_header=False,
        timeout_graceful_shutdown=grace.requests_s,
        workers=1,
    )


def _http() -> Any:
    """How HTTP is spoken: bounded on httptools; where that cannot be imported on h11, which bounds what it buffers by itself."""
    try:
        from lazyapp.serving.protocol import BoundedProtocol
    except ImportError:
        return "h11"
    return BoundedProtocol


def _surface(app: Any, *, is_password_ours: bool) -> Surface:
    modules = () if app.mcp is None else tuple(_counts(module) for module in app.mcp.summary())
    return Surface(
        client_name=app.config.client_name,
        modules=modules,
        has_oauth=app.oauth is not None,
        user=None if app.config.auth is not None else app.settings.default_user or "admin",
        is_password_ours=is_password_ours,
    )


def _counts(module: Any) -> str:
    counts = [(getattr(module, kind), kind.removesuffix("s")) for kind in COUNTED]
    listed = ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for count, kind in counts if count)
    return f"{module.name}: {listed}" if module.name else listed


def _leave_with_supervisor(link: WorkerLink, grace: Grace) -> None:
    link.wait_for_end()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace.process_s)
    os._exit(1)


if __name__ == "__main__":
    main()
