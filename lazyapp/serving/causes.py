"""The errors that kept an application from starting, as values that travel over the link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the application's own code with those around it; `within` names the function, or nothing."""

    file: str
    line: int
    within: str
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """One error of a chain: its type, its words, and the application's own lines that it passed, innermost first."""

    kind: str
    message: str
    places: tuple[Place, ...] = ()


def decode_causes(found: Sequence[Mapping[str, Any]]) -> tuple[Cause, ...]:
    """From JSON."""
    return tuple(
        Cause(
            each["kind"],
            each["message"],
            tuple(
                Place(at["file"], at["line"], at["within"], tuple((number, text) for number, text in at["lines"]))
                for at in each["places"]
            ),
        )
        for each in found
    )
