"""What a tool asks its user, answered: at the terminal, or by what the command line gave beforehand.

MCP 2026-07-28, client/elicitation. A blank line leaves a field out, or takes its default; the end of the input declines.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from lazyapp.errors import ConfigurationError
from lazymcp.form_answer import fit_value

ReadLine = Callable[[], Awaitable[str]]
Say = Callable[[str], None]

_EXAMPLE = """'{"name": "Ada"}'"""


def given(answers: Sequence[str]) -> Iterator[Any]:
    """What `--answer` gave, in order: an object for a form, true for a page that was opened, false for no.

    Raises:
        ConfigurationError: one is none of these.
    """
    for text in answers:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict | bool):
            raise ConfigurationError(f"--answer should be a JSON object, true or false, such as {_EXAMPLE}, not {text[:60]!r}.")
        yield found


class Answers:
    """Answers questions: those that were given first, then a person at the terminal.

    Args:
        before: what `--answer` gave.
        say: shows a text, without ending the line.
        read: the next line that is typed, with its end; "" at the end of the input. None: there is no terminal.
    """

    def __init__(self, before: Sequence[Any], say: Say, read: ReadLine | None) -> None:
        self._before = list(before)
        self._say = say
        self._read = read

    async def __call__(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one `elicitation/create`."""
        self._say(f"{asked.get('message', '')}\n")
        if self._before:
            found = self._before.pop(0)
            if isinstance(found, dict):
                return {"action": "accept", "content": found}
            return {"action": "accept" if found else "decline"}
        if self._read is None:
            return {"action": "cancel"}
        if asked.get("mode") == "url":
            return await self._visit(str(asked.get("url", "")))
        try:
            return {"action": "accept", "content": await self._fill(asked.get("requestedSchema", {}))}
        except EOFError:
            self._say("\n")
            return {"action": "decline"}

    async def _visit(self, url: str) -> dict[str, Any]:
        self._say(f"  {url}\n  Open it, then press Enter; n declines: ")
        line = await self._line()
        return {"action": "decline" if line in (None, "n", "no") else "accept"}

    async def _fill(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        content = {}
        for name, node in schema.get("properties", {}).items():
            value = await self._field(name, node, name in schema.get("required", ()))
            if value is not None:
                content[name] = value
        return content

    async def _field(self, name: str, node: Mapping[str, Any], is_required: bool) -> Any:
        choices = _choices(node)
        for number, (_, title) in enumerate(choices, 1):
            self._say(f"    {number}  {title}\n")
        while True:
            self._say(f"  {_label(name, node, is_required)}: ")
            line = await self._line()
            if line is None:
                raise EOFError
            if not line:
                if "default" in node or not is_required:
                    return node.get("default")
                self._say("    is needed; Ctrl-D declines\n")
                continue
            try:
                return fit_value(node, _meant(line, node, choices))
            except ValueError as problem:
                self._say(f"    {problem}\n")

    async def _line(self) -> str | None:
        if self._read is None:
            return None
        line = await self._read()
        return line.strip() if line else None


def terminal() -> ReadLine | None:
    """The next line that a person types, without holding up the event loop; None where stdin or stderr is no terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    async def read() -> str:
        loop = asyncio.get_running_loop()
        is_there = asyncio.Event()
        try:
            loop.add_reader(sys.stdin.fileno(), is_there.set)
        except NotImplementedError:  # no such loop: then Ctrl-C waits for the end of the line
            return await asyncio.to_thread(sys.stdin.readline)
        try:
            await is_there.wait()
        finally:
            loop.remove_reader(sys.stdin.fileno())
        return sys.stdin.readline()

    return read


def _label(name: str, node: Mapping[str, Any], is_required: bool) -> str:
    told = [str(node.get("title") or name)]
    if node.get("description"):
        told.append(f"({node['description']})")
    if node.get("type") == "boolean":
        told.append("y/n")
    if node.get("type") == "array":
        told.append("(several with commas)")
    if "default" in node:
        default = node["default"]
        told.append(f"[{', '.join(map(str, default)) if isinstance(default, list) else default}]")
    elif not is_required:
        told.append("[none]")
    return " ".join(told)


def _choices(node: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The values and titles of a field that offers some, by each of the shapes that the protocol has for it."""
    node = node.get("items", {}) if node.get("type") == "array" else node
    titled = node.get("oneOf") or node.get("anyOf") or ()
    if titled:
        return [(str(each.get("const")), str(each.get("title", each.get("const")))) for each in titled]
    values = [str(value) for value in node.get("enum", ())]
    titles = [str(title) for title in node.get("enumNames", values)]
    return list(zip(values, titles, strict=len(titles) == len(values)))


def _meant(line: str, node: Mapping[str, Any], choices: Sequence[tuple[str, str]]) -> Any:
    if node.get("type") == "array":
        return [_choice(word.strip(), choices) for word in line.split(",") if word.strip()]
    if node.get("type") == "boolean":
        return {"y": True, "yes": True, "n": False, "no": False}.get(line.lower(), line)
    return _choice(line, choices)


def _choice(word: str, choices: Sequence[tuple[str, str]]) -> str:
    """A choice by its value, its title or its number."""
    for value, title in choices:
        if word in (value, title):
            return value
    if word.isdecimal() and 0 < int(word) <= len(choices):
        return choices[int(word) - 1][0]
    return word
