"""`tools/list` of a thousand tools in one page: `python -m benchmarks.tools_list [--quick]`.

The limit sends the bytes of a list that was written once; lazyapp keeps its pages, so that it may cost at most twice as much.
"""

import sys

from benchmarks.contest import Bar, Contestant, contest
from benchmarks.node import typescript_server
from benchmarks.requests import check_list, modern_list

ROUNDS, REQUESTS = (3, 10) if "--quick" in sys.argv else (7, 40)


def main() -> None:
    """Run the contest; exit code 1 when the bar does not hold."""
    contestants = [
        Contestant("limit", ["benchmarks.bare", "--list"], modern_list(), check_list),
        Contestant("lazyapp", ["benchmarks.ours", "--many"], modern_list(), check_list),
        Contestant("official SDK", ["benchmarks.sdk_server", "--many"], modern_list(), check_list),
        Contestant("FastMCP", ["benchmarks.fastmcp_server", "--many"], modern_list(), check_list),
    ]
    if node := typescript_server():
        contestants.append(Contestant("TypeScript SDK", [*node[1:], "--many"], modern_list(), check_list, program=node[:1]))
    bars = [Bar("lazyapp", "limit", 2.0)]
    sys.exit(0 if contest("tools/list, 1,000 tools", contestants, bars, connections=1, requests=REQUESTS, rounds=ROUNDS) else 1)


if __name__ == "__main__":
    main()
