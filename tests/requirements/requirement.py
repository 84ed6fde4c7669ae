"""`Requirement`: one promise or one MUST, and where it is shown."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One promise.

    Exactly one of `tests`, `later` and `left_to` is given.

    Args:
        id: what a test cites, `@pytest.mark.requirement("SEED-1")`.
        source: where the promise was made, or the MUST is written.
        text: it, in our own words.
        tests: node ids below `tests/`, without parameters: `flows/test_stdio.py::test_a_stray_print_does_no_harm`.
        later: the topic of the issue that will build it; empty when it is built.
        left_to: who keeps it where no server framework can, and what it has for that.
    """

    id: str
    source: str
    text: str
    tests: tuple[str, ...] = ()
    later: str = ""
    left_to: str = ""


class Page(Protocol):
    """Makes the requirements of one page."""

    def __call__(
        self, number: int | str, section: str, text: str, /, *tests: str, later: str = "", left_to: str = ""
    ) -> Requirement:
        """The clause of this number, found in this section."""
        ...


def page(prefix: str, source: str) -> Page:
    """What makes the requirements of one page: ids are `<prefix>-<number>`, sources `<source>, <section>`."""

    def clause(number: int | str, section: str, text: str, /, *tests: str, later: str = "", left_to: str = "") -> Requirement:
        where = f"{source}, {section}" if section else source
        return Requirement(id=f"{prefix}-{number}", source=where, text=text, tests=tests, later=later, left_to=left_to)

    return clause
