"""What is looked at: every published item with its entry, as clients that show everything are sent it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import lazymcp
from lazyapp.mcp_lint.findings import Finding, Rule
from lazymcp.scope import KINDS


class Item(NamedTuple):
    """One published item: `kind` is one of `KINDS`."""

    kind: str
    name: str
    module: str
    description: str
    place: str
    entry: Mapping[str, Any]

    def finding(self, rule: Rule, said: str) -> Finding:
        """What a rule found in this item."""
        return Finding(rule, self.name, self.place, said)


def items_of(scope: lazymcp.Scope) -> list[Item]:
    """Everything that a scope publishes, kind by kind."""
    pairs = [pair for kind in KINDS for pair in scope.entries(kind)]
    return [Item(row.kind, row.name, row.module, row.description, row.place, entry) for row, entry in pairs]
