"""Two more real libraries: Authlib's OAuth client, and mcp-remote as the process that a desktop program starts."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.flows.browser import Browser
from tests.flows.serving import PASSWORD, USER, free_port

MCP_REMOTE = ("mcp-remote@0.15.1",)
ANSWER_TIMEOUT_S = 60


class Remote:
    """A running mcp-remote, spoken to as by the program that started it."""

    def __init__(self, process: asyncio.subprocess.Process, said: list[str]) -> None:
        self._process, self._said = process, said

    async def ask(self, number: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of one request."""
        self.tell({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self._process.stdout is not None
        while True:
            line = await asyncio.wait_for(self._process.stdout.readline(), ANSWER_TIMEOUT_S)
            assert line, "".join(self._said)
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                assert "result" in message, message
                result: dict[str, Any] = message["result"]
                return result

    def tell(self, message: Mapping[str, Any]) -> None:
        """A message that wants no answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def shake_hands(self) -> None:
        """The handshake that every session begins with."""
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "desktop", "version": "1"}}
        await self.ask(1, "initialize", hello)
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})


class Machine:
    """A person's machine: the folder in which mcp-remote keeps its tokens, and how often a login was asked for."""

    def __init__(self, node: tuple[str, Path], folder: Path) -> None:
        self._node, self.folder = node, folder
        self.port = free_port()
        self.logins = 0

    @asynccontextmanager
    async def remote(self, url: str) -> AsyncIterator[Remote]:
        """mcp-remote for the time of the block; a login that it asks for is gone through at once."""
        command, packages = self._node
        script = packages / "node_modules" / "mcp-remote" / "dist" / "proxy.js"
        pipe = asyncio.subprocess.PIPE
        environment = {
            "MCP_REMOTE_CONFIG_DIR": str(self.folder),
            "BROWSER": "true",
            "HOME": str(self.folder),
            "PATH": "/usr/bin:/bin",
        }
        process = await asyncio.create_subprocess_exec(
            *(command, str(script), f"{url}/mcp", str(self.port), "--allow-http"),
            stdin=pipe, stdout=pipe, stderr=pipe, env=environment, limit=4 * 1024 * 1024,
        )  # fmt: skip
        said: list[str] = []
        watching = asyncio.create_task(self._watch(process, said))
        try:
            yield Remote(process, said)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
            await watching

    def edit_tokens(self, change: Callable[[dict[str, Any]], None]) -> None:
        """What time does to the tokens on the disk."""
        (file,) = self.folder.rglob("*_tokens.json")
        tokens = json.loads(file.read_text())
        change(tokens)
        file.write_text(json.dumps(tokens))

    async def _watch(self, process: asyncio.subprocess.Process, said: list[str]) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            said.append(line.decode())
            if found := re.search(r"https?://\S+/oauth/authorize\?\S+", said[-1]):
                self.logins += 1
                await self._log_in(found[0])

    async def _log_in(self, url: str) -> None:
        callback = f"http://localhost:{self.port}/oauth/callback"
        async with Browser(callback=callback) as browser, httpx2.AsyncClient() as http:
            assert (await http.get(await browser.log_in(url, USER, PASSWORD))).is_success
