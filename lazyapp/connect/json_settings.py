"""A JSON file of settings with one entry more: everything else in it stays as it is, to the byte.

So the place of the entry is looked up in the text, and the text is not written anew.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lazyapp.connect.errors import Kept, Taken, Unreadable

_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


class _Member(NamedTuple):
    """One member of an object: where its name begins, and where its value begins and ends."""

    name: str
    start: int
    value: int
    end: int


class _Object(NamedTuple):
    """An object in a text: its members, and where its closing brace stands."""

    members: tuple[_Member, ...]
    close: int

    def get(self, name: str) -> _Member | None:
        """The member of a name."""
        return next((member for member in self.members if member.name == name), None)


def merged(text: str, key: str, name: str, entry: Mapping[str, Any], *, replace: bool = False) -> str:
    """The text of a file with an entry more under `key`.

    Args:
        text: what stands in the file; nothing but blanks is an empty object.
        key: the member that holds the entries by name.
        name: the entry's.
        entry: what it says.
        replace: whether another entry of this name gives way.

    Raises:
        Unreadable: it is no JSON object, or holds comments or a name twice.
        Taken: there is another entry of this name.
        Kept: there is this very entry already.
    """
    if not text.strip(_BLANKS + "\ufeff"):
        mark, text = ("\ufeff" if text.startswith("\ufeff") else ""), "{}\n"
        return mark + merged(text, key, name, entry)
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    whole = _read(body)
    style = _Style(body)
    root = _object(body, _skip(body, 0))
    holder = root.get(key)
    if holder is None:
        return mark + _added(body, root, key, {name: entry}, style, 1)
    if not isinstance(whole[key], dict):
        raise Unreadable(f"{key} is no object")
    servers = _object(body, holder.value)
    present = servers.get(name)
    if present is None:
        return mark + _added(body, servers, name, entry, style, 2)
    there = whole[key][name]
    if there == entry:
        raise Kept
    if not replace:
        raise Taken(json.dumps({name: there}, indent=2, ensure_ascii=False))
    return mark + body[: present.value] + style.write(entry, 2) + body[present.end :]


class _Style:
    """How a file is laid out: its line ends, and by what it is indented."""

    def __init__(self, text: str) -> None:
        self.line = "\r\n" if "\r\n" in text else "\n"
        indented = [line for line in text.split("\n")[1:] if line[:1] in (" ", "\t") and line.strip()]
        first = indented[0] if indented else "  "
        self.indent = first[: len(first) - len(first.lstrip(" \t"))]

    def write(self, value: Any, depth: int) -> str:
        """A value as JSON, whose first line stands where it is put."""
        lines = json.dumps(value, indent=self.indent, ensure_ascii=False).split("\n")
        return (self.line + self.indent * depth).join(lines)


def _added(text: str, into: _Object, name: str, value: Any, style: _Style, depth: int) -> str:
    member = f"{json.dumps(name, ensure_ascii=False)}: {style.write(value, depth)}"
    begin = style.line + style.indent * depth
    if into.members:
        end = into.members[-1].end
        return f"{text[:end]},{begin}{member}{text[end:]}"
    opening = text.rindex("{", 0, into.close) + 1
    return f"{text[:opening]}{begin}{member}{style.line}{style.indent * (depth - 1)}{text[into.close :]}"


def _read(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise Unreadable("it is nested too deep") from None
    except ValueError as problem:
        reason = "it has comments, or a comma too many, which would be lost" if _is_relaxed(text) else f"it is no JSON: {problem}"
        raise Unreadable(reason) from None
    if not isinstance(found, dict):
        raise Unreadable("it is no JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise Unreadable(f"it has the name {next(name for name in names if names.count(name) > 1)!r} twice")
    return found


def _is_relaxed(text: str) -> bool:
    """Whether it is JSON but for comments and commas before a closing bracket, as editors write it (JSONC)."""
    try:
        json.loads("".join(_without_commas(list(_without_comments(text)))))
    except (ValueError, RecursionError):
        return False
    return True


def _without_comments(text: str) -> Iterator[str]:
    """Strings whole, everything else letter by letter."""
    at = 0
    while at < len(text):
        start = at
        if text[at] == '"':
            at = _DECODER.raw_decode(text, at)[1]
            yield text[start:at]
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at)
            at = len(text) if end < 0 else end + 2
        else:
            at += 1
            yield text[start]


def _without_commas(parts: list[str]) -> Iterator[str]:
    kept = [part for part in parts if part not in _BLANKS]
    return (part for part, after in zip(kept, [*kept[1:], ""], strict=True) if not (part == "," and after in ("}", "]")))


def _object(text: str, at: int) -> _Object:
    """The object that begins at a place of valid JSON."""
    members = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        start = at
        name, at = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, at) + 1)
        end = _DECODER.raw_decode(text, value)[1]
        members.append(_Member(name, start, value, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Object(tuple(members), at)


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANKS:
        at += 1
    return at
