"""The list is whole: each attack has a test that bears its number."""

import ast
import re
from pathlib import Path

ATTACKS = range(1, 51)


def test_every_attack_has_a_test():
    """Where the number stands first in the name of a test."""
    found = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        names = [
            node.name
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
        ]
        found |= {int(number) for name in names for number in re.findall(r"^test_a(\d\d)_", name)}
    assert found == set(ATTACKS)
