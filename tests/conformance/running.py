"""The server under test as processes: started, waited for, ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.flows.serving import ROOT, free_port

START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers."""

    url: str
    log: Path


@contextmanager
def running(log: Path, *, http: str = "httptools", workers: int = 1, database: str = "") -> Iterator[Running]:
    """`python -m tests.conformance.server` for the time of the block; it must end when asked, without a traceback in its log."""
    port = free_port()
    command = [sys.executable, "-m", "tests.conformance.server", f"--port={port}", f"--http={http}", f"--workers={workers}"]
    with log.open("wb") as said:
        process = subprocess.Popen(
            [*command, *([f"--database={database}"] if workers > 1 else [])],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        _wait_for(process, log, workers)
        yield Running(f"http://localhost:{port}/mcp", log)
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_TIMEOUT_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert "Traceback" not in log.read_text(), log.read_text()


def _wait_for(process: subprocess.Popen[bytes], log: Path, workers: int) -> None:
    """Return when every worker has said that it serves: the first would answer alone, and show nothing about several."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while log.read_text().count("serving ") < workers:
        assert process.poll() is None, f"the server did not start:\n{log.read_text()}"
        assert time.monotonic() < deadline, f"the server is not up after {START_TIMEOUT_S} s:\n{log.read_text()}"
        time.sleep(0.02)
