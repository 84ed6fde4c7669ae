"""`lazyapp mcp stdio`."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lazyapp.tiny_app import NOTES_APP, PATIENCE_S, environment, run, write_app

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALL = {"name": "notes.count", "arguments": {}}


#: Tools that nobody can stop.
STUBBORN_APP = NOTES_APP.replace("import lazyapp\n", "import asyncio\nimport time\n\nimport lazyapp\n", 1).replace(
    "    @lazymcp.tool\n",
    '''    @lazymcp.tool
    def sleep(self) -> None:
        """Hold a thread."""
        print("at work")
        time.sleep(600)

    @lazymcp.tool
    async def block(self) -> None:
        """Hold the event loop."""
        print("at work")
        time.sleep(600)

    @lazymcp.tool
    async def persist(self) -> None:
        """Do not heed cancellation."""
        print("at work")
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass

    @lazymcp.tool
''',
    1,
)
#: The command, in less of a hurry to be patient.
IMPATIENT = """
import lazymcp.stdio
from lazyapp.cli import local_client, main

lazymcp.stdio.STOP_TIMEOUT_S, local_client.END_WITHIN_S = 0.2, 2
main()
"""
MODULE, SCRIPT = ("-m", "lazyapp"), ("-c", IMPATIENT)


def start(folder: Path, how: tuple[str, str] = MODULE, **variables: str) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, *how, "mcp", "stdio"]
    return subprocess.Popen(command, cwd=folder, env=environment(**variables), text=True, **pipes)


def ask(process: subprocess.Popen[str], number: int, method: str, **params: object) -> dict[str, Any]:
    """One request, and its answer, which must be the very next line of stdout."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    assert answer["id"] == number
    return answer


@pytest.mark.parametrize(("variables", "user"), [({"LAZYAUTH_DEFAULT_USER": "ada"}, "ada"), ({}, "admin")])
def test_the_modules_are_served_and_nothing_else_is_printed(tmp_path: Path, variables: dict[str, str], user: str) -> None:
    """Design 4: stdout is the protocol's; a stray print does no harm, whenever it happens. The end of stdin ends the process.

    Nobody logs in over stdio, and yet a tool that asks for a user finds the one whom the help names.
    """
    process = start(write_app(tmp_path, "print('hello from an import')\n" + NOTES_APP), **variables)
    ask(process, 1, "initialize", **INITIALIZE)
    assert ask(process, 2, "tools/call", **CALL)["result"]["structuredContent"] == {"result": 7}
    rest, log = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, rest) == (0, "")
    for line in ("hello from an import", "notes opened", f"hello from {user}", "notes closed"):
        assert line in log


LOGGING_APP = NOTES_APP.replace("import lazyapp\n", "import logging\n\nimport lazyapp\n", 1).replace(
    "        return 7\n", '        logging.getLogger("notes").debug("counted\\x1b[2J")\n        return 7\n'
)


@pytest.mark.parametrize(("variables", "is_told"), [({"LOG_FORMAT": "json", "LOG_LEVEL": "debug"}, True), ({}, False)])
def test_it_logs_as_it_is_told_and_to_stderr_alone(tmp_path: Path, variables: dict[str, str], is_told: bool) -> None:
    """docs/logs.md: LOG_FORMAT and LOG_LEVEL. MCP 2026-07-28, stdio: logs go to stderr."""
    process = start(write_app(tmp_path, LOGGING_APP), **variables)
    ask(process, 1, "initialize", **INITIALIZE)
    ask(process, 2, "tools/call", **CALL)
    rest, log = process.communicate(timeout=PATIENCE_S)
    assert rest == ""
    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    found = [(line["level"], line["message"]) for line in told if line["logger"] == "notes"]
    assert found == [("debug", "counted\x1b[2J")] * is_told
    assert "\x1b" not in log
    assert ("counted" in log) is is_told


def test_sigterm_closes_what_was_opened(tmp_path: Path) -> None:
    """A desktop client that goes away sends it, and stdin may still be open."""
    process = start(write_app(tmp_path, NOTES_APP))
    ask(process, 1, "initialize", **INITIALIZE)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    _, log = process.communicate()
    assert "notes closed" in log
    assert "Traceback" not in log


@pytest.mark.parametrize(("tool", "code", "closes"), [("sleep", 0, True), ("persist", 0, True), ("block", 1, False)])
def test_sigterm_ends_it_whatever_a_tool_does(tmp_path: Path, tool: str, code: int, closes: bool) -> None:
    """Else every client that goes away leaves a process behind. Services are closed first, as long as that is possible at all."""
    process = start(write_app(tmp_path, STUBBORN_APP), SCRIPT)
    ask(process, 1, "initialize", **INITIALIZE)
    assert process.stdin is not None
    assert process.stderr is not None
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": f"notes.{tool}", "arguments": {}}}
    process.stdin.write(json.dumps(call) + "\n")
    process.stdin.flush()
    while "at work" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == code
    _, log = process.communicate()
    assert ("notes closed" in log) is closes


def test_the_help_says_whom_tools_see(tmp_path: Path) -> None:
    """docs/decisions.md, over stdio; shown true above."""
    said = " ".join(run(tmp_path, "mcp", "stdio", "--help").stdout.split())
    assert "the user named by LAZYAUTH_DEFAULT_USER, `admin` where it is not set" in said
