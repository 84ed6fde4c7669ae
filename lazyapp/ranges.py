"""Which part of a file a Range header asks for. RFC 9110, section 14."""

import re
from typing import NamedTuple

_RANGE = re.compile(r"(?P<first>[0-9]*)-(?P<last>[0-9]*)")


class Span(NamedTuple):
    """A part of a file: from `start` up to, not including, `end`."""

    start: int
    end: int


class NotSatisfiable(ValueError):
    """The range begins behind the end of the file. RFC 9110, section 15.5.17."""


def requested(value: str, size: int) -> Span | None:
    """The one part that is asked for; None where the header says nothing that we follow, so that the whole file is sent.

    Several ranges at once are not followed, which section 14.2 allows: no client needs them for a file, and many small or
    overlapping ones are a way to make a server work (section 17.15).

    Args:
        value: the header's, `bytes=0-499`, `bytes=500-`, `bytes=-500`.
        size: the bytes that the file has.

    Raises:
        NotSatisfiable: the file has no such bytes.
    """
    unit, _, ranges = value.partition("=")
    parts = [part.strip() for part in ranges.split(",") if part.strip()]
    if unit.strip().lower() != "bytes" or len(parts) != 1 or not (found := _RANGE.fullmatch(parts[0])):
        return None
    first, last = found["first"], found["last"]
    if first:
        start, end = _number(first), _number(last) + 1 if last else size
        if end <= start < size:
            return None
    elif last:
        start, end = max(0, size - _number(last)), size
    else:
        return None
    if start >= size:
        raise NotSatisfiable
    return Span(start, min(end, size))


def _number(digits: str) -> int:
    # No file is so long; and Python turns no text of some thousand digits into a number.
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) <= 18 else 10**18
