"""A local server as its own process, and the client that speaks lines with it; every line is held against its revision."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from lazymcp.protocol import CAPABILITIES_KEY, VERSION_KEY
from tests.flows.serving import ROOT, environment_for
from tests.lazymcp.wire import MODERN, judge

PATIENCE_S = 60
SERVER = '''
import asyncio
import lazymcp
from lazymcp import Context, tool


class Busy(lazymcp.Base):
    name = ""

    def __init__(self):
        self.here, self.all_here = 0, asyncio.Event()

    @tool
    async def meet(self, count: int, number: int) -> int:
        """Answer once so many calls are at work."""
        self.here += 1
        if self.here == count:
            self.all_here.set()
        await self.all_here.wait()
        return number

    @tool
    async def echo(self, number: int) -> int:
        """Say a number again."""
        return number

    @tool
    def length(self, text: str) -> int:
        """How long a text is."""
        return len(text)

    @tool
    async def big(self, size: int) -> str:
        """A large answer, with what could tear a line."""
        return "\\n" + "x" * size + "\\u2028"

    @tool
    async def wait(self, ctx: Context) -> None:
        """Say that it began, and wait for ever."""
        await ctx.progress(1)
        await asyncio.Event().wait()


scope = lazymcp.Scope()
scope.register(Busy())
asyncio.run(scope.serve_stdio())
'''


class LocalProcess:
    """The server, and what was asked of it: ids are mapped to era and method, so that answers can be judged."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.asked: dict[Any, tuple[str, str]] = {}

    def line(self, request_id: Any, method: str, params: dict[str, Any], era: str = MODERN, **meta: Any) -> bytes:
        """A request as a line, noted down."""
        self.asked[request_id] = (era, method)
        if era == MODERN:
            meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, **meta}
        if meta:
            params = {**params, "_meta": meta}
        return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode() + b"\n"

    def call(self, request_id: Any, name: str, era: str = MODERN, token: Any = None, **arguments: Any) -> bytes:
        """A tools/call as a line."""
        meta = {} if token is None else {"progressToken": token}
        return self.line(request_id, "tools/call", {"name": name, "arguments": arguments}, era, **meta)

    async def send(self, *lines: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(lines))
        await self.process.stdin.drain()

    async def read(self, era: str = MODERN) -> dict[str, Any]:
        """The next message.

        Args:
            era: of a notification; an answer is judged by the era of its request.
        """
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readuntil(b"\n"), PATIENCE_S)
        return self.judged(line, era)

    def judged(self, line: bytes, era: str = MODERN) -> dict[str, Any]:
        """The message of a line."""
        message: dict[str, Any] = json.loads(line.decode())
        era, method = self.asked.get(message.get("id"), (era, ""))
        judge(era, message, method)
        return message

    async def end(self) -> int:
        """Close its input and wait for it: the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await asyncio.wait_for(self.process.wait(), PATIENCE_S)


@asynccontextmanager
async def local_process(folder: Path, script: str = SERVER) -> AsyncIterator[LocalProcess]:
    """Start a script as a server; it is killed if the block leaves it running."""
    (folder / "server.py").write_text(script)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "server.py"),
        cwd=folder,
        env=environment_for({"PYTHONPATH": str(ROOT)}),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**30,
    )
    try:
        yield LocalProcess(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]  # else its pipes are closed after the loop


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie that waits for whoever adopted it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    """Give a process time to end by itself; one that does not is killed, and fails the test."""
    deadline = time.monotonic() + PATIENCE_S
    while is_running(pid):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"process {pid} outlived its client")
        time.sleep(0.02)
