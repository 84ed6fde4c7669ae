"""`lazyapp.generators.imports`: as ruff leaves them."""

import subprocess
import sys

import pytest

from lazyapp.generators.application import Application
from lazyapp.generators.edit import CannotEdit
from lazyapp.generators.imports import Import, add, parse, render

MANY = [
    *(Import("lazymcp", name) for name in ("tool", "AppSpec", "AppCSP", "prompt")),
    *(Import("sqlalchemy", name) for name in ("select", "JSON", "ForeignKey")),
    Import("lazymcp"),
    Import("datetime", "UTC"),
    Import("datetime", "date"),
    Import("sqlalchemy", "", "sa"),
    Import("app.models", "Order"),
    Import("tests.people", "ANN"),
]


def test_a_new_block_stands_in_the_order_that_ruff_gives_it(application: Application) -> None:
    """docs/generators.md: what it wrote passes `ruff check`."""
    for module in ("app/models.py", "tests/people.py"):
        (application.root / module).touch()
    block = render(MANY, application)
    judged = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--select", "I", "--stdin-filename", "app/x.py", "-"],
        cwd=application.root,
        input=f"{block}\nprint()\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert judged.returncode == 0, judged.stdout
    assert block.startswith("from datetime import UTC, date\n\nimport sqlalchemy as sa\n")


def test_a_name_goes_into_the_statement_that_is_there(application: Application) -> None:
    before = '"""Doc."""\n\nimport lazymcp\nfrom lazymcp import tool\n\nX = 1\n'
    after = add(before, [Import("lazymcp", "Context"), Import("pathlib", "Path"), Import("lazymcp", "tool")], application)
    assert after == ('"""Doc."""\n\nfrom pathlib import Path\n\nimport lazymcp\nfrom lazymcp import Context, tool\n\nX = 1\n')


def test_what_is_imported_already_changes_nothing(application: Application) -> None:
    text = "from lazymcp import (\n    tool,  # a comment\n)\n"
    assert add(text, [Import("lazymcp", "tool")], application) == text


@pytest.mark.parametrize(
    "block",
    [
        "import lazymcp\nimport ast\n",
        "import lazymcp  # kept\n",
        "import lazymcp, ast\n",
        "from . import near\nfrom lazymcp import tool; import ast\n",
        "from lazymcp import tool as decorated\n\n\nimport ast\n",
    ],
)
def test_a_block_in_an_order_of_its_own_is_left_as_it_is(application: Application, block: str) -> None:
    assert add(f"{block}\nX = 1\n", [Import("pathlib", "Path")], application) == f"{block}from pathlib import Path\n\nX = 1\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("X = 1\n", "import ast\n\n\nX = 1\n"),
        ('"""Doc."""\n', '"""Doc."""\n\nimport ast\n'),
        ('"""Doc."""\n\nX = 1\n', '"""Doc."""\n\nimport ast\n\nX = 1\n'),
        ("#!/usr/bin/env python\n# Licence\nX = 1\n", "#!/usr/bin/env python\n# Licence\nimport ast\n\n\nX = 1\n"),
        ("", "import ast\n"),
        ("import json\r\n\r\nX = 1\r\n", "import ast\r\nimport json\r\n\r\nX = 1\r\n"),
        ("import json", "import ast\nimport json\n"),
    ],
)
def test_the_first_import_of_a_file_stands_at_its_top(application: Application, before: str, after: str) -> None:
    assert add(before, [Import("ast")], application) == after


def test_the_imports_of_a_piece_are_read() -> None:
    assert parse("import lazymcp\nfrom a.b import c as d, e\n") == [Import("lazymcp"), Import("a.b", "c", "d"), Import("a.b", "e")]


def test_lines_are_counted_as_python_counts_them(application: Application) -> None:
    """The language reference, 2.1.2: a form feed ends no line."""
    text = "# a\x0cb\u2028c\nimport lazymcp\n\nX = 1\n"
    assert add(text, [Import("lazymcp", "tool")], application) == text.replace("lazymcp\n", "lazymcp\nfrom lazymcp import tool\n")


@pytest.mark.parametrize(
    "text",
    [
        "import lazymcp \\\n\n\nX = 1\n",
        "import lazymcp; X = 1\n",
        "'Doc.'; X = (\n    1\n)\n",
    ],
)
def test_where_the_imports_end_is_certain_or_told(application: Application, text: str) -> None:
    """docs/generators.md: written with certainty, or told."""
    with pytest.raises(CannotEdit, match="where an import belongs is not certain"):
        add(text, [Import("lazymcp", "tool")], application)
