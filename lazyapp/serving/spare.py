"""The way into every serving process: `python -m lazyapp.serving.spare LINK`, started by the supervisor and never without it.

It imports what every application needs, then waits for its orders: a process that was started ahead of need has only the
application itself to import when a file changes, which is what makes a restart quick. Until it serves, SIGTERM ends it at once.

This module imports nothing at its top: a Ctrl-C, which a terminal sends to all, must find it prepared.
"""

import gc
import signal
import sys


def main() -> None:
    """Serve until the supervisor says SIGTERM, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    from lazyapp.serving.ahead import FIRST, import_ahead
    from lazyapp.serving.link import WorkerLink

    link = WorkerLink(int(sys.argv[1]))
    try:
        import_ahead((*FIRST, *link.read_names()))
        link.tell_ready()
        orders, sockets = link.read_orders()
    except (EOFError, OSError):  # the supervisor ended, and had no use for it
        return
    from lazyapp.serving.worker import work

    sys.exit(work(link, orders, sockets))


if __name__ == "__main__":
    main()
