"""`lazyapp mcp`."""

from pathlib import Path

from lazyapp.cli.mcp import Commands
from tests.lazyapp.tiny_app import run


def test_its_commands_are_listed(tmp_path: Path) -> None:
    result = run(tmp_path, "mcp", "--help")
    assert "Usage: lazyapp mcp [OPTIONS] COMMAND" in result.stdout
    assert "Look at this application's MCP modules, use them without the web" in " ".join(result.stdout.split())
    listed = result.stdout.partition("Commands:")[2].split("\n  ")
    assert [line.split()[0] for line in listed if line.strip() and not line.startswith(" ")] == list(Commands.commands_by_name)
