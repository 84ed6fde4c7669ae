"""A development server that several tests share, since to start one is what takes long, and what is written there."""

import contextlib
import time
from pathlib import Path

import httpx2

from tests.lazyapp.tiny_app import PATIENCE_S, TINY_APP, Serving, facts

#: The tiny application with a tool, so that AI clients can listen.
APP = TINY_APP.replace("import os\n", "import os\nimport lazymcp\n", 1).replace(
    'app = lazyapp.App(lazyapp.Config(name="tiny"))',
    '''
class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    async def count(self) -> int:
        """Count notes."""
        return 7


app = lazyapp.App(lazyapp.Config(name="tiny", mcp=lambda ctx, scope: scope.register(NotesMCP())))''',
)
AGAIN = "changed, starting again"
READY, WAITING = "Ready again", "Waiting for a change"


def save(folder: Path, version: int, text: str = TINY_APP) -> None:
    """One event, for a file that is emptied and then filled may be two changes."""
    passing = folder / "init" / "app.py.tmp"
    passing.write_text(text.replace("VERSION = 1", f"VERSION = {version}"))
    passing.replace(folder / "init" / "app.py")


def until_served(origin: str, version: int) -> int:
    """The process that serves this version, once one does."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := facts(origin))["version"] != version:
        assert time.monotonic() < deadline, found
    return int(str(found["pid"]))


class Site:
    """A server for several tests. Versions only rise, so that what a test reads is what it wrote.

    Args:
        folder: with `APP` in it.
        server: what serves it.
    """

    def __init__(self, folder: Path, server: Serving) -> None:
        self.folder, self.server, self.version = folder, server, 1
        self.origin = server.wait_until_up()

    def save(self, text: str = APP) -> int:
        """The version that is written."""
        self.version += 1
        save(self.folder, self.version, text)
        return self.version

    def until_served(self, version: int) -> int:
        """The process that serves it, once the terminal has told of it: no later test reads a line of this one."""
        self.server.wait_for(READY)
        return until_served(self.origin, version)

    def is_well(self) -> bool:
        """Whether the application that was written last is what is served."""
        with contextlib.suppress(httpx2.HTTPError, ValueError):
            found = httpx2.get(f"{self.origin}/facts", timeout=PATIENCE_S).json()
            return bool(found.get("version") == self.version)
        return False
