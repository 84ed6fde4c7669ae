"""The media type of a file by its name's ending; the machine's own tables are not asked, so it is the same everywhere."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path

# Types that the standard library does not know, or that differ between its versions.
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".md": "text/markdown",
}
_MACHINE_INDEPENDENT = mimetypes.MimeTypes()
_TEXT_OF_OTHER_NAME = frozenset({"application/json", "application/xml", "application/wasm", "application/javascript"})


def content_type(name: str, known: Mapping[str, str] = _TYPES) -> str:
    """The media type of a file, `text/css; charset=utf-8` for `app.css`."""
    guessed, coding = _MACHINE_INDEPENDENT.guess_type(name)
    if coding:
        # `app.css.gz` asked for by its own name is an archive, not a stylesheet.
        guessed = "application/gzip" if coding == "gzip" else None
    kind = known.get(Path(name).suffix.lower()) or guessed or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def is_compressible(content_type: str) -> bool:
    """Whether compressing pays: images, sound and fonts are compressed by their own formats."""
    kind = content_type.partition(";")[0]
    return kind.startswith("text/") or kind in _TEXT_OF_OTHER_NAME or kind.endswith(("+json", "+xml"))
