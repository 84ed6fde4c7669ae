"""A docstring as Markdown: its sections of arguments become lists, everything else stays as it is written."""

import inspect
import re
from collections.abc import Iterator

_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns|Yields):$")
_TITLES = {"Args": "Arguments"}
_ENTRY = re.compile(r"^([*\w][\w*., |]*?): +(.*)$")


def markdown(docstring: str) -> str:
    """The docstring's text for a page."""
    out: list[str] = []
    lines = inspect.cleandoc(docstring).splitlines()
    position = 0
    while position < len(lines):
        section = _SECTION.match(lines[position])
        if section is None:
            out.append(lines[position])
            position += 1
            continue
        body = []
        position += 1
        while position < len(lines) and (not lines[position].strip() or lines[position].startswith(" ")):
            body.append(lines[position])
            position += 1
        out += [f"**{_TITLES.get(section[1], section[1])}**", "", *_items(body), ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip()


def _items(body: list[str]) -> Iterator[str]:
    """One list item an entry, its further lines below it; a text without entries stays a paragraph."""
    text = inspect.cleandoc("\n".join(body)).splitlines()
    for line in text:
        entry = None if line.startswith(" ") else _ENTRY.match(line)
        if entry is not None:
            names = ", ".join(f"`{name.strip()}`" for name in entry[1].split(","))
            yield f"- {names}: {entry[2]}"
        elif line.strip():
            yield f"  {line.strip()}" if line.startswith(" ") else line
        else:
            yield ""
