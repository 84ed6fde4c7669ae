"""What a stylesheet refers to, by the names that may be cached for ever."""

import posixpath
import re
from collections.abc import Callable
from urllib.parse import unquote

_REFERENCE = re.compile(r"""(url\(\s*["']?|@import\s+["'])([^"'()\s]+)""", re.IGNORECASE)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")


def linked(css: bytes, path: str, asset_of: Callable[[str], str | None]) -> bytes:
    """A stylesheet whose `url(…)` and `@import` name the hashed files.

    Without it an image that a stylesheet shows would either be asked for again with each page or be old for a year. What lies
    elsewhere, or is no file of ours, is left as it stands.

    Args:
        css: the stylesheet.
        path: the one it is served at; what it says is relative to that.
        asset_of: the path to link to for a file's path, None when there is no such file.
    """

    def replaced(found: re.Match[str]) -> str:
        before, reference = found.groups()
        if _ELSEWHERE.match(reference):
            return found[0]
        name = re.split(r"[?#]", reference, maxsplit=1)[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(name)))
        asset = asset_of(target) if name else None
        return f"{before}{asset}{reference[len(name) :]}" if asset else found[0]

    # Whatever is no UTF-8 goes through unchanged.
    return _REFERENCE.sub(replaced, css.decode(errors="surrogateescape")).encode(errors="surrogateescape")
