"""Idle `subscriptions/listen` streams in one process: `python -m benchmarks.idle_streams [--quick]`.

What a stream costs while nothing happens: the growth of the server's resident memory for 5,000 of them, by stream. Beside
`Scope.asgi()` run a bare ASGI function that holds streams open and does nothing else, and the official Python SDK with 800. At the
end each stream must hear of one change, so what was measured is alive. The bar is the project's budget.
"""

import asyncio
import ctypes
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.contest import LOAD_CORE, ROOT, SERVER_CORE, free_port
from benchmarks.requests import MODERN

STREAMS, ROUNDS = (800, 1) if "--quick" in sys.argv else (5_000, 3)
# The SDK's default is to refuse more than 1,024.
MOST = {"sdk": 800}
WARM_UP = 100
AT_ONCE = 100
LIMIT_KIB = 16.0

CONTESTANTS = {"bare": "limit, a bare function", "lazymcp": "lazymcp, Scope.asgi()", "sdk": "official SDK"}
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
CHANGED = b"notifications/tools/list_changed"


async def bare(scope: Any, receive: Any, send: Any) -> None:
    """Hold a stream open; a call of anything else is news for all of them."""
    body = json.loads((await receive())["body"])
    news = b'event: message\ndata: {"jsonrpc":"2.0","method":"%b","params":{}}\n\n'
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    if body["method"] != "subscriptions/listen":
        for other in tuple(HELD):
            await other({"type": "http.response.body", "body": news % CHANGED, "more_body": True})
        await send({"type": "http.response.body", "body": b"data: {}\n\n"})
        return
    await send({"type": "http.response.body", "body": news % b"notifications/subscriptions/acknowledged", "more_body": True})
    HELD[send] = None
    while (await receive())["type"] != "http.disconnect":
        pass
    del HELD[send]


HELD: dict[Any, None] = {}


def lazymcp_app() -> Any:
    """A scope of its own, with nothing around it."""
    from lazymcp import Base, Scope, tool

    scope = Scope()

    class BenchMCP(Base):
        """One tool, which changes something."""

        name = ""

        @tool
        async def change(self) -> str:
            """Announce a change."""
            await scope.notify_tools_changed()
            return "done"

    scope.register(BenchMCP())
    return scope.asgi()


def sdk_app() -> Any:
    """The SDK's own server and defaults."""
    from mcp.server.mcpserver import Context, MCPServer

    server = MCPServer("bench", version="1.0", log_level="ERROR")

    @server.tool()
    async def change(ctx: Context[Any]) -> str:
        """Announce a change."""
        await ctx.notify_tools_changed()
        return "done"

    return server.streamable_http_app(stateless_http=True)


def serve(name: str, port: int) -> None:
    """Be the server of a contestant."""
    import uvicorn

    app = {"bare": lambda: bare, "lazymcp": lazymcp_app, "sdk": sdk_app}[name]()
    lifespan: Any = "on" if name == "sdk" else "off"
    options: Any = {"loop": "uvloop", "http": "httptools", "lifespan": lifespan}
    uvicorn.run(app, port=port, log_level="error", access_log=False, backlog=8_192, **options)


def request(method: str, params: dict[str, Any], request_id: int, port: int) -> bytes:
    """The bytes of a request in today's revision."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**params, "_meta": META}}
    body = json.dumps(message).encode()
    named = f"Mcp-Name: {params['name']}\r\n" if "name" in params else ""
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n{named}"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@contextmanager
def served(name: str) -> Iterator[tuple[int, int]]:
    """Port and process id of a contestant's server, on its core until the block ends."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.idle_streams", "--serve", name, str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, preexec_fn=_alone)
    try:
        yield port, process.pid
    finally:
        process.kill()
        process.wait()


def _alone() -> None:
    os.sched_setaffinity(0, {SERVER_CORE})
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with the harness


def resident_kib(pid: int) -> int:
    """The resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0])


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection, as soon as there is a server."""
    until = time.monotonic() + 30
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.1)


async def opened(port: int, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A stream that has been acknowledged."""
    reader, writer = await connected(port)
    writer.write(request("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, number, port))
    await reader.readuntil(b"notifications/subscriptions/acknowledged")
    return reader, writer


async def measure(name: str) -> tuple[float, float]:
    """KiB a stream, and the seconds until the last one has heard of a change."""
    with served(name) as (port, pid):
        streams = [await opened(port, number) for number in range(WARM_UP)]
        before = resident_kib(pid)
        count = min(STREAMS, MOST.get(name, STREAMS))
        for begin in range(WARM_UP, WARM_UP + count, AT_ONCE):
            streams += await asyncio.gather(*(opened(port, begin + number) for number in range(AT_ONCE)))
        await asyncio.sleep(1)
        grown = (resident_kib(pid) - before) / count
        _, caller = await connected(port)
        began = time.perf_counter()
        caller.write(request("tools/call", {"name": "change", "arguments": {}}, 0, port))
        await asyncio.gather(*(reader.readuntil(CHANGED) for reader, _ in streams))
        took = time.perf_counter() - began
        for _, writer in (*streams, (None, caller)):
            writer.transport.abort()
        return grown, took


def main() -> None:
    """Measure every contestant in each round; exit code 1 when the bar does not hold."""
    if "--serve" in sys.argv:
        return serve(sys.argv[-2], int(sys.argv[-1]))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.sched_setaffinity(0, {LOAD_CORE})
    print(f"idle streams · {STREAMS} in one process · {ROUNDS} rounds", flush=True)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTESTANTS}
    for _ in range(ROUNDS):
        for name in CONTESTANTS:
            found[name].append(asyncio.run(measure(name)))
    for name, title in CONTESTANTS.items():
        sizes, times = [size for size, _ in found[name]], [took for _, took in found[name]]
        spread = f"({min(sizes):.1f} to {max(sizes):.1f})"
        print(f"  {title:<26} {statistics.median(sizes):7.1f} KiB a stream {spread}, all hear in {statistics.median(times):.2f} s")
    ours = statistics.median([size for size, _ in found["lazymcp"]])
    print(f"  {'PASS' if ours <= LIMIT_KIB else 'FAIL'}  lazymcp: {ours:.1f} KiB a stream, bar <= {LIMIT_KIB:g}")
    sys.exit(0 if ours <= LIMIT_KIB else 1)


if __name__ == "__main__":
    main()
