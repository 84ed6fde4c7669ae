"""Matching a text against literals, variables and optional stretches, in time that grows with the text and not with its powers.

A regular expression with several variables tries every way to divide a text among them: a stranger's URI of 8 kB could hold up the
server for minutes. Here each step is taken once, for all places of the text together: a set of places is an integer, one bit each,
and a step is a few operations on integers however many characters can stand in it. The end of the text has the lowest bit, so that
a stretch grows towards its start as a sum carries.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

__all__ = ["Literal", "Maybe", "Variable", "divide"]


class Literal(NamedTuple):
    """A text that must stand here."""

    text: str


class Variable(NamedTuple):
    """A stretch of any characters but `closed`, as long as possible, or as short if it is `lazy`."""

    closed: str
    is_required: bool
    is_lazy: bool = False


class Maybe(NamedTuple):
    """What follows, up to the step with this number, may be left out together; it is there if it can be."""

    end: int


Step = Literal | Variable | Maybe


def divide(text: str, steps: Sequence[Step]) -> list[str | None] | None:
    """What each variable stands for, in order, None for those that were left out; None when the text cannot be divided so.

    Args:
        text: in ASCII, as a URI in its normal form is.
    """
    characters = _Characters(text)
    ends = [1]
    for step in reversed(steps):
        after = ends[-1]
        ends.append(after | ends[len(steps) - step.end] if isinstance(step, Maybe) else _before(step, characters, after))
    return list(_read(text, steps, ends[::-1])) if ends[-1] >> len(text) & 1 else None


class _Characters:
    """The places of a text, by the characters that stand there; each set is found once."""

    __slots__ = ("_found", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[tuple[str, bool], int] = {}

    def where(self, characters: str, *, are_wanted: bool) -> int:
        """The places with one of these ASCII characters, or with any other."""
        found = self._found.get((characters, are_wanted))
        if found is None:
            table = _bits(characters, are_wanted)
            bits = self._text.translate(table)
            found = self._found[characters, are_wanted] = int(bits or "0", 2) << 1
        return found


@lru_cache(maxsize=256)
def _bits(characters: str, are_wanted: bool) -> str:
    """A bit for each ASCII character: is it one of these?"""
    return "".join("1" if (chr(code) in characters) is are_wanted else "0" for code in range(128))


@lru_cache(maxsize=256)
def _runs(closed: str) -> re.Pattern[str]:
    """The longest stretches that a variable can be a part of."""
    return re.compile(f"[^{re.escape(closed)}]+" if closed else "(?s:.)+")


def _before(step: Literal | Variable, characters: _Characters, after: int) -> int:
    """The places from which a step leads to one of the places after it."""
    if isinstance(step, Literal):
        for char in reversed(step.text):
            after = (after << 1) & characters.where(char, are_wanted=True)
        return after
    free = characters.where(step.closed, are_wanted=False)
    last = (after << 1) & free
    # What can be a part of the variable and comes before such a place leads there too: to the left, as far as the carry goes.
    found = (((last + free) ^ free) | last) & free
    return found if step.is_required else found | after


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
        elif not leads[number] >> (len(text) - at) & 1:
            yield from (None for left_out in steps[number : step.end] if isinstance(left_out, Variable))
            number = step.end


def _end_of(step: Variable, text: str, start: int, leads: int) -> int:
    run = _runs(step.closed).match(text, start)
    end = run.end() if run else start
    length = end - start
    # The lowest bit is the end of the run, the highest its start.
    reached = (leads >> (len(text) - end)) & ((2 << length) - 1)
    if step.is_required:
        reached &= ~(1 << length)
    return end - ((reached.bit_length() if step.is_lazy else (reached & -reached).bit_length()) - 1)
