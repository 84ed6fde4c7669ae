"""The AI clients: which file each reads, in which shape, and which command does the same.

As of 1 December 2026; every row names the page that says so.
"""

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Server:
    """What a client is told of.

    Attributes:
        name: the word under which it lists the application.
        url: of `/mcp`; "" for a local process.
        command: what starts the local process, with its arguments; empty for HTTP.
    """

    name: str
    url: str = ""
    command: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Client:
    """One client.

    Attributes:
        name: what is typed.
        title: what it is called.
        page: where its vendor says all this.
        project: its file in a project's folder; "" for none.
        user: its file for one user of this machine, given the home folder; None for none.
        key: the member of the file that holds the servers by name.
        entry: how a server stands there.
        commands: what can be typed instead, given whether it is for all projects of the user.
        then: how a person signs in next; not for a local process.
        note: what to know about the file of a project.
    """

    name: str
    title: str
    page: str
    project: str
    user: Callable[[Path], Path] | None
    key: str
    entry: Callable[[Server], Entry]
    commands: Callable[[Server, bool], Sequence[str]]
    then: str
    note: str = ""

    @property
    def is_toml(self) -> bool:
        """Whether its file is TOML and not JSON."""
        return self.project.endswith(".toml")

    def settings(self, server: Server) -> dict[str, Any]:
        """The whole file, if nothing else stood in it."""
        return {self.key: {server.name: dict(self.entry(server))}}


def _typed(server: Server) -> Entry:
    if server.url:
        return {"type": "http", "url": server.url}
    return {"type": "stdio", "command": server.command[0], "args": list(server.command[1:])}


def _cursor(server: Server) -> Entry:
    return {"url": server.url} if server.url else _typed(server)


def _codex(server: Server) -> Entry:
    return {"url": server.url} if server.url else {"command": server.command[0], "args": list(server.command[1:])}


def _gemini(server: Server) -> Entry:
    # "url" means the older SSE transport there.
    return {"httpUrl": server.url} if server.url else _codex(server)


def _claude_commands(server: Server, is_global: bool) -> Sequence[str]:
    scope = "--scope user " if is_global else ""
    if server.url:
        return [f"claude mcp add {scope}--transport http {server.name} {shlex.quote(server.url)}"]
    return [f"claude mcp add {scope}{server.name} -- {shlex.join(server.command)}"]


def _codex_commands(server: Server, is_global: bool) -> Sequence[str]:
    if server.url:
        return [f"codex mcp add {server.name} --url {shlex.quote(server.url)}", f"codex mcp login {server.name}"]
    return [f"codex mcp add {server.name} -- {shlex.join(server.command)}"]


def _gemini_commands(server: Server, is_global: bool) -> Sequence[str]:
    scope = "--scope user " if is_global else ""
    if server.url:
        return [f"gemini mcp add {scope}--transport http {server.name} {shlex.quote(server.url)}"]
    return [f"gemini mcp add {scope}{server.name} {shlex.join(server.command)}"]


def _vscode_commands(server: Server, is_global: bool) -> Sequence[str]:
    # It writes the user's file, whatever the folder.
    return [f"code --add-mcp {shlex.quote(json.dumps({'name': server.name, **_typed(server)}))}"] if is_global else []


def _inspector_commands(server: Server, is_global: bool) -> Sequence[str]:
    package = "npx @modelcontextprotocol/inspector"
    if server.url:
        return [f"{package} --transport http --server-url {shlex.quote(server.url)}"]
    first, *rest = server.command
    return [f"{package} {shlex.quote(first)} -- {shlex.join(rest)}"]


def _no_commands(server: Server, is_global: bool) -> Sequence[str]:
    return []


def _vscode_user(home: Path) -> Path:
    folders = {"darwin": home / "Library" / "Application Support", "win32": Path(os.environ.get("APPDATA", home))}
    return folders.get(sys.platform, home / ".config") / "Code" / "User" / "mcp.json"


def _codex_user(home: Path) -> Path:
    return Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml"


CLIENTS: Final[Mapping[str, Client]] = {
    client.name: client
    for client in (
        Client(
            "claude",
            "Claude Code",
            "https://code.claude.com/docs/en/mcp",
            ".mcp.json",
            lambda home: home / ".claude.json",
            "mcpServers",
            _typed,
            _claude_commands,
            "Type /mcp inside Claude Code, and choose Authenticate.",
        ),
        Client(
            "cursor",
            "Cursor",
            "https://cursor.com/docs/mcp",
            ".cursor/mcp.json",
            lambda home: home / ".cursor" / "mcp.json",
            "mcpServers",
            _cursor,
            _no_commands,
            "Switch it on in Cursor's MCP settings, and sign in there.",
        ),
        Client(
            "vscode",
            "VS Code",
            "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
            ".vscode/mcp.json",
            _vscode_user,
            "servers",
            _typed,
            _vscode_commands,
            "Choose Start above the entry in mcp.json.",
        ),
        Client(
            "codex",
            "Codex",
            "https://developers.openai.com/codex/mcp",
            ".codex/config.toml",
            _codex_user,
            "mcp_servers",
            _codex,
            _codex_commands,
            "Sign in with `codex mcp login` and the name.",
            "Codex reads the file of a project only where the project is trusted; --global is for the one of all projects.",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "https://geminicli.com/docs/tools/mcp-server",
            ".gemini/settings.json",
            lambda home: home / ".gemini" / "settings.json",
            "mcpServers",
            _gemini,
            _gemini_commands,
            "Type /mcp auth and the name inside Gemini CLI.",
        ),
        Client(
            "inspector",
            "MCP Inspector",
            "https://github.com/modelcontextprotocol/inspector/blob/main/docs/mcp-server-configuration.md",
            "",
            None,
            "mcpServers",
            _typed,
            _inspector_commands,
            "Choose Connect on its page.",
        ),
        Client(
            "json",
            "Other clients",
            "https://modelcontextprotocol.io/clients",
            "",
            None,
            "mcpServers",
            _typed,
            _no_commands,
            "",
        ),
    )
}
# Clients of a service have no file on this machine.
CLICKED: Final[Mapping[str, str]] = {
    "chatgpt": (
        "ChatGPT keeps its connections on OpenAI's servers, so there is no file. In ChatGPT choose Settings, Plugins (on some "
        "plans Apps & Connectors, with developer mode on), Create; then give the URL, and sign in.\n"
        "https://developers.openai.com/plugins/build/auth"
    ),
}


def local_command(folder: Path) -> list[str]:
    """What starts the local process of the application in a folder, from wherever a client starts it: with this interpreter."""
    return [sys.executable, "-m", "lazyapp", "mcp", "stdio", "--folder", str(folder)]
