"""`tests/requirements` is complete and true: each promise has tests that exist, each test that cites a promise is listed."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.requirements import CLAUSES, REQUIREMENTS, Requirement

TESTS = Path(__file__).parent
SEED_PARAGRAPHS = 31


@cache
def found_in(file: str) -> dict[str, list[str]]:
    """The tests of a file, `test_x` or `TestY::test_x`, each with the ids of its requirement markers."""
    tests: dict[str, list[str]] = {}
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    classes = [
        (f"{node.name}::", node.body) for node in tree.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
    ]
    for prefix, body in [("", tree.body), *classes]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                tests[prefix + node.name] = [cited for mark in node.decorator_list for cited in ids_cited_by(mark)]
    return tests


def ids_cited_by(decorator: ast.expr) -> list[str]:
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.requirement":
        return [str(ast.literal_eval(argument)) for argument in decorator.args]
    return []


def test_every_paragraph_of_the_seed_is_listed_once():
    """Design, section 10."""
    ids = [requirement.id for requirement in REQUIREMENTS]
    assert len(ids) == len(set(ids))
    paragraphs = {int(number) for id_ in ids for number in re.findall(r"^SEED-(\d+)[a-z]?$", id_)}
    assert paragraphs == set(range(1, SEED_PARAGRAPHS + 1))


def test_every_clause_of_every_page_is_listed():
    """MCP 2026-07-28 and its extensions; the counts are kept beside the list."""
    found: dict[str, set[int]] = {page: set() for page in CLAUSES}
    for requirement in REQUIREMENTS:
        page, _, number = requirement.id.rpartition("-")
        if page != "SEED":
            found[page].add(int(number))
    assert found == {page: set(range(1, count + 1)) for page, count in CLAUSES.items()}


def test_every_complaint_is_a_public_thread():
    threads = [url for requirement in REQUIREMENTS if requirement.id.startswith("COMPLAINT-") for url in requirement.source.split()]
    assert len(threads) == len(set(threads))
    assert [url for url in threads if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", url)] == []


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement.id)
def test_a_requirement_is_shown_or_says_who_keeps_it_or_when_it_is_built(requirement: Requirement):
    assert [bool(requirement.tests), bool(requirement.later), bool(requirement.left_to)].count(True) == 1
    assert requirement.text.endswith(".")
    assert len(requirement.tests) == len(set(requirement.tests))
    for node in requirement.tests:
        file, _, test = node.partition("::")
        assert (TESTS / file).is_file(), node
        assert test in found_in(file), node


def test_every_citation_is_in_the_list():
    """A test that cites a requirement is one of its tests."""
    listed = {(requirement.id, node) for requirement in REQUIREMENTS for node in requirement.tests}
    cited = {
        (id_, f"{file}::{test}")
        for path in TESTS.glob("**/test_*.py")
        for file in [path.relative_to(TESTS).as_posix()]
        for test, ids in found_in(file).items()
        for id_ in ids
    }
    assert cited - listed == set()
