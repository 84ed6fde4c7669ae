"""What one serving process does with its orders (`spare.py` is how it gets them).

It imports the application while whoever served before may still be ending; then, when the supervisor says so, it opens it, serves
it on the sockets it was handed, and reports over the link whether all that succeeded.
"""

import contextlib
import logging
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn

from lazyapp import location
from lazyapp.errors import ClosingError
from lazyapp.serving.ahead import imported
from lazyapp.serving.banner import Surface, counted
from lazyapp.serving.failures import describe, exit_code, is_given
from lazyapp.serving.link import Failed, Grace, Orders, WorkerLink
from lazyapp.serving.log_lines import ACCESS, log_config
from lazyapp.serving.server import Server
from lazyapp.serving.start_error import causes_of
from lazyapp.serving.vitals import Vitals
from lazyapp.steps.auth import has_first_user


def work(link: WorkerLink, orders: Orders, sockets: list[socket.socket]) -> int:
    """Serve until the supervisor says SIGTERM, or is gone; the exit code."""
    os.environ |= orders.environment
    vitals = Vitals(link)
    threading.Thread(target=_hear_supervisor, args=(link, vitals, orders.grace), daemon=True).start()
    return _serve(link, sockets, orders, vitals)


def _serve(link: WorkerLink, sockets: list[socket.socket], orders: Orders, vitals: Vitals) -> int:
    try:
        here = location.enter()
        app = location.load(here)
        vitals.may_open.wait()
        password = orders.password
        is_ours = password is not None and has_first_user(app.config)
        if is_ours and password is not None:
            os.environ["LAZYAUTH_DEFAULT_PASS"] = password

        def when_up(server: Server) -> None:
            vitals.begin(app)
            _count(app, server)
            link.report(_surface(app, is_password_ours=is_ours))

        server = Server(_config(app), app, orders.grace, when_up)
        try:
            server.run(sockets)
        except SystemExit as end:
            if server.should_exit:  # told to end while it opened
                return 0
            raise server.failure or end  # noqa: B904  # `from` would take away its cause, which knows the place
    except Exception as error:
        with contextlib.suppress(OSError):  # the supervisor may be gone already
            link.report(_failed(error, location.root_or_here()))
        return exit_code(error)
    if server.failure is not None:
        if not isinstance(server.failure, ClosingError):  # those have been logged, each as it happened
            print(describe(server.failure, location.root_or_here()), file=sys.stderr)
        return exit_code(server.failure)
    return 0


def _failed(error: Exception, root: Path) -> Failed:
    return Failed(describe(error, root), exit_code(error), is_given(error), causes_of(error, root))


def _config(app: Any) -> uvicorn.Config:
    proxies = app.settings.forwarded_allow_ips
    return uvicorn.Config(
        app,
        http=_http(),
        h11_max_incomplete_event_size=64 * 1024,
        lifespan="on",
        log_config=log_config(
            in_development=os.environ["LAZYAPP_ENV"] != "production",
            as_json=app.settings.log_format == "json",
            level=app.settings.log_level,
        ),
        # Without the setting no header of a stranger decides who the client is.
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        server_header=False,
        workers=1,
    )


def _count(app: Any, server: Server) -> None:
    """What only the server knows joins what the application counts."""
    logging.getLogger(ACCESS).addFilter(app.metrics.hear)
    app.metrics.gauges |= {
        ("lazyapp_requests_in_flight", ""): lambda: len(server.server_state.tasks),
        ("lazyapp_connections", ""): lambda: len(server.server_state.connections),
    }


def _http() -> Any:
    """How HTTP is spoken: bounded on httptools; where that cannot be imported on h11, which bounds what it buffers by itself."""
    try:
        from lazyapp.serving.protocol import BoundedProtocol
    except ImportError:
        return "h11"
    return BoundedProtocol


def _surface(app: Any, *, is_password_ours: bool) -> Surface:
    modules = () if app.mcp is None else tuple(counted(module) for module in app.mcp.summary())
    # Without OAuth only `auth=` gives the pages a login.
    has_login = app.oauth is not None or app.config.auth is not None
    return Surface(
        client_name=app.config.client_name,
        modules=modules,
        has_oauth=app.oauth is not None,
        user=app.settings.first_user if has_login and has_first_user(app.config) else None,
        is_password_ours=is_password_ours,
        imported=imported(),
    )


def _hear_supervisor(link: WorkerLink, vitals: Vitals, grace: Grace) -> None:
    for ask in link.asks():
        vitals.hear(ask)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace.process_s)
    os._exit(1)
