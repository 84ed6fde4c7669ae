"""Files and bytes that an action hands to the visitor: found safely, named properly, sent in ranges.

What lies under the public folder is not sent from here (see `public.py`): these are files that only an action may give away.
"""

import os
import re
import stat
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import HTTPException
from fastapi.responses import FileResponse, Response

from lazyapp.accept import is_head
from lazyapp.media_types import content_type

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

# RFC 8187, section 3.2.1: what stands in `filename*` without being percent-encoded.
_PLAIN = "!#$&+-.^_`|~"


class FileAnswer(FileResponse):
    """A file from disk; a HEAD is answered without opening it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, or the ranges that were asked for. RFC 9110, section 14."""
        await super().__call__({**scope, "method": "HEAD"} if is_head(scope) else scope, receive, send)


def file_answer(
    file: str | os.PathLike[str], *, root: str | os.PathLike[str] | None, filename: str | None, inline: bool
) -> Response:
    """The answer that sends a file.

    Args:
        file: its path; with `root` relative to it.
        root: nothing outside of it is sent, wherever links lead; None: the path is trusted.
        filename: what it is saved as; None: as it is called.
        inline: shown in the browser rather than saved.

    Raises:
        HTTPException: 404, there is no such file, or it lies outside the root.
    """
    path = Path(file) if root is None else within(Path(root), os.fspath(file))
    try:
        state = path.stat() if path is not None else None
    except (OSError, ValueError):
        state = None
    if path is None or state is None or not stat.S_ISREG(state.st_mode):
        raise HTTPException(404)
    name = filename or path.name
    headers = {"content-disposition": disposition(name, inline=inline)}
    return FileAnswer(path, headers=headers, media_type=content_type(name), stat_result=state)


def data_answer(data: bytes | str, filename: str, *, media_type: str | None, inline: bool) -> Response:
    """The answer that sends what was made in memory as a file."""
    headers = {"content-disposition": disposition(filename, inline=inline)}
    return Response(data, headers=headers, media_type=media_type or content_type(filename))


def disposition(filename: str, *, inline: bool) -> str:
    """The header that names a download: for every client that reads `filename*`, and an ASCII name for the others.

    RFC 6266, sections 4.3 and appendix D; a path in the name is dropped, as its section 4.3 advises receivers to do.
    """
    name = re.split(r"[/\\]", filename)[-1]
    kind = "inline" if inline else "attachment"
    plain = re.sub(r"[^ !#-\[\]-~]|%", "_", name)
    if plain == name:
        return f'{kind}; filename="{name}"'
    encoded = quote(name.encode("utf-8", "replace"), safe=_PLAIN)
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"


def within(root: Path, file: str) -> Path | None:
    """The file below a root, or None when it is outside, hidden or no path at all."""
    if "\0" in file or _is_hidden(re.split(r"[/\\]", file)):
        return None
    try:
        top = root.resolve()
        path = (top / file).resolve()
    except (OSError, RuntimeError, ValueError):
        # A loop of links, a lone surrogate, a name too long.
        return None
    # A link may lead to what is hidden, as it may lead outside.
    return path if path.is_relative_to(top) and not _is_hidden(path.relative_to(top).parts) else None


def _is_hidden(parts: Iterable[str]) -> bool:
    return any(part.startswith(".") for part in parts)
