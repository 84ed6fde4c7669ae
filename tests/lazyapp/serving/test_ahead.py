"""What a process imports before it knows its application."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from lazyapp.serving.ahead import LIBRARIES, import_ahead, imported
from tests.lazyapp.tiny_app import NOTES_APP, write_app

#: Distributions whose import name is another, and those that no serving process needs or that come with others.
NAMES = {
    "argon2-cffi": "argon2",
    "markdown-it-py": "markdown_it",
    "pydantic-settings": "pydantic_settings",
    "python-multipart": "python_multipart",
    "pyyaml": "yaml",
}
NOT_NEEDED = {"opentelemetry-api", "rich", "typer", "typing-extensions", "watchfiles"}


def test_the_libraries_are_those_that_the_framework_needs() -> None:
    """pyproject.toml: a new dependency is imported ahead too, or named here as one that is not."""
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[\[<>=]", each)[0] for each in project["dependencies"]} - NOT_NEEDED
    assert {NAMES.get(name, name) for name in needed} == set(LIBRARIES)


def test_what_a_process_has_imported_is_told_without_what_the_application_brings() -> None:
    told = imported()
    assert {"lazyapp.serving.ahead", "pydantic"} <= set(told)
    assert not {name.partition(".")[0] for name in told} & {"pytest", "tests", "init", "app"}


def test_what_cannot_be_imported_is_left_to_whoever_needs_it() -> None:
    import_ahead(["no_such_module_anywhere", "colorsys"])
    assert "colorsys" in sys.modules


def test_nothing_of_the_application_is_imported_ahead(tmp_path: Path) -> None:
    """A library that the application brings may look at the environment that the application has set first."""
    folder = write_app(tmp_path, NOTES_APP)
    done = subprocess.run(
        [sys.executable, "-c", "from lazyapp.serving.ahead import *; import_ahead(FIRST); import sys; print(*sys.modules)"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    names = set(done.stdout.split())
    assert {"lazyapp.app", "uvicorn", "fastapi"} <= names
    assert not names & {"init", "init.app", "app"}
