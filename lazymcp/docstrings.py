"""Docstrings: the description of a tool, and of each of its arguments, from what its author wrote anyway.

Google (`Args:`), NumPy (`Parameters` underlined) and Sphinx (`:param name:`) sections are understood. What is not about arguments
stays in the text, because the model may profit from it; types are left out, because the schema tells them.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Doc", "parse"]

_GOOGLE = re.compile(r"(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters):\s*")
_GOOGLE_ITEM = re.compile(r"\*{0,2}(\w+)\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*:\s*(.*)")
_NUMPY = re.compile(r"(?:Other )?Parameters\s*")
_NUMPY_ITEM = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?")
_SPHINX = re.compile(r":(?:param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\\?\*{0,2}(\w+)\s*:\s*(.*)")
_SPHINX_TYPE = re.compile(r":(?:type|rtype|vartype)\b[^:]*:")


class Doc(NamedTuple):
    """A docstring taken apart: `text` is everything but the arguments, `args` says what each argument is."""

    text: str
    args: Mapping[str, str]


def parse(doc: str | None) -> Doc:
    """Take a docstring apart; None and blank give an empty `Doc`. Line breaks inside an argument's description become spaces."""
    lines = inspect.cleandoc(doc or "").splitlines()
    text: list[str] = []
    args: dict[str, str] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        if _GOOGLE.fullmatch(line):
            end = _block_end(lines, at + 1)
            args |= _items(lines[at + 1 : end], _google_item)
        elif _NUMPY.fullmatch(line) and _is_underline(lines, at + 1):
            end = _next_heading(lines, at + 2)
            args |= _items(lines[at + 2 : end], _numpy_item)
        elif match := _SPHINX.fullmatch(line):
            end = _block_end(lines, at + 1)
            args[match[1]] = _joined([match[2], *lines[at + 1 : end]])
        elif _SPHINX_TYPE.match(line):
            end = _block_end(lines, at + 1)
        else:
            text.append(line.rstrip())
            end = at + 1
        at = end
    return Doc(re.sub(r"\n{3,}", "\n\n", "\n".join(text)).strip(), args)


def _items(block: list[str], read: Callable[[str], tuple[list[str], str] | None]) -> dict[str, str]:
    """Read `name: text` items; what is indented more than the first line continues the item above."""
    found: dict[str, str] = {}
    margin = next((_indent(line) for line in block if line.strip()), 0)
    names: list[str] = []
    words: list[str] = []

    def keep() -> None:
        found.update(dict.fromkeys(names, _joined(words)))

    for line in block:
        item = read(line.strip()) if line.strip() and _indent(line) <= margin else None
        if item is None:
            words.append(line)
            continue
        keep()
        names, words = item[0], [item[1]]
    keep()
    return found


def _google_item(line: str) -> tuple[list[str], str] | None:
    match = _GOOGLE_ITEM.fullmatch(line)
    return ([match[1]], match[2]) if match else None


def _numpy_item(line: str) -> tuple[list[str], str] | None:
    match = _NUMPY_ITEM.fullmatch(line)
    return ([name.strip(" *") for name in match[1].split(",")], "") if match else None


def _block_end(lines: list[str], start: int) -> int:
    """The first line from `start` that stands at the margin again."""
    for at in range(start, len(lines)):
        if lines[at].strip() and _indent(lines[at]) == 0:
            return at
    return len(lines)


def _next_heading(lines: list[str], start: int) -> int:
    for at in range(start, len(lines)):
        if lines[at].strip() and _is_underline(lines, at + 1):
            return at
    return len(lines)


def _is_underline(lines: list[str], at: int) -> bool:
    return at < len(lines) and re.fullmatch(r"[-=]{3,}\s*", lines[at]) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
