"""`lazyapp routes`."""

import json
import re
from pathlib import Path

from tests.lazyapp.tiny_app import NOTES_APP, run, write_app

UNREACHABLE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}


def test_pages_and_mcp_are_listed_without_a_database(tmp_path: Path) -> None:
    """Design 2: drawn and declared at construction, so nothing is opened."""
    result = run(write_app(tmp_path, NOTES_APP), "routes", **UNREACHABLE)
    assert re.search(r"^GET +/notes +notes +notes#index$", result.stdout, re.MULTILINE), result.stderr
    assert re.search(r"^tool +notes\.count +notes +Count notes\.$", result.stdout, re.MULTILINE)
    assert "notes opened" not in result.stdout + result.stderr


def test_json_tells_the_same_from_any_folder_inside(tmp_path: Path) -> None:
    """Design 7: `--json` on every reading command."""
    found = json.loads(run(write_app(tmp_path, NOTES_APP) / "init", "routes", "--json", **UNREACHABLE).stdout)
    assert {"methods": ["GET"], "path": "/notes", "name": "notes", "action": "notes#index"} in found["pages"]
    assert found["mcp"] == [{"kind": "tool", "name": "notes.count", "module": "notes", "description": "Count notes."}]
