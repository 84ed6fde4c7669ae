"""`lazyapp routes`."""

import json
import re
from pathlib import Path

import pytest

from lazyapp.cli.routes import listing
from tests.lazyapp.tiny_app import NOTES_APP, run, write_app

UNREACHABLE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}


def test_pages_and_mcp_are_one_table_made_without_a_database(tmp_path: Path) -> None:
    """Design 2: drawn and declared at construction, so nothing is opened."""
    result = run(write_app(tmp_path, NOTES_APP), "routes", **UNREACHABLE)
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["KIND", "METHOD", "PATH", "NAME", "ACTION", "PLACE"], result.stderr
    assert re.fullmatch(r"page +GET +/notes +notes +notes#index +init/app\.py:\d+", lines[1])
    assert lines[2] == ""
    assert re.match(r"tool +call +notes\.count +notes +Count notes\. +init/app\.py:\d+", lines[3])
    assert "notes opened" not in result.stdout + result.stderr


def test_json_tells_the_same_from_any_folder_inside(tmp_path: Path) -> None:
    """Design 7: `--json` on every reading command."""
    found = json.loads(run(write_app(tmp_path, NOTES_APP) / "init", "routes", "--json", **UNREACHABLE).stdout)
    (page,), (tool,) = found["pages"], found["mcp"]
    assert re.fullmatch(r"app\.py:\d+", page.pop("place"))
    assert page == {"methods": ["GET"], "path": "/notes", "name": "notes", "action": "notes#index"}
    assert tool.items() >= {"kind": "tool", "name": "notes.count", "module": "notes", "description": "Count notes."}.items()


def test_grep_finds_a_word_wherever_it_stands(tmp_path: Path) -> None:
    """docs/routes.md, "The table": `--grep` shows the lines that have the word."""
    folder = write_app(tmp_path, NOTES_APP)
    assert len(run(folder, "routes", "--grep", "COUNT").stdout.splitlines()) == 2
    assert run(folder, "routes", "--grep", "xyz").stdout == "Nothing has 'xyz' in it.\n"


PAGES = [
    {
        "methods": ["GET"],
        "path": "/a/very/long/path/" + "x" * 40,
        "name": "n" * 30,
        "action": "notes#index",
        "place": "app/n.py:11",
    },
    {
        "methods": ["GET"],
        "path": "/api/things",
        "name": "thing",
        "action": "app.api.thing",
        "place": "app/controllers/" + "y" * 30 + ".py:12",
    },
]
OFFERED = [{"kind": "prompt", "name": "admin.audit", "module": "admin", "description": "Say it. " * 20, "place": "app/admin.py:3"}]


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_the_table_fits_the_terminal_and_keeps_the_end_of_a_place(width: int) -> None:
    """docs/routes.md, "The table": it fits 80 and 120 columns."""
    lines = listing(PAGES, OFFERED, width)
    assert max(map(len, lines)) <= width
    assert [line.split()[0] for line in lines if line] == ["KIND", "page", "api", "prompt"]
    assert lines[3].endswith(".py:12") is (width >= 120)
