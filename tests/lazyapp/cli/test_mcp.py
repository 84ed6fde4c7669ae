"""`lazyapp mcp`."""

from pathlib import Path

from tests.lazyapp.tiny_app import run


def test_its_commands_are_listed(tmp_path: Path) -> None:
    result = run(tmp_path, "mcp", "--help")
    assert "Usage: lazyapp mcp [OPTIONS] COMMAND" in result.stdout
    assert "Serve this application's MCP modules without the web; `lazyapp routes` lists them." in " ".join(result.stdout.split())
    assert "  stdio  Serve the MCP modules to one local client" in result.stdout
