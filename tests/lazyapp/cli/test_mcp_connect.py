"""`lazyapp mcp connect`."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.lazyapp.cli.forking import Commands
from tests.lazyapp.tiny_app import NOTES_APP, PATIENCE_S, environment, serving, write_app

URL = "http://localhost:3000/mcp"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_app(tmp_path / "app", NOTES_APP)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_the_command_and_the_settings_are_printed_and_nothing_is_written(lazyapp: Commands, folder: Path) -> None:
    """docs/commands.md, "Connect"."""
    before = sorted(folder.rglob("*"))
    result = lazyapp(folder, "mcp", "connect", "claude")
    told = "`lazyapp serve` does not run here now; on another port than this, give --url http://localhost:PORT/mcp.\n"
    assert (result.returncode, result.stderr) == (0, told)
    assert result.stdout.startswith("# Claude Code: https://code.claude.com/docs/en/mcp\n")
    assert f"\nclaude mcp add --transport http notes {URL}\n" in result.stdout
    shown = result.stdout[result.stdout.index("{") : result.stdout.rindex("}") + 1]
    assert json.loads(shown) == {"mcpServers": {"notes": {"type": "http", "url": URL}}}
    assert [path for path in sorted(folder.rglob("*")) if "__pycache__" not in str(path)] == [
        path for path in before if "__pycache__" not in str(path)
    ]


@pytest.mark.parametrize(
    ("client", "file", "entry"),
    [
        ("claude", ".mcp.json", {"mcpServers": {"notes": {"type": "http", "url": URL}}}),
        ("cursor", ".cursor/mcp.json", {"mcpServers": {"notes": {"url": URL}}}),
        ("vscode", ".vscode/mcp.json", {"servers": {"notes": {"type": "http", "url": URL}}}),
        ("codex", ".codex/config.toml", {"mcp_servers": {"notes": {"url": URL}}}),
        ("gemini", ".gemini/settings.json", {"mcpServers": {"notes": {"httpUrl": URL}}}),
    ],
)
def test_the_file_of_the_project_is_written_from_any_folder_inside(
    lazyapp: Commands, folder: Path, client: str, file: str, entry: object
) -> None:
    """docs/commands.md, "Connect": --write; a second time changes nothing."""
    result = lazyapp(folder / "init", "mcp", "connect", client, "--write")
    assert (result.returncode, result.stdout) == (0, f"notes is in {folder / file}.\n"), result.stderr
    text = (folder / file).read_text()
    assert (tomllib.loads(text) if file.endswith("toml") else json.loads(text)) == entry
    again = lazyapp(folder, "mcp", "connect", client, "--write")
    assert again.stdout == f"{folder / file} has notes already, just so.\n"
    assert [path.name for path in (folder / file).parent.iterdir() if ".bak" in path.name] == []


def test_the_users_file_is_merged_with_a_backup(lazyapp: Commands, folder: Path, home: Path) -> None:
    """docs/commands.md, "Connect": --global; what Claude Code keeps there besides stays."""
    path = home / ".claude.json"
    path.write_text('{"numStartups": 7, "mcpServers": {"other": {"command": "npx"}}}')
    result = lazyapp(folder, "mcp", "connect", "claude", "--global", "--write", "--url", "https://a.example/mcp", HOME=str(home))
    assert result.stdout == f"notes is in {path}; what stood there before is in {path}.bak.\n", result.stderr
    assert "Authenticate" in result.stderr
    found = json.loads(path.read_text())
    assert found["numStartups"] == 7
    assert found["mcpServers"] == {"other": {"command": "npx"}, "notes": {"type": "http", "url": "https://a.example/mcp"}}


def test_a_dry_run_shows_the_difference_and_writes_nothing(lazyapp: Commands, folder: Path) -> None:
    """docs/commands.md, "Connect"."""
    (folder / ".mcp.json").write_text('{\n  "mcpServers": {}\n}\n')
    result = lazyapp(folder, "mcp", "connect", "claude", "--write", "--dry-run")
    assert f'+      "url": "{URL}"\n' in result.stdout
    assert (folder / ".mcp.json").read_text() == '{\n  "mcpServers": {}\n}\n'
    assert not (folder / ".mcp.json.bak").exists()


def test_a_file_with_comments_is_left_as_it_is_and_the_lines_are_told(lazyapp: Commands, folder: Path) -> None:
    """docs/commands.md, "Connect": VS Code's own files may have comments."""
    path = folder / ".vscode" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{\n  // mine\n  "servers": {}\n}\n')
    result = lazyapp(folder, "mcp", "connect", "vscode", "--write")
    assert (result.returncode, result.stdout) == (1, "")
    assert "it has comments" in result.stderr
    assert f'"url": "{URL}"' in result.stderr
    assert path.read_text() == '{\n  // mine\n  "servers": {}\n}\n'


def test_another_entry_of_the_name_is_replaced_only_when_asked(lazyapp: Commands, folder: Path) -> None:
    """docs/commands.md, "Connect": --replace."""
    path = folder / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('model = "gpt" # mine\n\n[mcp_servers.notes]\nurl = "https://old.example/mcp"\n')
    refused = lazyapp(folder, "mcp", "connect", "codex", "--write")
    assert refused.returncode == 1
    assert "--replace puts the new one in its place" in refused.stderr
    assert "https://old.example/mcp" in refused.stderr
    replaced = lazyapp(folder, "mcp", "connect", "codex", "--write", "--replace")
    assert replaced.returncode == 0, replaced.stderr
    assert path.read_text() == f'model = "gpt" # mine\n\n\n[mcp_servers.notes]\nurl = "{URL}"\n'


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["clade"], "There is no client 'clade'; did you mean claude?\n"),
        (["emacs"], "There is no client 'emacs'; it is one of claude, cursor,"),
        (["claude", "--stdio", "--url", "https://a.example/mcp"], "Either --stdio or --url: a local process has no URL.\n"),
        (["claude", "--url", "a.example/mcp"], "--url 'a.example/mcp' should be the whole URL"),
        (["claude", "--name", "my notes"], "--name 'my notes' should be letters, digits, - and _"),
        (["inspector", "--write"], "MCP Inspector has no file of settings here; leave --write out.\n"),
        (["chatgpt", "--stdio"], "ChatGPT starts no local process; leave --stdio out.\n"),
    ],
)
def test_what_cannot_be_connected_is_told(lazyapp: Commands, folder: Path, arguments: list[str], sentence: str) -> None:
    """Design 7: exit code 2 and one sentence that says what to type."""
    result = lazyapp(folder, "mcp", "connect", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(sentence)


def test_the_port_is_that_of_the_run_in_this_folder(lazyapp: Commands, folder: Path) -> None:
    """docs/commands.md, "Connect": `lazyapp serve --port 3307` is where the client has to go, while it runs."""
    with serving(folder) as run:
        origin = run.wait_until_up()
        result = lazyapp(folder, "mcp", "connect", "claude")
        assert (result.returncode, result.stderr) == (0, "")
        assert f"\nclaude mcp add --transport http notes {origin}/mcp\n" in result.stdout
    assert f" {URL}\n" in lazyapp(folder, "mcp", "connect", "claude").stdout


def test_chatgpt_is_told_where_to_click(lazyapp: Commands, folder: Path) -> None:
    """docs/connect.md, "ChatGPT": it has no file, and reaches no localhost."""
    result = lazyapp(folder, "mcp", "connect", "chatgpt")
    assert "choose Settings, Plugins" in result.stdout
    assert "does not reach this machine" in result.stdout
    public = lazyapp(folder, "mcp", "connect", "chatgpt", "--url", "https://a.example/mcp").stdout
    assert public.endswith("\nhttps://a.example/mcp\n")


def test_the_local_process_of_the_settings_serves_from_anywhere(lazyapp: Commands, folder: Path, tmp_path: Path) -> None:
    """docs/stdio.md: a client starts the process wherever the client stands."""
    shown = lazyapp(folder, "mcp", "connect", "json", "--stdio").stdout
    entry = json.loads(shown)["mcpServers"]["notes"]
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "notes.count", "arguments": {}}}
    ask["params"]["_meta"] = {  # type: ignore[index]
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    started = subprocess.run(
        [sys.executable, *entry["args"]],
        cwd=tmp_path,
        env=environment(),
        input=json.dumps(ask) + "\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert entry["command"] == sys.executable
    assert json.loads(started.stdout)["result"]["structuredContent"] == {"result": 7}
    missing = lazyapp(tmp_path, "mcp", "stdio", "--folder", str(tmp_path / "nowhere"))
    assert missing.returncode == 2
    assert missing.stderr.endswith("nowhere cannot be entered: No such file or directory.\n")
