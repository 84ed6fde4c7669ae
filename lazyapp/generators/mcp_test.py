"""Tests of what was generated for AI clients: each asks as a client does, signed in where the application has a login."""

from collections.abc import Sequence
from pathlib import Path

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit, binds
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import module as python_file

CLIENT = Import("lazyapp.testing", "Client")
ANN = Import("tests.people", "ANN")


def file_of_tests(app: Application, module: str, docstring: str, tests: Sequence[str], imports: Sequence[Import] = ()) -> str:
    """A file of tests.

    Args:
        app: with a login for AI clients, or without.
        module: whom the tests ask.
        docstring: of the file.
        tests: each a function with `{claude}` where it makes the client.
        imports: what they need besides.
    """
    needs, bodies = [CLIENT, *imports], list(tests)
    user = ""
    if app.says("oauth") and has_ann(app):
        needs.append(ANN)
    elif app.says("oauth"):
        needs.append(Import("lazyauth"))
        user = f'ANN = lazyauth.User("ann", {{"mcps": ["{module}"]}})  # there for these tests alone\n'
    bodies = [body.replace("{claude}", "client.mcp(ANN)" if app.says("oauth") else "client.mcp()") for body in bodies]
    text = python_file(docstring, needs, bodies, app)
    if user:
        # A constant stands one line below the imports.
        head, _, rest = text.partition("\n\n\n")
        text = f"{head}\n\n{user}\n\n{rest}"
    return text


def path_of_test(*words: str) -> Path:
    """The file of a test, by what it tests."""
    return Path("tests") / f"test_{'_'.join(words)}.py"


def has_ann(app: Application) -> bool:
    """Whether the application's tests have somebody to sign in, as those of `lazyapp new`."""
    try:
        return binds((app.root / "tests" / "people.py").read_text(encoding="utf-8"), ANN.name)
    except (OSError, ValueError, CannotEdit):
        return False
