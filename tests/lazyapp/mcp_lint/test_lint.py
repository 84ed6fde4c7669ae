"""lazyapp/mcp_lint/lint.py: all rules, on all items."""

import re
from pathlib import Path

import pytest

import lazymcp
from lazyapp.mcp_lint.lint import RULES, lint, look_at
from lazymcp.weight import tokens_of
from tests.lazyapp.mcp_lint.seeded import ENTRIES, found, item


@pytest.mark.parametrize("kind", ENTRIES)
def test_what_is_well_made_is_not_spoken_of(kind: str) -> None:
    """docs/commands.md, "Lint": a rule that fires at good work is not read at bad work."""
    assert found(item(kind, "shop.search_orders")) == []


def test_every_rule_says_why_where_that_is_written_and_what_to_do() -> None:
    """docs/commands.md, "Lint"."""
    assert len({rule.id for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.source.startswith("https://")
        assert rule.why[0].isupper()
        assert not rule.why.endswith(".")
        assert not rule.advice.endswith(".")


def test_the_documentation_lists_every_rule_with_its_severity() -> None:
    """docs/commands.md, "Lint"."""
    text = (Path(__file__).parents[3] / "docs" / "commands.md").read_text()
    listed = re.findall(r"^\| `([a-z-]+)` \| (error|warning|notice) \|", text, re.MULTILINE)
    assert listed == [(rule.id, rule.severity) for rule in RULES]


def test_the_items_of_a_scope_are_judged_with_their_places() -> None:
    class ShopMCP(lazymcp.Base):
        @lazymcp.tool
        def run(self, order_id: str) -> str:
            """Run."""
            return order_id

    scope = lazymcp.Scope()
    scope.register(ShopMCP())
    report = lint(scope)
    assert {finding.rule.id for finding in report.findings} >= {
        "name-vague",
        "description-short",
        "argument-undescribed",
        "hint-missing",
    }
    assert all(finding.place.startswith("tests/lazyapp/mcp_lint/test_lint.py:") for finding in report.findings)
    assert report.tokens == sum(tokens_of(entry) for _, entry in scope.entries("tool"))


def test_findings_stand_in_the_order_of_the_items_and_those_on_everything_come_last() -> None:
    tools = [item(name=f"shop.search_{number}", annotations={}) for number in range(41)]
    report = look_at(tools)
    assert [finding.item for finding in report.findings] == [*(each.name for each in tools), ""]
    pair = look_at([item(name="shop.search_a", annotations={}), item(name="shop.query")])
    assert [finding.item for finding in pair.findings] == ["shop.search_a", "shop.query"]
    assert look_at([]).score == 100
