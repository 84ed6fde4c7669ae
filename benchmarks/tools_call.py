"""`tools/call` through the whole application: `python -m benchmarks.tools_call [--quick] [--bars]`.

Beside it run the limit and the official Python SDK as it comes, for the bars, and to be seen the SDK without sessions and streams,
the TypeScript SDK and FastMCP; `--bars` leaves those out.

The bars are the project's budgets: at most 1.5 times the limit without a login, with one tool and with a thousand; with a login
at most 0.7 times the limit that verifies each token's signature; the SDK's cost at least 4 (modern) and 8 times (legacy) ours.
"""

import json
import sys
from collections.abc import Callable

from benchmarks.contest import Bar, Contestant, contest
from benchmarks.login import issued, login, public_key
from benchmarks.node import typescript_server
from benchmarks.requests import check_call, legacy_call, modern_call

ROUNDS, REQUESTS = (3, 400) if "--quick" in sys.argv else (9, 2_000)
Call = Callable[..., Callable[[int], bytes]]


def open_to_all(era: str, call: Call, sdk_factor: float, connections: int) -> bool:
    """No login: ours with one tool and with a thousand, the limit, and the SDK."""
    limit = modern_call("add") if era == "modern" else legacy_call("add", in_session=False)
    contestants = [
        Contestant("limit", ["benchmarks.bare"], limit, check_call),
        Contestant("lazyapp", ["benchmarks.ours"], call("add"), check_call),
        Contestant("lazyapp, 1,000 tools", ["benchmarks.ours", "--many"], call("add"), check_call),
        Contestant("official SDK", ["benchmarks.sdk_server"], call("add"), check_call),
    ]
    contestants += [] if "--bars" in sys.argv else others(call)
    bars = [
        Bar("lazyapp", "limit", 1.5),
        Bar("lazyapp, 1,000 tools", "limit", 1.5),
        Bar("official SDK", "lazyapp", sdk_factor, at_least=True),
    ]
    return contest(f"tools/call, {era}", contestants, bars, connections=connections, requests=REQUESTS, rounds=ROUNDS)


def others(call: Call) -> list[Contestant]:
    """Who else is there: the SDK without sessions and streams, FastMCP, and the TypeScript SDK where npm can fetch it."""
    found = [
        Contestant("official SDK, lean", ["benchmarks.sdk_server", "--lean"], call("add"), check_call),
        Contestant("FastMCP", ["benchmarks.fastmcp_server"], call("add"), check_call),
    ]
    if node := typescript_server():
        found.append(Contestant("TypeScript SDK", node[1:], call("add"), check_call, program=node[:1]))
    return found


def logged_in(era: str, call: Call, connections: int) -> bool:
    """A bearer token on each request: ours, which remembers a verified token, and the limit, which verifies it every time."""
    tokens: dict[int, str] = {}

    def with_token(port: int) -> bytes:
        if port not in tokens:
            tokens[port] = login(port).access_token
        return call("add", tokens[port])(port)

    def with_own_token(port: int) -> bytes:
        token = issued(port)
        return modern_call("add", token)(port) if era == "modern" else legacy_call("add", token, in_session=False)(port)

    contestants = [
        Contestant("limit, verifying", ["benchmarks.bare", "--verify", json.dumps(public_key())], with_own_token, check_call),
        Contestant("lazyapp, OAuth on", ["benchmarks.ours", "--oauth"], with_token, check_call),
    ]
    bars = [Bar("lazyapp, OAuth on", "limit, verifying", 0.7)]
    return contest(f"tools/call, {era}, bearer token", contestants, bars, connections=connections, requests=REQUESTS, rounds=ROUNDS)


def main() -> None:
    """Run every contest; exit code 1 when a bar does not hold."""
    verdicts = []
    for connections in (1, 16):
        verdicts += [
            open_to_all("modern", modern_call, 4, connections),
            open_to_all("legacy", legacy_call, 8, connections),
            logged_in("modern", modern_call, connections),
            logged_in("legacy", legacy_call, connections),
        ]
    print("\nEvery bar holds." if all(verdicts) else "\nA bar does not hold.")
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
