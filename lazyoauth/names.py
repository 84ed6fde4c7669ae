"""Names that strangers choose, as people may safely see them."""

import unicodedata
from typing import Any

MAX_NAME_LENGTH = 80
_MAX_MARKS = 2


def clean(name: Any) -> str:
    """The name in one line, without control and direction characters, and not long enough to hide the rest; "" for what is no text.

    Marks that are put on top of a letter stay, two at most: a pile of them covers the lines around it.
    """
    if not isinstance(name, str):
        return ""
    visible, marks = [], 0
    for character in unicodedata.normalize("NFC", name[: 8 * MAX_NAME_LENGTH]):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind.startswith("M") else 0
        if character.isspace():
            visible.append(" ")
        elif not kind.startswith("C") and marks <= _MAX_MARKS:
            visible.append(character)
    return " ".join("".join(visible).split())[:MAX_NAME_LENGTH].strip()
