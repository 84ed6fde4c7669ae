"""`lazyapp mcp lint`."""

import json
from pathlib import Path

from tests.lazyapp.cli.conftest import EXAMPLE
from tests.lazyapp.cli.forking import Commands
from tests.lazyapp.tiny_app import NOTES_APP, write_app

UNREACHABLE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
REFUSED = """
import lazyapp
import lazymcp


class NotesMCP(lazymcp.Base):
    def count_tool(self):
        schema = {"type": "object", "anyOf": [{"required": ["since"]}]}
        return lazymcp.ToolSpec(desc="Count notes.", fn=lambda **anything: 7, input_schema=schema)


app = lazyapp.App(lazyapp.Config(name="notes", mcp=lambda ctx, scope: scope.register(NotesMCP())))
"""


def test_the_example_is_clean_and_needs_no_database(lazyapp: Commands) -> None:
    """docs/commands.md, "Lint": what newcomers are handed is a hundred of a hundred."""
    result = lazyapp(EXAMPLE, "mcp", "lint", "--strict", **UNREACHABLE)
    assert result.returncode == 0, result.stdout
    assert result.stdout.startswith("Score 100 of 100 · no errors, no warnings, no notices · 7 items, about ")


def test_a_finding_says_where_why_and_what_to_do(lazyapp: Commands, tmp_path: Path) -> None:
    """docs/commands.md, "Lint"; warnings fail the command under --strict alone."""
    folder = write_app(tmp_path, NOTES_APP)
    lines = lazyapp(folder, "mcp", "lint").stdout.splitlines()
    place = next(number for number, line in enumerate(NOTES_APP.splitlines(), 1) if "@lazymcp.tool" in line)
    start = lines.index(f"init/app.py:{place}: warning hint-missing")
    assert lines[start + 1] == "    notes.count: neither readOnlyHint nor destructiveHint is there."
    assert any(line.startswith("    https://") for line in lines[start:])
    assert "    Say read_only=True, or destructive=True or False." in lines
    assert lines[-1].startswith("Score ")
    assert lazyapp(folder, "mcp", "lint").returncode == 0
    assert lazyapp(folder, "mcp", "lint", "--strict").returncode == 1


def test_an_error_fails_the_command_and_json_tells_all(lazyapp: Commands, tmp_path: Path) -> None:
    """Design 7: `--json` on every reading command."""
    result = lazyapp(write_app(tmp_path, REFUSED), "mcp", "lint", "--json")
    found = json.loads(result.stdout)
    assert result.returncode == 1, result.stderr
    assert found["score"] < 100
    (error,) = [each for each in found["findings"] if each["severity"] == "error"]
    assert error["rule"] == "schema-combined"
    assert error["item"] == "notes.count"
    assert error["place"].startswith("init/app.py:")
    assert error["source"] == "https://github.com/makenotion/notion-mcp-server/issues/340"
    assert error["why"]
    assert error["advice"]
