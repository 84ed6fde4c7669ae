"""The official TypeScript clients as processes: their words in `typescript/client.mjs`, their person here."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.flows.browser import Browser
from tests.flows.journey import Journey
from tests.flows.python_clients import CALLBACK
from tests.flows.serving import PASSWORD, USER

LINE_LIMIT = 4 * 1024 * 1024  # a journey is one line
ANSWER_TIMEOUT_S = 60


class TypeScriptClient:
    """One running client."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.logins = 0

    async def journey(self) -> Journey:
        """What it got to see; a login, when it asks for one, is gone through at once."""
        return Journey(**(await self._answer())["journey"])

    async def refresh_and_call(self) -> dict[str, Any]:
        """Let it lose its access token and call the tool again."""
        self._write("refresh")
        called: dict[str, Any] = (await self._answer())["called"]
        return called

    async def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        while True:
            line = await asyncio.wait_for(self._process.stdout.readline(), ANSWER_TIMEOUT_S)
            if not line:
                assert self._process.stderr is not None
                raise AssertionError(f"the client ended: {(await self._process.stderr.read()).decode()}")
            answer: dict[str, Any] = json.loads(line)
            if "authorize" not in answer:
                return answer
            self.logins += 1
            async with Browser(callback=CALLBACK) as browser:
                self._write(await browser.log_in(answer["authorize"], USER, PASSWORD))

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")


@asynccontextmanager
async def typescript_client(node: tuple[str, Path], sdk: str, url: str) -> AsyncIterator[TypeScriptClient]:
    """`sdk` is `v2` (asks for 2026-07-28), `v2-legacy` (the same package's older handshake) or `v1` (the package before it)."""
    command, folder = node
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(command, str(folder / "client.mjs"), sdk, f"{url}/mcp"), stdin=pipe, stdout=pipe, stderr=pipe, limit=LINE_LIMIT
    )
    try:
        yield TypeScriptClient(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
