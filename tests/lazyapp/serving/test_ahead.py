"""What a process imports before it knows its application."""

import re
import sys
import tomllib
from pathlib import Path

from lazyapp.serving.ahead import LIBRARIES, import_ahead, imported

#: Distributions whose import name is another, and those that no serving process needs or that come with others.
NAMES = {
    "argon2-cffi": "argon2",
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
