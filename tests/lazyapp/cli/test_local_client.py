"""The process that a desktop client starts, without typer."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lazyapp.tiny_app import NOTES_APP, environment, run, write_app


@pytest.mark.parametrize("typed", [(), ("--folder", ".")])
def test_it_is_there_without_typer(tmp_path: Path, typed: tuple[str, ...]) -> None:
    """Design 9: what a desktop client waits for; typer would be a tenth of it."""
    command = [sys.executable, "-X", "importtime", "-m", "lazyapp", "mcp", "stdio", *typed]
    done = subprocess.run(
        command, cwd=write_app(tmp_path, NOTES_APP), env=environment(), input="", capture_output=True, text=True, check=False
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert done.returncode == 0
    assert "lazymcp" in imported
    assert imported.isdisjoint({"typer", "click", "rich"})


@pytest.mark.parametrize("folder", ["gone", "file", ""])
def test_it_ends_as_with_typer(tmp_path: Path, folder: str) -> None:
    """Design 7: exit code 2 and one sentence. `--folder=…` is read by typer."""
    (tmp_path / "file").touch()
    ours, typers = (run(tmp_path, "mcp", "stdio", *typed) for typed in (["--folder", folder], [f"--folder={folder}"]))
    assert (ours.returncode, ours.stdout, ours.stderr) == (typers.returncode, typers.stdout, typers.stderr)
    assert ours.returncode == 2
    assert ours.stderr.count("\n") == 1
