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


def start(folder: Path, **variables: str) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-m", "lazyapp", "mcp", "stdio"]
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


def test_sigterm_closes_what_was_opened(tmp_path: Path) -> None:
    """A desktop client that goes away sends it, and stdin may still be open."""
    process = start(write_app(tmp_path, NOTES_APP))
    ask(process, 1, "initialize", **INITIALIZE)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    _, log = process.communicate()
    assert "notes closed" in log
    assert "Traceback" not in log


def test_the_help_says_whom_tools_see(tmp_path: Path) -> None:
    """docs/decisions.md, over stdio; shown true above."""
    said = " ".join(run(tmp_path, "mcp", "stdio", "--help").stdout.split())
    assert "the user named by LAZYAUTH_DEFAULT_USER, `admin` where it is not set" in said
