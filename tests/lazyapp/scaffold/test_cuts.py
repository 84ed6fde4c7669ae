"""A new application that does without a part: nothing is left of it, and all else works."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lazyapp.errors import LazyappError
from lazyapp.scaffold import Shape, create
from lazyapp.scaffold.cuts import Cut
from tests.lazyapp.tiny_app import environment, run

ROOT = Path(__file__).parents[3]

#: What only the framework's own list of packages and the advice how to protect /mcp may say.
LEFT = {
    Shape.OPEN: (
        re.compile(r"oauth|connected apps|\bconsent", re.IGNORECASE),
        {"gives it `oauth=`, or an authorizer of your own."},
    ),
    Shape.PAGES: (re.compile(r"oauth|connected apps|mcp\b|mcp_|_mcp|\bAI\b|\bclaude|\btools?\b", re.IGNORECASE), set[str]()),
}


def lines(folder: Path) -> list[tuple[str, str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(path.relative_to(folder)), line) for path in files for line in path.read_text().splitlines()]


@pytest.mark.parametrize("shape", [Shape.OPEN, Shape.PAGES])
def test_nothing_speaks_of_what_is_not_there(shape: Shape, tmp_path: Path) -> None:
    """docs/new.md: `--without-oauth`, `--without-mcp`; a mention that is left leads a reader astray."""
    create("shop", tmp_path / "shop", shape)
    word, allowed = LEFT[shape]
    found = [
        f"{file}: {line}"
        for file, line in lines(tmp_path / "shop")
        if (word.search(line) or word.search(file)) and not line.startswith("[tool.") and line not in allowed
    ]
    assert found == []


def test_the_whole_application_is_the_example(tmp_path: Path) -> None:
    """docs/new.md: the repository's own app/ and init/; only its name is another."""
    create("example", tmp_path / "example", Shape.WHOLE)
    for package in ("app", "init"):
        files = [path for path in (ROOT / package).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert files
        for path in files:
            made = (tmp_path / "example" / path.relative_to(ROOT)).read_text()
            assert made == path.read_text().replace('"example.com"', '"example"'), path


@pytest.mark.parametrize(
    ("mcp", "oauth", "shape"),
    [
        (True, True, Shape.WHOLE),
        (True, False, Shape.OPEN),
        (False, True, Shape.PAGES),
        (False, False, Shape.PAGES),
    ],
)
def test_without_mcp_there_is_nothing_that_a_token_would_open(mcp: bool, oauth: bool, shape: Shape) -> None:
    """Design 3: the resource document exists only beside /mcp."""
    assert Shape.of(mcp=mcp, oauth=oauth) is shape
    assert (shape.mcp, shape.oauth) == (mcp, oauth and mcp)


def test_a_cut_that_finds_nothing_says_so(tmp_path: Path) -> None:
    """The example cannot change behind the list of cuts."""
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")
    Cut("a.py", "one[...]two\n").apply(tmp_path)
    assert (tmp_path / "a.py").read_text() == "three\n"
    with pytest.raises(LazyappError, match=r"a\.py has changed: 'four' is not in it"):
        Cut("a.py", "four").apply(tmp_path)


@pytest.fixture
def cache() -> Path:
    """What mypy has learnt of the framework serves all three, and the next run."""
    return ROOT / ".mypy_cache" / "new-applications"


@pytest.mark.slow
@pytest.mark.parametrize("shape", Shape)
def test_its_lint_types_and_tests_pass(shape: Shape, tmp_path: Path, cache: Path) -> None:
    """docs/new.md: `bin/test` passes; lint and types of the scaffold pass."""
    create("shop", tmp_path / "shop", shape)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = environment(PATH=path, MYPY_CACHE_DIR=str(cache))
    done = subprocess.run(["bin/test"], cwd=tmp_path / "shop", env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"^-- (.*)$", done.stdout, re.MULTILINE) == ["ruff check", "ruff format --check", "mypy", "pytest -q"]
    assert "All checks passed!" in done.stdout
    assert "Success: no issues found" in done.stdout
    assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE)


def test_a_check_that_fails_ends_it_with_its_name_after_all_others_ran(tmp_path: Path, cache: Path) -> None:
    create("shop", tmp_path / "shop", Shape.PAGES)
    (tmp_path / "shop" / "app" / "services" / "wrong.py").write_text("import  os\n")
    (tmp_path / "shop" / "tests" / "test_pages.py").write_text("def test_wrong() -> None:\n    assert not 1\n")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = environment(PATH=path, MYPY_CACHE_DIR=str(cache))
    done = subprocess.run(["bin/test"], cwd=tmp_path / "shop", env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Failed: ruff check, ruff format, pytest"


def test_mcp_without_a_login_is_refused_on_a_network(tmp_path: Path) -> None:
    """Design 3: MCP without OAuth or authorizer on a non-loopback address."""
    create("shop", tmp_path / "shop", Shape.OPEN)
    settings = {
        "SECRET_KEY": "0123456789abcdef" * 4,
        "DATABASE_URL": f"sqlite:///{tmp_path}/shop.db",
        "LAZYAPP_MIGRATE": "auto",
        "PUBLIC_URL": "https://shop.example",
    }
    refused = run(tmp_path / "shop", "serve", "--production", "--port", "0", **settings)
    assert refused.returncode == 2
    assert "/mcp would answer anybody on the network: set Config(oauth=…)" in refused.stderr
