"""`lazyapp mcp list`."""

import json
from pathlib import Path

from lazyapp.cli.mcp_list import listing
from lazymcp import Scope
from lazymcp.weight import tokens_of
from tests.lazyapp.cli.conftest import EXAMPLE
from tests.lazyapp.cli.forking import Commands
from tests.lazyapp.tiny_app import write_app
from tests.lazymcp.admin_module import AdminMCP

UNREACHABLE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}


def test_the_example_is_listed_without_a_database(lazyapp: Commands) -> None:
    """docs/commands.md, "List": one line an item, tools with their arguments."""
    result = lazyapp(EXAMPLE, "mcp", "list", **UNREACHABLE)
    heading, *lines = result.stdout.splitlines()
    assert heading.startswith("admin  2 tools, 1 resource, 1 template, 1 prompt, 1 skill, 1 app · about "), result.stderr
    assert lines[0].startswith("  tool      admin.user_count(active?: boolean)   Count users: ")
    assert [line.split()[0] for line in lines] == ["tool", "tool", "resource", "template", "prompt", "skill", "app"]


def test_a_user_is_shown_what_is_open_to_them(lazyapp: Commands, everything: Path) -> None:
    """docs/commands.md, "List": --user."""
    whole = json.loads(lazyapp(everything, "mcp", "list", "--json").stdout)
    own = json.loads(lazyapp(everything, "mcp", "list", "--user", "ada", "--json").stdout)
    assert [module["name"] for module in whole["modules"]] == ["shop", "office"]
    assert [module["name"] for module in own["modules"]] == ["shop"]
    assert [each["entry"]["name"] for each in own["tools"]] == [
        each["entry"]["name"] for each in whole["tools"] if each["module"] == "shop"
    ]
    assert "office" not in json.dumps(own)


def test_json_has_the_entries_as_clients_are_sent_them(lazyapp: Commands) -> None:
    """Design 7: `--json` on every reading command. Each with its place and its estimated tokens."""
    found = json.loads(lazyapp(EXAMPLE, "mcp", "list", "--json", **UNREACHABLE).stdout)
    (tool, _), (app,) = found["tools"], found["apps"]
    assert tool["entry"]["name"] == "admin.user_count"
    assert tool["entry"]["annotations"]["readOnlyHint"] is True
    assert tool["tokens"] == tokens_of(tool["entry"])
    assert tool["place"].startswith("app/mcps/admin_mcp/__init__.py:")
    assert app["entry"]["uri"] == "ui://admin/dashboard"
    assert found["modules"][0]["tokens"] == sum(each["tokens"] for kind in list(found)[1:] for each in found[kind])


def test_a_line_fits_the_terminal() -> None:
    """docs/commands.md, "List"."""
    scope = Scope()
    scope.register(AdminMCP())
    offered = {kind: scope.entries(kind) for kind in ("tool", "resource", "template", "prompt", "skill", "app")}
    assert max(map(len, listing(offered, None))) > 60
    assert max(map(len, listing(offered, 60)[1:])) <= 60


def test_an_application_without_modules_says_what_to_do(lazyapp: Commands, tmp_path: Path) -> None:
    folder = write_app(tmp_path, 'import lazyapp\napp = lazyapp.App(lazyapp.Config(name="bare"))\n')
    assert "register one in init/mcp.py" in lazyapp(folder, "mcp", "list").stdout
