"""`lazyapp new`: what the command itself adds to the scaffold."""

from pathlib import Path

from tests.lazyapp.tiny_app import run


def test_it_says_what_was_made_and_what_to_type_next(tmp_path: Path) -> None:
    result = run(tmp_path, "new", "my-shop", PATH="/usr/bin:/bin")
    assert (result.returncode, result.stderr) == (0, "")
    made, following = result.stdout.splitlines()
    count = len([path for path in (tmp_path / "my-shop").rglob("*") if path.is_file()])
    assert made == f"  Created my-shop/ with {count} files: pages, MCP and a login for both."
    assert following == "  Next:  cd my-shop && bin/serve"


def test_it_can_be_made_in_the_folder_one_stands_in(tmp_path: Path) -> None:
    result = run(tmp_path, "new", "shop", "--dir", ".", PATH="/usr/bin:/bin")
    assert result.stdout.splitlines()[-1] == "  Next:  bin/serve"
    assert (tmp_path / "init" / "app.py").exists()


def test_a_bad_name_ends_with_2_and_makes_nothing(tmp_path: Path) -> None:
    result = run(tmp_path, "new", "Shop")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("'Shop' cannot be a name;")
    assert list(tmp_path.iterdir()) == []
