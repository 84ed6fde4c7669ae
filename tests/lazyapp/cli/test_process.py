"""lazyapp/cli/process.py: what a command does with its own process."""

import subprocess
import sys

import pytest

from lazyapp.cli.process import visible

TAKEN = """
import os, subprocess, sys
from lazyapp.cli.process import take_stdout

result = take_stdout()
print("a stray print")
os.write(1, b"a stray write\\n")
subprocess.run(["echo", "a stray child"], check=True)
result.write(b"the result\\n")
"""
LEFT = """
import threading, time
from lazyapp.cli.process import leave_within

threading.Thread(target=time.sleep, args=(600,)).start()
leave_within(0.01, 3)
"""


def test_stdout_carries_the_result_alone() -> None:
    """Design 4: whatever prints, from Python, from C or from a child."""
    done = subprocess.run([sys.executable, "-c", TAKEN], capture_output=True, text=True, check=True)
    assert done.stdout == "the result\n"
    assert sorted(done.stderr.splitlines()) == ["a stray child", "a stray print", "a stray write"]


def test_a_thread_that_does_not_end_keeps_no_process() -> None:
    """Python waits for every thread at its end, for ever."""
    assert subprocess.run([sys.executable, "-c", LEFT], timeout=60, check=False).returncode == 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc é 好", "a\tb\nc é 好"),
        ("\x1b[2J\x1b]0;owned\x07", "\\x1b[2J\\x1b]0;owned\\x07"),
        ("over\rwritten\x08\x9b1m", "over\\x0dwritten\\x08\\x9b1m"),
    ],
)
def test_data_does_not_control_the_terminal(text: str, shown: str) -> None:
    """ECMA-48, section 5: a row of the database could else clear the screen, or write over what was shown."""
    assert visible(text) == shown
