"""`lazyapp serve` as a real process on a small application, read line by line."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx2

PATIENCE_S = 60
SERVE = (sys.executable, "-m", "lazyapp", "serve", "--port", "0")
INHERITED = ("PATH", "HOME", "PYTHONPATH", "TMPDIR", "COVERAGE_PROCESS_START")

TINY_APP = """
import asyncio
import os

import lazyapp
from fastapi.responses import StreamingResponse

app = lazyapp.App(lazyapp.Config(name="tiny"))
VERSION = 1


@app.get("/facts")
async def facts() -> dict:
    return {"pid": os.getpid(), "version": VERSION, "password": os.environ.get("LAZYAUTH_DEFAULT_PASS")}


@app.get("/stream")
async def stream() -> StreamingResponse:
    async def events():
        while True:
            yield ": still here\\n\\n"
            await asyncio.sleep(0.05)

    return StreamingResponse(events(), media_type="text/event-stream")
"""

#: A page and a tool, and a service that says when it is closed.
NOTES_APP = '''
import lazyapp
import lazyauth
import lazymcp


class Notes:
    pass


async def open_notes():
    print("notes opened")
    yield Notes()
    print("notes closed")


class NotesController(lazyapp.Controller):
    async def index(self) -> dict:
        return {}


class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    async def count(self) -> int:
        """Count notes."""
        print("hello from", lazyauth.require_user().id)
        return 7


app = lazyapp.App(
    lazyapp.Config(
        name="notes",
        drawer=lambda routes: routes.resources("notes", NotesController, only=["index"]),
        dependencies=lambda services: services.add(Notes, open_notes),
        mcp=lambda ctx, scope: scope.register(NotesMCP()),
    )
)
'''


def write_app(folder: Path, text: str = TINY_APP) -> Path:
    """A folder with `init/app.py`."""
    (folder / "init").mkdir(parents=True, exist_ok=True)
    (folder / "init" / "__init__.py").touch()
    (folder / "init" / "app.py").write_text(text)
    return folder


def environment(**variables: str) -> dict[str, str]:
    """What a command sees: this machine's paths, and nothing of the settings that the tests run under."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ} | {"PYTHONUNBUFFERED": "1"} | variables


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    command = [sys.executable, "-m", "lazyapp", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(**variables), capture_output=True, text=True, timeout=60, check=False
    )


class Serving:
    """A running `lazyapp serve`; `lines` is all that it said so far."""

    def __init__(self, folder: Path, *arguments: str, command: Sequence[str] = SERVE, **variables: str) -> None:
        self.process = subprocess.Popen(
            [*command, *arguments],
            cwd=folder,
            env=environment(**variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as said:
            for line in said:
                self._queue.put(line.rstrip())
        self._queue.put(None)

    def wait_for(self, pattern: str) -> str:
        """The next line that matches; fails with everything said when it does not come."""
        deadline = time.monotonic() + PATIENCE_S
        with contextlib.suppress(queue.Empty):
            while (line := self._queue.get(timeout=max(0, deadline - time.monotonic()))) is not None:
                self.lines.append(line)
                if re.search(pattern, line):
                    return line
        raise AssertionError(f"{pattern!r} was not said in:\n" + "\n".join(self.lines))

    def wait_until_up(self) -> str:
        """The origin, once the banner says it."""
        return self.wait_for("Pages").split()[-1]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and give the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """The exit code, when it has ended; everything said is in `lines`."""
        code = self.process.wait(PATIENCE_S)
        while (line := self._queue.get(timeout=PATIENCE_S)) is not None:
            self.lines.append(line)
        return code

    def close(self) -> None:
        """End it for certain, and what it started with it."""
        self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE_S)


@contextlib.contextmanager
def serving(folder: Path, *arguments: str, command: Sequence[str] = SERVE, **variables: str) -> Iterator[Serving]:
    """A server that is gone afterwards, whatever happens."""
    server = Serving(folder, *arguments, command=command, **variables)
    try:
        yield server
    finally:
        server.close()


def facts(origin: str) -> dict[str, object]:
    """What the tiny application says about itself, at the first try unless the server that accepted us was just ending."""
    while True:
        with contextlib.suppress(httpx2.RemoteProtocolError, httpx2.ReadError):
            found: dict[str, object] = httpx2.get(f"{origin}/facts", timeout=PATIENCE_S).json()
            return found


def wait_until_gone(pid: object) -> None:
    """Return when no such process is left (a zombie that nobody waited for counts as gone)."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        status = Path(f"/proc/{pid}/stat")
        if not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")
