"""A public file of 20 kB: `python -m benchmarks.public_file [--quick]`.

The limit sends the same bytes with the same headers after the same check of the host. Starlette's StaticFiles stands beside it.
"""

import sys
from collections.abc import Callable

from benchmarks.contest import Bar, Contestant, contest
from benchmarks.file_server import BODY, PATH

ROUNDS, REQUESTS = (3, 200) if "--quick" in sys.argv else (7, 4000)


def get(*headers: str) -> Callable[[int], bytes]:
    """The request of a client that keeps its connection."""
    lines = "".join(f"{header}\r\n" for header in headers)
    return lambda port: f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{lines}\r\n".encode()


def check(answer: bytes) -> None:
    """Raises unless the whole file came."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200") or body != BODY:
        raise AssertionError(head.decode())


def main() -> None:
    """Run the contest; exit code 1 when the bar does not hold."""
    contestants = [Contestant(name, ["benchmarks.file_server", name], get(), check) for name in ("limit", "lazyapp", "StaticFiles")]
    held = [
        contest(
            "a file of 20 kB",
            contestants,
            [Bar("lazyapp", "limit", 2.0)],
            connections=connections,
            requests=REQUESTS,
            rounds=ROUNDS,
        )
        for connections in (1, 16)
    ]
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
