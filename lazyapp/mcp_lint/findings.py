"""A rule, what it found, and the score that the findings make."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

Severity = Literal["error", "warning", "notice"]

# Of the hundred points of an item. An item with an error is not used by some client, one with a warning is used wrongly.
COSTS: Final = {"error": 40, "warning": 10, "notice": 3}
SPEC: Final = "https://modelcontextprotocol.io/specification/2026-07-28/server"
WRITING_TOOLS: Final = "https://www.anthropic.com/engineering/writing-tools-for-agents"


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing to look at.

    Attributes:
        id: its name.
        severity: "error": some clients drop it or fail; "warning": models and clients use it badly; "notice": it could be better.
        why: what happens, in a sentence.
        source: the page or report that says so.
        advice: what to do.
    """

    id: str
    severity: Severity
    why: str
    source: str
    advice: str


class Finding(NamedTuple):
    """What a rule found.

    Attributes:
        rule: which.
        item: the name or URI of what it is about; "" for everything together.
        place: the file and line where that is written.
        said: what was found.
    """

    rule: Rule
    item: str
    place: str
    said: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found.

    Attributes:
        findings: in the order of the items.
        items: the names of everything that was looked at.
        tokens: about how many a model reads for all lists.
    """

    findings: Sequence[Finding]
    items: Sequence[str]
    tokens: int

    def count(self, severity: Severity) -> int:
        """How many findings are of this severity."""
        return sum(finding.rule.severity == severity for finding in self.findings)

    @property
    def score(self) -> int:
        """The mean of what the items have left of a hundred points each, rounded down; all of them together are one item more."""
        left = [_points(finding for finding in self.findings if finding.item == item) for item in (*self.items, "")]
        return sum(left) // len(left)


def _points(findings: Iterable[Finding]) -> int:
    return max(0, 100 - sum(COSTS[finding.rule.severity] for finding in findings))
