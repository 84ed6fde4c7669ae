"""What `lazyapp` by itself says, told without typer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lazyapp.cli.commands import COMMANDS, EXAMPLES
from tests.lazyapp.tiny_app import environment, run


@pytest.mark.parametrize("typed", [(), ("-h",), ("--help",), ("--version",)])
def test_what_asks_for_no_command_imports_no_typer(typed: tuple[str, ...], tmp_path: Path) -> None:
    """Design 7: under 200 ms; the import of typer alone may take as long."""
    command = [sys.executable, "-X", "importtime", "-m", "lazyapp", *typed]
    result = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines() if "|" in line}
    assert "lazyapp" in imported
    assert imported.isdisjoint({"typer", "click", "rich", "importlib.metadata", "pydantic"})


def test_the_help_tells_every_command_with_its_sentence(tmp_path: Path) -> None:
    result = run(tmp_path, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    told = " ".join(result.stdout.split())
    for name, lazy in COMMANDS.items():
        assert f" {name} {lazy.summary}" in told
    for example in EXAMPLES:
        assert f"\n    {example}\n" in result.stdout


@pytest.mark.parametrize("columns", ["20", "64", "80", "200"])
def test_it_is_set_as_typer_would(columns: str, tmp_path: Path) -> None:
    """Whoever types more than one word is answered by typer, and so is every other command's `--help`."""
    ours, typers = (run(tmp_path, *typed, COLUMNS=columns) for typed in (["-h"], ["-h", "serve"]))
    assert ours.stdout == typers.stdout


def test_both_tell_the_same_version(tmp_path: Path) -> None:
    assert run(tmp_path, "--version").stdout == run(tmp_path, "--version", "serve").stdout


def test_a_reader_that_has_left_is_told_nothing(tmp_path: Path) -> None:
    """`lazyapp --help | true`: Python itself writes a traceback when it is refused the rest at its end."""
    reads, writes = os.pipe()
    os.close(reads)
    env = environment()
    del env["PYTHONUNBUFFERED"]
    command = [sys.executable, "-m", "lazyapp", "--help"]
    with os.fdopen(writes, "wb") as stdout:
        result = subprocess.run(command, cwd=tmp_path, env=env, stdout=stdout, stderr=subprocess.PIPE, check=False)
    assert (result.returncode, result.stderr) == (1, b"")
