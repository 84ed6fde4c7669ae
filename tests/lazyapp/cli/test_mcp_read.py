"""`lazyapp mcp read`."""

import json
from pathlib import Path

import pytest

from tests.lazyapp.cli.conftest import EXAMPLE
from tests.lazyapp.cli.forking import Commands


def test_resources_pages_and_files_of_skills_of_the_example_are_read(lazyapp: Commands, tmp_path: Path) -> None:
    """docs/commands.md, "Read"."""
    variables = {"DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/app.db"}
    users = lazyapp(EXAMPLE, "mcp", "read", "app://admin/users", **variables)
    assert len(json.loads(users.stdout)) == 3, users.stderr
    one = lazyapp(EXAMPLE, "mcp", "read", "app://admin/users/{email}", "email=ada@example.com", "--json", **variables)
    assert json.loads(one.stdout)["contents"][0]["uri"] == "app://admin/users/ada%40example.com"
    assert lazyapp(EXAMPLE, "mcp", "read", "ui://admin/dashboard", **variables).stdout.startswith("<!doctype html>")
    assert lazyapp(EXAMPLE, "mcp", "read", "skill://admin/oncall/SKILL.md", **variables).stdout.startswith("---\nname: oncall\n")


def test_bytes_are_saved_where_one_asks(lazyapp: Commands, everything: Path, tmp_path: Path) -> None:
    """docs/commands.md, "Pictures, sounds and files": bytes are never thrown at a terminal."""
    said = lazyapp(everything, "mcp", "read", "shop://logo")
    assert (said.returncode, said.stdout) == (0, "")
    assert "image/png, 10 bytes; --out FILE saves it." in said.stderr
    assert lazyapp(everything, "mcp", "read", "shop://logo", "--out", str(tmp_path / "logo.png")).returncode == 0
    assert (tmp_path / "logo.png").read_bytes() == b"\x89PNG bytes"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["shop://logos"], 2, "There is no resource 'shop://logos'; did you mean shop://logo?"),
        (["shop://shelves/7"], 1, "There is nothing at shop://shelves/7."),
        (["shop://shelves/{number}"], 2, "The variable 'number' is missing; add number=VALUE."),
        (["shop://shelves/{number}", "nr=1"], 2, "'nr=1' gives no variable; the variables are number."),
        (["shop://logo", "nr=1"], 2, "'nr=1' gives no variable; shop://logo has no variables."),
        (["office://safe", "-u", "ada"], 1, "The resource office://safe is not open to ada: it belongs to the module 'office'"),
    ],
)
def test_what_cannot_be_read_is_told(lazyapp: Commands, everything: Path, arguments: list[str], code: int, sentence: str) -> None:
    """docs/commands.md, "Exit codes"."""
    result = lazyapp(everything, "mcp", "read", *arguments)
    assert (result.returncode, result.stdout) == (code, "")
    assert result.stderr.removeprefix("printed by an import\n").startswith(sentence)


def test_a_template_is_filled_in(lazyapp: Commands, everything: Path) -> None:
    """RFC 6570, section 3.2.2."""
    assert lazyapp(everything, "mcp", "read", "shop://shelves/{number}", "number=2").stdout == "shelf 2\n"
    assert lazyapp(everything, "mcp", "read", "shop://shelves/1").stdout == "shelf 1\n"
