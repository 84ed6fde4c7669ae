"""Matching a text against literals, variables and optional stretches, in time that grows with the text and not with its powers.

A regular expression with several variables tries every way to divide a text among them: a stranger's URI of 8 kB could hold up the
server for minutes. Here each step is taken once, for all places of the text together: a set of places is an integer, one bit each.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Literal", "Maybe", "Variable", "divide"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A text that must stand here."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A stretch of any characters but `closed`, as long as possible, or as short if it is `lazy`."""

    closed: str
    is_required: bool
    is_lazy: bool = False
    runs: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # The longest stretches that it can be a part of.
        object.__setattr__(self, "runs", re.compile(f"[^{re.escape(self.closed)}]+" if self.closed else "(?s:.)+"))


@dataclass(frozen=True, slots=True)
class Maybe:
    """What follows, up to the step with this number, may be left out together; it is there if it can be."""

    end: int


Step = Literal | Variable | Maybe


def divide(text: str, steps: Sequence[Step]) -> list[str | None] | None:
    """What each variable stands for, in order, None for those that were left out; None when the text cannot be divided so."""
    ends = [1 << len(text)]
    for step in reversed(steps):
        after = ends[-1]
        ends.append(after | ends[len(steps) - step.end] if isinstance(step, Maybe) else _before(step, text, after))
    return list(_read(text, steps, ends[::-1])) if ends[-1] & 1 else None


def _before(step: Literal | Variable, text: str, after: int) -> int:
    """The places from which a step leads to one of the places after it."""
    if isinstance(step, Literal):
        return (after >> len(step.text)) & _places(text, step.text)
    found = 0 if step.is_required else after
    for run in step.runs.finditer(text):
        start, end = run.span()
        # The last place that is reached from within the run; every place of the run before it leads there.
        length = ((after >> start) & ((2 << (end - start)) - 1)).bit_length() - 1
        if length > 0:
            found |= ((1 << length) - 1) << start
    return found


def _places(text: str, literal: str) -> int:
    places = bytearray(len(text) // 8 + 1)
    at = text.find(literal)
    while at >= 0:
        places[at // 8] |= 1 << at % 8
        at = text.find(literal, at + 1)
    return int.from_bytes(places, "little")


def _read(text: str, steps: Sequence[Step], leads: Sequence[int]) -> Iterator[str | None]:
    """Walk forward through places that lead to the end, and take what each variable may have.

    Args:
        leads: for each step, the places from which it and all that follow lead to the end.
    """
    at, number = 0, 0
    while number < len(steps):
        step: Any = steps[number]
        number += 1
        if isinstance(step, Literal):
            at += len(step.text)
        elif isinstance(step, Variable):
            start = at
            at = _end_of(step, text, at, leads[number])
            yield text[start:at]
        elif not leads[number] >> at & 1:
            yield from (None for left_out in steps[number : step.end] if isinstance(left_out, Variable))
            number = step.end


def _end_of(step: Variable, text: str, start: int, leads: int) -> int:
    run = step.runs.match(text, start)
    length = run.end() - start if run else 0
    reached = (leads >> start) & ((2 << length) - 1)
    if step.is_required:
        reached &= ~1
    return start + ((reached & -reached).bit_length() if step.is_lazy else reached.bit_length()) - 1
