"""lazyapp/connect/clients.py: what each client reads.

The shapes are those of the pages that each row names; a change there is a change here.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lazyapp.cli.mcp_connect import text_of
from lazyapp.connect.clients import CLIENTS, Server, local_command

HTTP = Server("example", "https://example.com/mcp")
LOCAL = Server("example", command=["/venv/bin/python", "-m", "lazyapp"])
URL = {"url": HTTP.url}
TYPED = {"type": "http", "url": HTTP.url}
COMMAND = {"command": "/venv/bin/python", "args": ["-m", "lazyapp"]}


@pytest.mark.parametrize(
    ("name", "key", "http", "local"),
    [
        ("claude", "mcpServers", TYPED, {"type": "stdio", **COMMAND}),
        ("cursor", "mcpServers", URL, {"type": "stdio", **COMMAND}),
        ("vscode", "servers", TYPED, {"type": "stdio", **COMMAND}),
        ("codex", "mcp_servers", URL, COMMAND),
        ("gemini", "mcpServers", {"httpUrl": HTTP.url}, COMMAND),
        ("json", "mcpServers", TYPED, {"type": "stdio", **COMMAND}),
    ],
)
def test_each_client_reads_its_own_shape(name: str, key: str, http: dict[str, Any], local: dict[str, Any]) -> None:
    """The page that `Client.page` names, of each."""
    client = CLIENTS[name]
    load = tomllib.loads if client.is_toml else json.loads
    assert load(text_of(client, HTTP)) == {key: {"example": http}}
    assert load(text_of(client, LOCAL)) == {key: {"example": local}}


@pytest.mark.parametrize(
    ("name", "project", "user"),
    [
        ("claude", ".mcp.json", ".claude.json"),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
        ("codex", ".codex/config.toml", ".codex/config.toml"),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
    ],
)
def test_each_client_has_its_files(name: str, project: str, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page that `Client.page` names, of each."""
    monkeypatch.delenv("CODEX_HOME", raising=False)
    client = CLIENTS[name]
    assert client.user is not None
    assert (client.project, client.user(Path("/home/ada"))) == (project, Path("/home/ada") / user)


@pytest.mark.parametrize(
    ("platform", "folder"), [("linux", ".config/Code/User"), ("darwin", "Library/Application Support/Code/User")]
)
def test_vs_code_keeps_its_user_file_where_the_system_keeps_such(
    platform: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """https://code.visualstudio.com/docs/agents/reference/mcp-configuration: in the user's profile."""
    monkeypatch.setattr(sys, "platform", platform)
    user = CLIENTS["vscode"].user
    assert user is not None
    assert user(Path("/home/ada")) == Path("/home/ada") / folder / "mcp.json"


@pytest.mark.parametrize(
    ("name", "server", "is_global", "commands"),
    [
        ("claude", HTTP, False, ["claude mcp add --transport http example https://example.com/mcp"]),
        ("claude", LOCAL, True, ["claude mcp add --scope user example -- /venv/bin/python -m lazyapp"]),
        ("codex", HTTP, False, ["codex mcp add example --url https://example.com/mcp", "codex mcp login example"]),
        ("codex", LOCAL, False, ["codex mcp add example -- /venv/bin/python -m lazyapp"]),
        ("gemini", HTTP, False, ["gemini mcp add --transport http example https://example.com/mcp"]),
        ("cursor", HTTP, False, []),
        ("vscode", HTTP, False, []),
        ("inspector", HTTP, False, ["npx @modelcontextprotocol/inspector --transport http --server-url https://example.com/mcp"]),
        ("inspector", LOCAL, False, ["npx @modelcontextprotocol/inspector /venv/bin/python -- -m lazyapp"]),
    ],
)
def test_what_can_be_typed_instead(name: str, server: Server, is_global: bool, commands: list[str]) -> None:
    """docs/connect.md and the page that `Client.page` names, of each."""
    assert list(CLIENTS[name].commands(server, is_global)) == commands


def test_what_a_shell_would_read_otherwise_is_quoted() -> None:
    server = Server("example", command=["/a b/python", "-m", "lazyapp"])
    assert CLIENTS["claude"].commands(server, False) == ["claude mcp add example -- '/a b/python' -m lazyapp"]


def test_a_local_process_is_started_with_this_interpreter_and_folder() -> None:
    """docs/stdio.md: the client starts it wherever the client stands."""
    assert local_command(Path("/app")) == [sys.executable, "-m", "lazyapp", "mcp", "stdio", "--folder", "/app"]
