"""Results as a person reads them: texts as they are, data in columns, pictures and other bytes said, and saved where one asks."""

import base64
import json
import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from lazyapp.errors import LazyappError
from lazymcp.jsonrpc import dump

_WIDEST = 60
_ENDINGS = {
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/webm": ".weba",
    "image/jpeg": ".jpg",
    "image/svg+xml": ".svg",
    "image/webp": ".webp",
}


@dataclass(slots=True)
class Shown:
    """What a result says, and the bytes in it. Filled by the functions below.

    Attributes:
        texts: for stdout, a paragraph each.
        blobs: media type and bytes, in order.
    """

    texts: list[str] = field(default_factory=list)
    blobs: list[tuple[str, bytes]] = field(default_factory=list)


def as_json(value: Any) -> str:
    """JSON on several lines, for `--json`."""
    try:
        return to_json(value, indent=2, inf_nan_mode="null").decode()
    except PydanticSerializationError:
        return dump(value).decode()  # half a surrogate pair and the like


def of_tool(result: Mapping[str, Any]) -> Shown:
    """The result of a tool. Where a text is only the JSON of the structured content, that is shown, once."""
    shown = Shown()
    structured = result.get("structuredContent")
    for block in result.get("content", ()):
        if structured is not None and block.get("type") == "text" and _is_json_of(block["text"], structured):
            continue
        _add(shown, block)
    if structured is not None:
        shown.texts.append(readable(structured))
    return shown


def of_contents(contents: Sequence[Mapping[str, Any]]) -> Shown:
    """What a resource holds."""
    shown = Shown()
    for part in contents:
        _add_contents(shown, part)
    return shown


def of_prompt(result: Mapping[str, Any]) -> Shown:
    """The messages of a prompt; who speaks is said where it is not one message of the user."""
    shown = Shown()
    messages = result["messages"]
    for message in messages:
        said = Shown()
        _add(said, message["content"])
        text = "\n".join(said.texts) or _said(*said.blobs[0])
        shown.texts.append(text if len(messages) == 1 and message["role"] == "user" else f"[{message['role']}]\n{text}")
        shown.blobs += said.blobs
    return shown


def readable(value: Any) -> str:
    """Data in columns: an object as its keys and values, a list of flat objects as a table, all else as JSON."""
    if isinstance(value, dict) and value:
        rest = {name: each for name, each in value.items() if _is_flat(each)}
        width = max((len(name) for name in rest), default=0)
        parts = ["\n".join(f"{name:<{width}}  {_cell(each)}".rstrip() for name, each in rest.items())] if rest else []
        parts += [f"{name}:\n{_indented(readable(each))}" for name, each in value.items() if name not in rest]
        return "\n".join(parts)
    if isinstance(value, list) and value and all(_is_row(each) for each in value):
        return "\n".join(_table(value))
    return value if isinstance(value, str) else as_json(value)


def save(blobs: Sequence[tuple[str, bytes]], out: str) -> list[Path]:
    """Write bytes to a file, or, where there are several or `out` is a folder, into it as 1.png, 2.wav and so on.

    Raises:
        LazyappError: one cannot be written.
    """
    target = Path(out)
    try:
        if len(blobs) == 1 and not target.is_dir() and not out.endswith("/"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(blobs[0][1])
            return [target]
        target.mkdir(parents=True, exist_ok=True)
        paths = [target / f"{number}{_ending(mime_type)}" for number, (mime_type, _) in enumerate(blobs, 1)]
        for path, (_, data) in zip(paths, blobs, strict=True):
            path.write_bytes(data)
    except OSError as problem:
        raise LazyappError(f"--out: {problem.filename or out} cannot be written: {problem.strerror}.") from None
    return paths


def notes(blobs: Sequence[tuple[str, bytes]], out: str) -> list[str]:
    """A line for each piece of bytes: what it is, and where it is now. Saves it where `out` says so."""
    if not blobs:
        return [f"There are no bytes to save in {out}; --out is for pictures, sounds and files."] if out else []
    if not out:
        return [f"{_said(*blob)}; --out FILE saves it." for blob in blobs]
    paths = save(blobs, out)
    if len(paths) == 1:
        paths *= len(blobs)
    return [f"{_said(*blob)}, saved in {path}." for blob, path in zip(blobs, paths, strict=True)]


def _add(shown: Shown, block: Mapping[str, Any]) -> None:
    kind = block.get("type")
    if kind == "text":
        shown.texts.append(str(block["text"]))
    elif kind in {"image", "audio"}:
        shown.blobs.append((str(block.get("mimeType", "")), base64.b64decode(block["data"])))
    elif kind == "resource":
        _add_contents(shown, block["resource"])
    elif kind == "resource_link":
        shown.texts.append("  ".join(str(block[key]) for key in ("uri", "name", "description") if block.get(key)))
    else:
        shown.texts.append(as_json(block))


def _add_contents(shown: Shown, part: Mapping[str, Any]) -> None:
    if "blob" in part:
        shown.blobs.append((str(part.get("mimeType", "")), base64.b64decode(part["blob"])))
    else:
        shown.texts.append(str(part.get("text", "")))


def _said(mime_type: str, data: bytes) -> str:
    return f"{mime_type or 'bytes'}, {len(data):,} bytes"


def _ending(mime_type: str) -> str:
    plain = mime_type.partition(";")[0].strip().lower()
    # The table of the system knows some of them, and not everywhere the same.
    return _ENDINGS.get(plain) or mimetypes.guess_extension(plain) or ".bin"


def _is_json_of(text: str, value: Any) -> bool:
    try:
        return bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False


def _is_flat(value: Any) -> bool:
    return not isinstance(value, dict | list) or not value or (isinstance(value, list) and all(_is_plain(each) for each in value))


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(_is_flat, value.values()))


def _cell(value: Any) -> str:
    if isinstance(value, list) and value:
        return ", ".join(map(_cell, value))
    return value if isinstance(value, str) else dump(value).decode()


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([_short(_cell(row[name])) if name in row else "" for name in names] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    return ["  ".join(f"{cell:<{wide}}" for cell, wide in zip(row, widths, strict=True)).rstrip() for row in cells]


def _short(cell: str) -> str:
    line = cell.partition("\n")[0]
    return line if line == cell and len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
