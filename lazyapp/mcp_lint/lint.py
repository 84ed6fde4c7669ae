"""All rules, on all items."""

from typing import Final

import lazymcp
from lazyapp.mcp_lint import describing, hints, naming, offerings, schemas, sizes
from lazyapp.mcp_lint.findings import Report, Rule
from lazyapp.mcp_lint.items import Item, items_of
from lazymcp.weight import tokens_of

_CHECKS: Final = (naming, describing, schemas, hints, sizes, offerings)
RULES: Final[tuple[Rule, ...]] = tuple(rule for each in _CHECKS for rule in each.RULES)


def lint(scope: lazymcp.Scope) -> Report:
    """What the rules find in everything that a scope publishes."""
    return look_at(items_of(scope))


def look_at(items: list[Item]) -> Report:
    """What the rules find in these items; what is about all of them together comes last."""
    found = [finding for each in _CHECKS for finding in each.check(items)]
    names = [item.name for item in items]
    order = {name: number for number, name in enumerate((*names, ""))}
    found.sort(key=lambda finding: order[finding.item])
    return Report(found, names, sum(tokens_of(item.entry) for item in items))
