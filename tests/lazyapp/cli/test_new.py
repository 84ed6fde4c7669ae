"""`lazyapp new`: what the command itself adds to the scaffold."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lazyapp.tiny_app import environment, run


def test_it_says_what_was_made_and_what_to_type_next(tmp_path: Path) -> None:
    result = run(tmp_path, "new", "my-shop", PATH="/usr/bin:/bin")
    assert (result.returncode, result.stderr) == (0, "")
    count = len([path for path in (tmp_path / "my-shop").rglob("*") if path.is_file()])
    assert result.stdout.splitlines() == [
        f"  Created my-shop/ with {count} files: pages, MCP and a login for both.",
        "  Next:  cd my-shop && bin/serve",
        "  Test:  bin/test",
    ]


@pytest.mark.parametrize(("variables", "is_bold"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_a_terminal_shows_what_to_type_in_bold(variables: dict[str, str], is_bold: bool, tmp_path: Path) -> None:
    """https://no-color.org"""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "lazyapp", "new", "shop", "--without-mcp"]
    subprocess.run(command, cwd=tmp_path, env=environment(TERM="xterm") | variables, stdout=theirs, check=True)
    os.close(theirs)
    said = os.read(ours, 4096).decode()
    os.close(ours)
    assert ("\x1b[1mcd shop && bin/serve\x1b[0m" in said) is is_bold
    assert ("\x1b" in said) is is_bold
    assert "pages and their login." in said


def test_it_can_be_made_in_the_folder_one_stands_in(tmp_path: Path) -> None:
    result = run(tmp_path, "new", "shop", "--dir", ".", PATH="/usr/bin:/bin")
    assert "  Next:  bin/serve\n" in result.stdout
    assert (tmp_path / "init" / "app.py").exists()


def test_a_folder_with_a_blank_in_its_name_is_entered_as_printed(tmp_path: Path) -> None:
    result = run(tmp_path, "new", "shop", "--dir", "my work", PATH="/usr/bin:/bin")
    assert "  Next:  cd 'my work' && bin/serve\n" in result.stdout


def test_where_pytest_is_missing_it_is_named(tmp_path: Path) -> None:
    """docs/new.md: a machine with Python and lazyapp only."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pytest'] = None\n")
    result = run(tmp_path, "new", "shop", PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert result.stdout.splitlines()[-1] == (
        f"  Test:  bin/test, once pytest is there: {sys.executable} -m pip install pytest ruff mypy"
    )


def test_a_bad_name_ends_with_2_and_makes_nothing(tmp_path: Path) -> None:
    result = run(tmp_path, "new", "Shop")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("'Shop' cannot be a name;")
    assert list(tmp_path.iterdir()) == []
