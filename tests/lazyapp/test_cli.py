"""The command line as a person meets it."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lazyapp.serving import environment, run, write_app

HEAVY = ("fastapi", "starlette", "sqlalchemy", "uvicorn", "pydantic", "jinja2", "rich", "lazymcp", "lazyoauth", "watchfiles")


def test_help_lists_every_command_and_imports_none(tmp_path: Path) -> None:
    """Design 7: plain help, commands imported when run; under 200 ms."""
    command = [sys.executable, "-X", "importtime", "-m", "lazyapp", "--help"]
    result = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert re.findall(r"^  (\w+)  ", result.stdout, re.MULTILINE) == ["new", "serve", "routes", "mcp"]
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines()}
    assert "typer" in imported
    assert imported.isdisjoint(HEAVY)


@pytest.mark.parametrize("command", ["new", "serve", "routes", "mcp", "mcp stdio"])
def test_every_listed_command_explains_itself(command: str, tmp_path: Path) -> None:
    result = run(tmp_path, *command.split(), "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"Usage: lazyapp {command}" in result.stdout


def test_the_version_is_told(tmp_path: Path) -> None:
    assert re.fullmatch(r"lazyapp \d+\.\d+\.\d+\n", run(tmp_path, "--version").stdout)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("srve", "`lazyapp srve` is no command; did you mean `lazyapp serve`?"),
        ("frobnicate", "`lazyapp frobnicate` is no command; `lazyapp --help` lists them."),
        ("mcp stdoi", "`lazyapp mcp stdoi` is no command; did you mean `lazyapp mcp stdio`?"),
        ("serve --prt 1", "No such option: --prt"),
        ("serve --port x", "`lazyapp serve --help` tells what can be typed."),
        ("new", "Missing argument 'NAME'; `lazyapp new --help` tells what can be typed."),
        ("new Shop", "'Shop' cannot be a name;"),
        ("serve", "No init/app.py found here or above; run `lazyapp new NAME` or change to the application's folder."),
        ("routes", "No init/app.py found here or above;"),
        ("mcp stdio", "No init/app.py found here or above;"),
    ],
)
def test_a_wrong_command_ends_with_2_and_one_sentence(typed: str, answer: str, tmp_path: Path) -> None:
    """Design 7: exit code 2 and one sentence that says what to type."""
    result = run(tmp_path, *typed.split())
    assert (result.returncode, result.stdout) == (2, "")
    assert answer in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_port_in_use_ends_with_2_and_a_free_one(tmp_path: Path) -> None:
    write_app(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(tmp_path, "serve", "--port", str(port))
    assert result.returncode == 2
    assert f"Port {port} is in use; stop what serves there, or run `lazyapp serve --port " in result.stderr.splitlines()[-1]


def test_an_error_in_the_application_is_shown_short(tmp_path: Path) -> None:
    """The developer's own lines, not the framework's."""
    write_app(tmp_path, "import shop_that_is_not_there\n")
    result = run(tmp_path, "routes")
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "init/app.py:1 in <module>",
        "    import shop_that_is_not_there",
        "ModuleNotFoundError: No module named 'shop_that_is_not_there'",
    ]


def test_routes_are_listed_without_a_database(tmp_path: Path) -> None:
    """Design 3: drawn at construction, so nothing is opened; the address below would refuse."""
    write_app(tmp_path, ROUTED_APP)
    unreachable = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    table = run(tmp_path, "routes", **unreachable)
    assert re.search(r"^GET +/notes +notes +notes#index$", table.stdout, re.MULTILINE), table.stderr
    found = json.loads(run(tmp_path / "init", "routes", "--json", **unreachable).stdout)
    assert {"methods": ["GET"], "path": "/notes", "name": "notes", "action": "notes#index"} in found["pages"]
    assert {"kind": "tool", "name": "notes.count", "module": "notes", "description": "Count notes."} in found["mcp"]


def test_the_modules_are_served_over_stdio_and_nothing_else_is_printed(tmp_path: Path) -> None:
    """Design 4: a stray print does no harm, whenever it happens."""
    write_app(tmp_path, "print('hello from an import')\n" + ROUTED_APP)
    initialize = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "notes.count", "arguments": {}}},
    ]
    command = [sys.executable, "-m", "lazyapp", "mcp", "stdio"]
    text = "".join(json.dumps(message) + "\n" for message in asked)
    result = subprocess.run(
        command, cwd=tmp_path, env=environment(), input=text, capture_output=True, text=True, timeout=60, check=True
    )
    answers = {message["id"]: message for message in map(json.loads, result.stdout.splitlines())}
    assert answers[2]["result"]["structuredContent"] == {"result": 7}
    assert "hello from an import" in result.stderr
    assert "hello from a tool" in result.stderr


ROUTED_APP = '''
import lazyapp
import lazymcp


class NotesController(lazyapp.Controller):
    async def index(self) -> dict:
        return {}


class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    async def count(self) -> int:
        """Count notes."""
        print("hello from a tool")
        return 7


def draw(routes: lazyapp.Routes) -> None:
    routes.resources("notes", NotesController, only=["index"])


app = lazyapp.App(lazyapp.Config(name="notes", drawer=draw, mcp=lambda ctx, scope: scope.register(NotesMCP())))
'''
