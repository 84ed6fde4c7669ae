"""A TOML file of settings with one table more, at its end: everything else in it stays as it is, to the byte."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from lazyapp.connect.errors import Kept, Taken, Unreadable

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def merged(text: str, key: str, name: str, entry: Mapping[str, Any], *, replace: bool = False) -> str:
    """The text of a file with the table `[key.name]` more; see `json_settings.merged` for what is raised."""
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    whole = _read(body)
    servers = whole.get(key, {})
    if not isinstance(servers, dict):
        raise Unreadable(f"{key} is no table")
    line = "\r\n" if "\r\n" in body else "\n"
    if name in servers:
        if servers[name] == entry:
            raise Kept
        if not replace:
            raise Taken(table(key, name, servers[name]).rstrip("\n"))
        rest = "".join(_without(body, key, name))
    else:
        rest = body
    blank = "" if not rest.strip() else line if rest.endswith("\n") else line * 2
    after = rest + blank + table(key, name, entry).replace("\n", line)
    wanted = {**whole, key: {**servers, name: dict(entry)}}
    try:
        found = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        found = None
    if found != wanted:
        raise Unreadable(f"{key} is written there in a way that takes no table [{key}.{name}]")
    return mark + after


def table(key: str, name: str, entry: Mapping[str, Any]) -> str:
    """The entry as a table of its own, with tables below it for the objects in it."""
    lines = [f"[{'.'.join(map(_word, (*key.split('.'), name)))}]"]
    lines += [f"{_word(each)} = {_value(value)}" for each, value in entry.items() if not isinstance(value, dict)]
    text = "\n".join(lines) + "\n"
    for each, value in entry.items():
        if isinstance(value, dict):
            text += "\n" + table(f"{key}.{name}" if _BARE.fullmatch(name) else key, each, value)
    return text


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise Unreadable(f"it is no TOML: {problem}") from None


def _without(text: str, key: str, name: str) -> Iterator[str]:
    """The lines without those of a table and the tables below it. A wrong guess is noticed, for the whole is read again."""
    header = re.compile(r"\s*\[\[?\s*([^\]]*?)\s*\]\]?")
    is_inside = False
    for line in text.splitlines(keepends=True):
        if found := header.match(line):
            path = [part.strip().strip("\"'") for part in found[1].split(".")]
            is_inside = path[:2] == [key, name]
        if not is_inside:
            yield line


def _word(text: str) -> str:
    return text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # JSON's strings, numbers and booleans are TOML's too; TOML wants DEL escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
