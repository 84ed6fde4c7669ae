"""The list is whole: each attack has a test that bears its number, and one in which it succeeds because its guard was taken out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ATTACKS = frozenset(range(1, 51))

#: Tests that take no guard out, and why that is no gap.
WITHOUT = {
    "test_a13_chromium_runs_what_a_client_says_where_neither_guard_is": "is itself the run without guards, of two at once",
    "test_a19_what_is_good_for_tools_is_not_good_for_pages_nor_the_other_way_round": "the same on lazyoauth alone; test_doors.py",
    "test_a34_no_secret_is_compared_by_equality": "reads the source, where there is nothing to take out",
    "test_a34_a_comparison_by_equality_would_be_found": "is what stands for its guard: source with the fault in it",
    "test_a36_no_secret_is_logged_or_shown_at_debug": "processes of their own, which cannot be patched; the other A36 can",
    "test_a43_an_authorization_request_may_be_posted": "what must go on working",
    "test_a45_a_stolen_key_is_worth_nothing_once_it_is_replaced": "holds a server without the guard beside the one that has it",
}
#: Attacks none of whose tests takes a guard out.
ONLY_WITHOUT = frozenset({34})


class Found(NamedTuple):
    """A test of an attack.

    Attributes:
        guards: those that it takes out, one run each.
    """

    number: int
    name: str
    guards: tuple[str, ...]


def attacks_in(source: str) -> Iterator[Found]:
    """Where the number stands first in the name of a test."""
    for node in ast.parse(source).body:
        named = isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and re.match(r"test_a(\d\d)_", node.name)
        if not named:
            continue
        marks = [each for each in node.decorator_list if isinstance(each, ast.Call) and ast.unparse(each.func) == "attack"]
        yield Found(int(named[1]), node.name, tuple(str(guard.arg) for mark in marks for guard in mark.keywords))


def all_of_them() -> list[Found]:
    paths = sorted(Path(__file__).parent.glob("test_*.py"))
    return [found for path in paths for found in attacks_in(path.read_text("utf-8"))]


def test_every_attack_has_a_test():
    """A1 to A50."""
    assert {found.number for found in all_of_them()} == ATTACKS


def test_every_attack_succeeds_when_a_guard_is_taken_out():
    """Or its test is a search for something that is not there, which is only as good as the search."""
    assert {found.number for found in all_of_them() if found.guards} == ATTACKS - ONLY_WITHOUT


def test_every_test_takes_a_guard_out_or_says_why_not():
    assert {found.name for found in all_of_them() if not found.guards} == WITHOUT.keys()


def test_a_test_without_a_guard_would_be_found():
    source = "@attack()\nasync def test_a01_x(): ...\ndef test_a02_y(): ...\n@attack(g=1)\nasync def test_a03_z(): ..."
    assert [*attacks_in(source)] == [(1, "test_a01_x", ()), (2, "test_a02_y", ()), (3, "test_a03_z", ("g",))]
