"""A saved change, from the save to the first answer of the new code: `python -m benchmarks.reload [--example]`.

The bar is the project's: with three event streams and an MCP listen stream open, less than 1 s (median of 10). Of a small
application, or with `--example` of a copy of the example. Each round also counts the descriptors that the supervisor has open.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contest import ROOT

ROUNDS, PAGES, BAR_S, PATIENCE_S = 10, 3, 1.0, 60
# Between two saves of a person there is time for the next process to get ready.
PAUSE_S = 3.0
APP = '''
import asyncio
import os

import lazyapp
import lazymcp
from fastapi.responses import StreamingResponse


class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    async def count(self) -> int:
        """Count notes."""
        return 7


app = lazyapp.App(lazyapp.Config(name="tiny", mcp=lambda ctx, scope: scope.register(NotesMCP())))
'''
# What is measured, in either application.
PROBE = """

from fastapi.responses import StreamingResponse as _Probe


@app.get("/probe/version")
async def probe_version() -> dict:
    return {"version": VERSION}


@app.get("/probe/stream")
async def probe_stream() -> _Probe:
    import asyncio

    async def events():
        while True:
            yield ": still here\\n\\n"
            await asyncio.sleep(0.1)

    return _Probe(events(), media_type="text/event-stream")


VERSION = 0
"""
LISTEN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "subscriptions/listen",
    "params": {
        "notifications": {"toolsListChanged": True},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "reload", "version": "1"},
        },
    },
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "subscriptions/listen",
}


def prepared(folder: Path, *, is_example: bool) -> Path:
    """The file that is saved again and again."""
    code = folder / "init" / "app.py"
    if is_example:
        for name in ("app", "init"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        text = code.read_text()
        text = re.sub(r"oauth=\w+,?\s*", "", text)  # so that the stream needs no login
        code.write_text(text + PROBE)
    else:
        code.parent.mkdir(parents=True)
        (code.parent / "__init__.py").touch()
        code.write_text(APP + PROBE)
    return code


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`lazyapp serve`, and its origin."""
    command = [sys.executable, "-m", "lazyapp", "serve", "--port", "0"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if "Pages" in line:
                    break
            else:
                raise SystemExit("".join(said))
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield line.split()[-1], process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def listen(url: str, data: bytes | None = None, headers: Mapping[str, str] | None = None) -> threading.Thread:
    """Read a stream to its end in a thread of its own, from its first byte on."""
    answer = urllib.request.urlopen(urllib.request.Request(url, data, dict(headers or {})), timeout=PATIENCE_S)
    assert answer.headers["content-type"].startswith("text/event-stream"), answer.headers
    answer.readline()
    thread = threading.Thread(target=answer.read, daemon=True)
    thread.start()
    return thread


def seconds(origin: str, code: Path, version: int) -> float:
    """From the save of a version to the first answer that has it, while streams are open; they have to end."""
    streams = [listen(f"{origin}/probe/stream") for _ in range(PAGES)]
    streams.append(listen(f"{origin}/mcp", json.dumps(LISTEN).encode(), HEADERS))
    text = re.sub(r"^VERSION = .*$", f"VERSION = {version}", code.read_text(), flags=re.MULTILINE)
    began = time.perf_counter()
    code.write_text(text)
    while json.load(urllib.request.urlopen(f"{origin}/probe/version", timeout=PATIENCE_S))["version"] != version:
        if time.perf_counter() > began + PATIENCE_S:
            raise SystemExit("the change is not served")
    took = time.perf_counter() - began
    for stream in streams:
        stream.join(PATIENCE_S)
        if stream.is_alive():
            raise SystemExit("a stream did not end")
    return took


def descriptors(pid: int) -> int:
    """How many a process has open, where that can be seen."""
    with contextlib.suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


def main() -> None:
    """Print the median and the spread; exit code 1 when the bar does not hold."""
    with TemporaryDirectory() as folder:
        code = prepared(Path(folder).resolve(), is_example="--example" in sys.argv)
        with serving(code.parent.parent) as (origin, process):
            took, held = [], []
            for version in range(1, ROUNDS + 1):
                time.sleep(PAUSE_S)
                took.append(seconds(origin, code, version))
                time.sleep(PAUSE_S)
                held.append(descriptors(process.pid))
    median = statistics.median(took)
    is_met = median < BAR_S and len(set(held[1:])) == 1
    spread = ", ".join(f"{each:.2f}" for each in took)
    print(f"a saved change is served after {median:.2f} s ({spread})  {'PASS' if is_met else 'FAIL'} (< {BAR_S} s)")
    print(f"descriptors of the supervisor: {', '.join(map(str, held))}")
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
