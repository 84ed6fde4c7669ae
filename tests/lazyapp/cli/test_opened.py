"""lazyapp/cli/opened.py: an application is started for a command, and closed after it."""

import subprocess
import sys
from pathlib import Path

from tests.lazyapp.tiny_app import NOTES_APP, environment, write_app

SCRIPT = """
from lazyapp.cli.opened import with_app


async def act(app):
    print("acted in", app.title)
    raise SystemExit(3)


with_app(act)
"""


def test_services_are_open_during_the_act_and_closed_whatever_it_does(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(
        command, cwd=write_app(tmp_path, NOTES_APP), env=environment(), capture_output=True, text=True, check=False
    )
    said = done.stdout.splitlines()
    assert [said.index(line) for line in ("notes opened", "acted in notes", "notes closed")] == [0, 1, 2]
    assert done.returncode == 3
