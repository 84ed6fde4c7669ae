"""The way into a serving process."""

import ast
import signal
import socket
import subprocess
import sys
from pathlib import Path

from lazyapp.serving import spare
from tests.lazyapp.tiny_app import PATIENCE_S

LIGHT = {"gc", "signal", "sys"}


def test_its_first_lines_import_nothing_heavy() -> None:
    """A terminal sends Ctrl-C to all; a process that still imports would answer it with a traceback."""
    tree = ast.parse(Path(spare.__file__).read_text())
    assert {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names} == LIGHT
    assert not [node for node in tree.body if isinstance(node, ast.ImportFrom)]


def test_ctrl_c_leaves_it_alone_and_sigterm_ends_it_at_once() -> None:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-P", "-m", "lazyapp.serving.spare", str(theirs.fileno())]
    with ours, subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE) as process:
        theirs.close()
        ours.settimeout(PATIENCE_S)
        ours.sendall(b'["colorsys"]\n')
        assert ours.recv(10) == b"\n"
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == -signal.SIGTERM
        assert process.stderr is not None
        assert process.stderr.read() == b""
