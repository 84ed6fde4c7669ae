"""A local process: import, spawn to the first answer, and calls one by one: `python -m benchmarks.stdio [--quick]`.

The bars are the project's budgets: `import lazymcp` at most 0.3 of `import mcp`; from spawn to the first answer at most 0.3 of
the official SDK and less than the TypeScript SDK; calls at least 8 times as cheap as the SDK's; `lazyapp mcp stdio`, which opens
a whole application, at most 1.2 of the SDK's spawn.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contest import LOAD_CORE, ROOT, SERVER_CORE, Bar, report
from benchmarks.node import typescript_server
from benchmarks.requests import MODERN

ROUNDS, CALLS = (3, 300) if "--quick" in sys.argv else (9, 2_000)

_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0"},
}


def call(tool: str) -> bytes:
    """One line that calls a tool."""
    arguments = {"a": 2, "b": 40} if tool == "add" else {}
    params = {"name": tool, "arguments": arguments, "_meta": _META}
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).encode() + b"\n"


@contextlib.contextmanager
def spawned(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A server on its core, until the block ends."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "LAZYAPP_ENV": "development", "LAZYAUTH_DEFAULT_PASS": "a long password"}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CORE}),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def asked(process: subprocess.Popen[bytes], line: bytes) -> None:
    """One call and its answer, checked."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    answer = process.stdout.readline()
    if b'"isError":true' in answer or b'"structuredContent"' not in answer:
        raise AssertionError(answer)


def first_answer(command: Sequence[str], tool: str) -> float:
    """Seconds from spawning to the first answer."""
    began = time.perf_counter()
    with spawned(command) as process:
        asked(process, call(tool))
        return time.perf_counter() - began


def one_by_one(command: Sequence[str], tool: str) -> float:
    """Seconds a call."""
    line = call(tool)
    with spawned(command) as process:
        for _ in range(CALLS // 4):
            asked(process, line)
        began = time.perf_counter()
        for _ in range(CALLS):
            asked(process, line)
        return (time.perf_counter() - began) / CALLS


def imported(module: str) -> float:
    """Seconds that an import adds to a bare interpreter."""
    script = f"import time; began = time.perf_counter(); import {module}; print(time.perf_counter() - began)"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, text=True)
    return float(found.stdout)


def contest(title: str, measures: Mapping[str, Callable[[], float]], bars: Sequence[Bar], rounds: int) -> bool:
    """Measure each once for the caches, then in rounds; whether all bars hold."""
    print(f"\n{title} · {rounds} rounds", flush=True)
    for measure in measures.values():
        measure()
    costs: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            costs[name].append(measure())
    return report(costs, bars)


def main() -> None:
    """Run every contest; exit code 1 when a bar does not hold."""
    os.sched_setaffinity(0, {LOAD_CORE})
    python, here = sys.executable, Path(__file__).parent
    servers = {
        "limit": [python, str(here / "bare_stdio.py")],
        "lazymcp": [python, str(here / "ours_stdio.py")],
        "official SDK": [python, "-m", "benchmarks.sdk_server", "--stdio"],
        "FastMCP": [python, "-m", "benchmarks.fastmcp_server", "--stdio"],
    }
    if node := typescript_server():
        servers["TypeScript SDK"] = [*node, "--stdio"]
    spawn_bars = [Bar("lazymcp", "official SDK", 0.3), Bar("lazyapp mcp stdio", "official SDK", 1.2)]
    spawn_bars += [Bar("lazymcp", "TypeScript SDK", 1.0)] if "TypeScript SDK" in servers else []
    imports = {name: partial(imported, name) for name in ("lazymcp", "mcp", "fastmcp")}
    calls = {name: partial(one_by_one, command, "add") for name, command in servers.items()}
    with TemporaryDirectory() as folder:
        os.environ["DATABASE_URL"] = f"sqlite+aiosqlite:///{folder}/bench.db"
        spawns = {name: partial(first_answer, command, "add") for name, command in servers.items()}
        whole = [python, "-m", "lazyapp", "mcp", "stdio"]
        spawns["lazyapp mcp stdio"] = partial(first_answer, whole, "admin.user_count")
        verdicts = [
            contest("import", imports, [Bar("lazymcp", "mcp", 0.3)], ROUNDS),
            contest("spawn to the first answer", spawns, spawn_bars, ROUNDS),
            contest("calls one by one", calls, [Bar("official SDK", "lazymcp", 8.0, at_least=True)], ROUNDS),
        ]
    print("\nEvery bar holds." if all(verdicts) else "\nA bar does not hold.")
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
