"""The official conformance suite: installed from npm, run against a URL, its verdicts as values.

https://github.com/modelcontextprotocol/conformance
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.flows.node import packages

#: The tag `latest` is older and knows nothing of 2026-07-28.
PACKAGE: Final = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
RUN_TIMEOUT_S: Final = 300
FAILURE, WARNING, SKIPPED, INFO, SUCCESS = "FAILURE", "WARNING", "SKIPPED", "INFO", "SUCCESS"
_ADDRESS: Final = re.compile(r"https?://\S+[?&]response_type=code\S*")


@dataclass(frozen=True, slots=True)
class Check:
    """One verdict of the suite."""

    scenario: str
    id: str
    status: str
    message: str

    def __str__(self) -> str:
        return f"{self.status} {self.scenario} · {self.id}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run of the suite said."""

    checks: tuple[Check, ...]
    scenarios: frozenset[str]
    output: str


@dataclass(frozen=True, slots=True)
class Suite:
    """The installed suite."""

    node: str
    script: Path

    async def run(self, url: str, options: tuple[str, ...], folder: Path) -> Report:
        """Judge the server at `url`.

        Args:
            options: which scenarios, and at which revision, as the suite's command line has it.
            folder: an empty one, for what the suite writes.

        Raises:
            AssertionError: the suite did not run to its end.
        """

        async def listen(said: asyncio.StreamReader) -> str:
            return (await said.read()).decode()

        return await self._judge(("server", "--url", url, *options), folder, listen)

    async def log_in(
        self, issuer: str, options: tuple[str, ...], folder: Path, visit: Callable[[str], Awaitable[object]]
    ) -> Report:
        """Judge the authorization server `issuer`, compared byte for byte with what it says of itself.

        Args:
            options: the client, the resource and the port of its callback, as the suite's command line has them.
            folder: an empty one, for what the suite writes.
            visit: what a person does with the address that the suite tells them to open, up to the client's callback.

        Raises:
            AssertionError: the suite did not run to its end.
        """

        async def follow(said: asyncio.StreamReader) -> str:
            output = ""
            while line := (await said.readline()).decode():
                output += line
                if address := _ADDRESS.search(line):
                    await visit(address[0])
            return output

        return await self._judge(("authorization", "--url", issuer, *options), folder, follow)

    async def _judge(
        self, command: tuple[str, ...], folder: Path, read: Callable[[asyncio.StreamReader], Awaitable[str]]
    ) -> Report:
        process = await asyncio.create_subprocess_exec(
            self.node,
            str(self.script),
            *command,
            "-o",
            str(folder),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=folder,
        )
        assert process.stdout is not None
        try:
            output = await asyncio.wait_for(read(process.stdout), RUN_TIMEOUT_S)
            await asyncio.wait_for(process.wait(), RUN_TIMEOUT_S)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        answers = sorted(folder.glob("*/checks.json"))
        assert answers, f"the suite wrote nothing:\n{output[-4000:]}"
        assert process.returncode in (0, 1), f"the suite ended with {process.returncode}:\n{output[-4000:]}"
        return Report(
            checks=tuple(check for path in answers for check in _read(path)),
            scenarios=frozenset(_scenario(path) for path in answers),
            output=output,
        )


def install(cache: pytest.Cache) -> Suite:
    """The suite from npm, kept between runs; skips when there is no Node or no registry."""
    node, folder = packages(cache, [PACKAGE])
    return Suite(node, folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")


def _scenario(path: Path) -> str:
    """The scenario of a folder that is named for it and for the time at which it ran."""
    return re.sub(r"^(authorization-)?server-|-\d{4}-\d\d-\d\dT[\d-]+Z$", "", path.parent.name)


def _read(path: Path) -> list[Check]:
    scenario = _scenario(path)
    return [
        Check(scenario, found["id"], found["status"], found.get("errorMessage") or found["description"])
        for found in json.loads(path.read_text())
    ]
