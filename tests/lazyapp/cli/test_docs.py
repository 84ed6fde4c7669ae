"""`lazyapp docs`."""

import json
import os
import subprocess
import sys
from pathlib import Path


def docs(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, in a folder that is no application, as wide as a page."""
    command = [sys.executable, "-m", "lazyapp", "docs", *arguments]
    return subprocess.run(command, cwd=folder, env=os.environ | {"COLUMNS": "80"}, capture_output=True, text=True, check=False)


def test_pages_are_listed_and_printed_anywhere(tmp_path: Path) -> None:
    """docs/decisions.md: documentation shipped in the wheel; Plain's `plain docs`."""
    listed = docs(tmp_path).stdout.splitlines()
    assert listed[0].startswith("tutorial ")
    assert max(map(len, listed)) <= 80
    assert docs(tmp_path, "tools").stdout.startswith("# Tools\n")


def test_words_are_searched(tmp_path: Path) -> None:
    """docs/README.md."""
    assert "forms#" in docs(tmp_path, "--search", "form errors").stdout
    assert docs(tmp_path, "--search", "quagga").stdout == "No section has 'quagga' in it; `lazyapp docs` lists the pages.\n"


def test_programs_read_json(tmp_path: Path) -> None:
    """Design 7: `--json` on every reading command."""
    pages = json.loads(docs(tmp_path, "--json").stdout)
    assert {"page": "tools", "title": "Tools"}.items() <= next(each for each in pages if each["page"] == "tools").items()
    found = json.loads(docs(tmp_path, "--search", "form errors", "--json").stdout)
    assert found[0].keys() == {"page", "heading", "excerpt"}


def test_a_page_that_is_not_there_ends_with_one_sentence(tmp_path: Path) -> None:
    """Design 7: exit code 2 and one sentence that says what to type."""
    done = docs(tmp_path, "form")
    assert (done.returncode, done.stderr) == (2, "There is no page 'form'; there are forms.\n")
