"""lazyapp/mcp_lint/findings.py: the score."""

import pytest

from lazyapp.mcp_lint.findings import Finding, Report, Rule, Severity


def report(*found: tuple[str, Severity]) -> Report:
    rules = [(item, Rule("id", severity, "Why", "https://example.com", "what to do")) for item, severity in found]
    return Report([Finding(rule, item, "a.py:1", "said") for item, rule in rules], ["a", "b", "c"], 0)


@pytest.mark.parametrize(
    ("found", "score"),
    [
        ([], 100),
        ([("a", "notice")], 99),
        ([("a", "warning")], 97),
        ([("a", "error")], 90),
        ([("a", "error")] * 9, 75),
        ([("", "error"), ("b", "warning")], 87),
    ],
)
def test_the_score_is_the_mean_of_what_the_items_have_left(found: list[tuple[str, Severity]], score: int) -> None:
    """docs/commands.md, "The score": 40, 10 and 3 of an item's hundred points, never below none; everything is one item more."""
    assert report(*found).score == score


def test_findings_are_counted_by_severity() -> None:
    assert report(("a", "error"), ("b", "error"), ("c", "notice")).count("error") == 2
