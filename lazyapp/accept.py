"""What a client wants to read: RFC 9110, section 12.5.1, as far as a page and its JSON twin need it. Rules only."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Wish = Literal["html", "json", ""]
AS_GET = "lazyapp.head_as_get"

_KINDS: Mapping[str, Wish] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/json": "json",
    "application/problem+json": "json",
}


def wish(scope: Mapping[str, Any]) -> Wish:
    """Which of a page and JSON a request asks for by name; empty when it takes either.

    A wildcard names nothing: browsers always name `text/html`, so what only says `*/*` is a script and takes what there is.
    """
    best: Wish = ""
    weight = 0.0
    for part in header(scope, b"accept").split(","):
        kind, *parameters = part.split(";")
        wanted = _KINDS.get(kind.strip().lower(), "")
        quality = quality_of(parameters)
        if wanted and quality > weight:
            best, weight = wanted, quality
    return best


def choose(scope: Mapping[str, Any], kinds: Sequence[str]) -> str:
    """The media type that a request takes best, the earlier one among equals; empty when it takes none of them.

    The most specific range decides about each (`text/html;q=0` before `*/*`), and a request that names nothing takes anything.
    """
    accepted = header(scope, b"accept")
    if not accepted.strip():
        return kinds[0]
    ranges: dict[str, float] = {}
    for part in accepted.split(","):
        name, *parameters = part.split(";")
        ranges[name.strip().lower()] = quality_of(parameters)
    best, weight = "", 0.0
    for kind in kinds:
        known = next((each for each in (kind, f"{kind.partition('/')[0]}/*", "*/*") if each in ranges), None)
        quality = ranges[known] if known else 0.0
        if quality > weight:
            best, weight = kind, quality
    return best


def wants_json(scope: Mapping[str, Any]) -> bool:
    """Whether errors should be told as JSON: asked for by name, or answered in kind to a JSON body."""
    wanted = wish(scope)
    return wanted == "json" or (not wanted and is_json(header(scope, b"content-type")))


def is_json(content_type: str) -> bool:
    """Whether a media type is JSON or a dialect of it (RFC 6839, section 3.1)."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def is_head(scope: Mapping[str, Any]) -> bool:
    """Whether only the head of an answer is wanted; `web.py` hands a HEAD to the page as the GET that it stands for."""
    return scope["method"] == "HEAD" or AS_GET in scope


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """A request header by its lower-case name, its lines joined; empty when absent."""
    found = [value for key, value in scope["headers"] if key == name]
    return b", ".join(found).decode("latin-1") if found else ""


def quality_of(parameters: Sequence[str]) -> float:
    """How much a range is wanted, by what follows its name: `["q=0.5"]`; 1 where nothing is said, 0 for what is no number."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                quality = float(value)
            except ValueError:
                return 0.0
            # RFC 9110, 12.4.2: from 0 to 1; `nan` and `inf` are numbers to Python only.
            return quality if 0 <= quality <= 1 else 0.0
    return 1.0
