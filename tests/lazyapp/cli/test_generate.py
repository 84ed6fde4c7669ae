"""`lazyapp generate`: what is written, what is said, and when nothing is."""

from pathlib import Path

import pytest

from lazyapp.cli import main
from lazyapp.generators.fields import KINDS
from lazyapp.scaffold import create
from tests.lazyapp.tiny_app import run


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    create("shop", tmp_path / "shop")
    return tmp_path / "shop"


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_module_and_a_tool_are_written_from_below_the_applications_folder(shop: Path) -> None:
    """docs/generators.md: code and test, and the next step."""
    made = run(shop, "generate", "mcp", "orders")
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines() == [
        "  create  app/mcps/orders_mcp/__init__.py",
        "  create  tests/test_orders_hello_tool.py",
        "  Next:  Say in app/mcps/orders_mcp/__init__.py what orders.hello does, then run: bin/test",
        "         More of it: lazyapp generate tool orders.NAME",
    ]
    made = run(shop / "app" / "views", "generate", "tool", "orders.search", "query:str", "limit:int=10", "--read-only")
    assert made.returncode == 0, made.stderr
    text = (shop / "app" / "mcps" / "orders_mcp" / "__init__.py").read_text()
    assert "    async def search(self, query: str, limit: int = 10) -> SearchAnswer:\n" in text


def test_a_dry_run_shows_a_patch_and_writes_nothing(shop: Path) -> None:
    """docs/generators.md."""
    before = snapshot(shop)
    shown = run(shop, "generate", "tool", "admin.search", "query", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "+++ b/app/mcps/admin_mcp/__init__.py\n" in shown.stdout
    assert "--- /dev/null\n+++ b/tests/test_admin_search_tool.py\n" in shown.stdout
    assert "+    async def search(self, query: str) -> SearchAnswer:\n" in shown.stdout
    assert snapshot(shop) == before


def test_what_is_there_stays_as_it_is(shop: Path) -> None:
    """docs/generators.md: never overwrites; exit code 2, one sentence, nothing written at all."""
    (shop / "tests" / "test_admin_search_tool.py").write_text("mine\n")
    before = snapshot(shop)
    refused = run(shop, "generate", "tool", "admin.search", "query")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "tests/test_admin_search_tool.py exists and is left as it is, and nothing was written; choose another name.\n"
    )
    assert snapshot(shop) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["tool", "admin.wipe", "--read-only", "--destructive"],
            "A tool is --read-only or --destructive, not both; leave one out.\n",
        ),
        (["model", "Order", "price:money"], "'price:money': 'money' is no type; there are str, int, float, bool, Decimal, date, "),
        (["controller", "../orders"], "'../orders' cannot be the name of a controller; use small letters, "),
    ],
)
def test_what_cannot_be_generated_is_one_sentence_and_exit_code_2(
    shop: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/generators.md; design, section 7."""
    before = snapshot(shop)
    monkeypatch.chdir(shop)
    monkeypatch.setattr("sys.argv", ["lazyapp", "generate", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith(sentence)
    assert snapshot(shop) == before


def test_what_is_to_be_done_by_hand_is_told(
    shop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/generators.md: where it is not certain the line is told and the file is not touched."""
    routes = shop / "init" / "routes.py"
    routes.write_text(routes.read_text() + "\n\nif (\n")
    monkeypatch.chdir(shop)
    monkeypatch.setattr("sys.argv", ["lazyapp", "generate", "controller", "pages", "about"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "\n  Add to init/routes.py by hand, for it has a syntax error in line " in said
    assert '\n      routes.get("/pages/about", PagesController.about)\n' in said
    assert routes.read_text().endswith("\n\nif (\n")


@pytest.mark.parametrize("command", ["model", "migration"])
def test_the_help_lists_the_types_that_a_column_can_have(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """docs/generators.md, "Fields"."""
    monkeypatch.setattr("sys.argv", ["lazyapp", "generate", command, "--help"])
    with pytest.raises(SystemExit):
        main()
    told = " ".join(capsys.readouterr().out.split())
    assert [kind for kind in (*KINDS, "draft|paid", "references") if kind not in told] == []
