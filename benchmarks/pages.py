"""A page of fifty rows in its layout: `python -m benchmarks.pages [--quick] [--bars]`.

The limit is a bare ASGI function that makes the same checks and renders the same two templates with Jinja into the same bytes;
the whole of `App` may cost at most 1.2 times as much. FastAPI with Jinja2Templates, Flask and Django are there to be seen; `--bars`
leaves them out. `page_server.py` says how they are served: on one server, so their figures say what the framework costs and not
what a deployment does.
"""

import socket
import sys
from contextlib import closing

from benchmarks.contest import Bar, Contestant, contest, serving
from benchmarks.page import checked_against, get

ROUNDS, REQUESTS = (3, 300) if "--quick" in sys.argv else (9, 2_000)
OTHERS = {"FastAPI, Jinja2Templates": "fastapi", "Flask": "flask", "Django": "django"}


def expected() -> bytes:
    """The limit's page, by which all others are judged."""
    limit = Contestant("limit", ["benchmarks.page_server", "limit"], get, lambda answer: None)
    with serving(limit) as port, closing(socket.create_connection(("127.0.0.1", port))) as connection:
        connection.sendall(get(port).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        with connection.makefile("rb") as answer:
            return answer.read().partition(b"\r\n\r\n")[2]


def main() -> None:
    """Run the contest; exit code 1 when the bar does not hold."""
    check = checked_against(expected())
    contestants = [
        Contestant("limit", ["benchmarks.page_server", "limit"], get, check),
        Contestant("lazyapp", ["benchmarks.page_ours"], get, check),
    ]
    if "--bars" not in sys.argv:
        contestants += [Contestant(name, ["benchmarks.page_server", kind], get, check) for name, kind in OTHERS.items()]
    bars = [Bar("lazyapp", "limit", 1.2)]
    verdicts = [
        contest("a page of 50 rows", contestants, bars, connections=connections, requests=REQUESTS, rounds=ROUNDS)
        for connections in (1, 16)
    ]
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
