"""lazyapp/cli/mcp_acting.py: one request as a client, at a real terminal."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lazyapp.tiny_app import PATIENCE_S, environment


class Terminal:
    """A command whose stdin and stderr are a terminal; its stdout is a pipe."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lazyapp", *arguments],
            cwd=folder,
            env=environment(),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def wait_for(self, words: str) -> None:
        """Read until the words are shown."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.shown:
            ready, _, _ = select.select([self._ours], [], [], max(0, deadline - time.monotonic()))
            assert ready, self.shown
            self.shown += self._read()

    def type(self, line: str) -> None:
        """What a person types."""
        os.write(self._ours, line.encode())

    def end(self) -> tuple[int, str]:
        """Its exit code and what it wrote to stdout; the rest is in `shown`."""
        code = self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        with contextlib.suppress(OSError):
            while select.select([self._ours], [], [], 0)[0]:
                self.shown += self._read()
        return code, self.process.stdout.read().decode()

    def _read(self) -> str:
        return os.read(self._ours, 4096).decode().replace("\r\n", "\n")

    def close(self) -> None:
        """End it for certain."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        os.close(self._ours)


@contextlib.contextmanager
def terminal(folder: Path, *arguments: str) -> Iterator[Terminal]:
    found = Terminal(folder, *arguments)
    try:
        yield found
    finally:
        found.close()


def test_a_question_is_answered_at_the_terminal(everything: Path) -> None:
    """MCP 2026-07-28, client/elicitation: the user sees what is asked, and may say no; stdout has the result alone."""
    with terminal(everything, "mcp", "call", "shop.order") as typed:
        typed.wait_for("size: ")
        typed.type("medium\n")
        typed.wait_for("must be")
        typed.type("2\n")
        typed.wait_for("gift y/n [False]: ")
        typed.type("y\n")
        assert typed.end() == (0, "large as a gift\n"), typed.shown
        assert "Which size?\n    1  small\n    2  large\n" in typed.shown


@pytest.mark.parametrize(("tool", "begun", "ended"), [("wait", "waiting", "no longer waiting"), ("hold", "holding", "Cancelled.")])
def test_ctrl_c_cancels_the_call_and_closes_what_was_opened(everything: Path, tool: str, begun: str, ended: str) -> None:
    """docs/commands.md, "Ctrl-C": no traceback, and a thread that nobody can stop does not keep the terminal."""
    with terminal(everything, "mcp", "call", f"shop.{tool}") as typed:
        typed.wait_for(f"\n{begun}\n")
        typed.process.send_signal(signal.SIGINT)
        assert typed.end() == (130, ""), typed.shown
        assert ended in typed.shown
        assert "Cancelled.\n" in typed.shown
        assert "Traceback" not in typed.shown


def test_ctrl_c_at_a_question_ends_it(everything: Path) -> None:
    """docs/commands.md, "Ctrl-C"."""
    with terminal(everything, "mcp", "call", "shop.order") as typed:
        typed.wait_for("size: ")
        typed.process.send_signal(signal.SIGINT)
        assert typed.end() == (130, ""), typed.shown
