"""Public files: what lies under the application's public folder, served at the root.

In production the folder is read once, at start: every file is known by its exact path, so no request can name anything else, and
small files are answered from memory with prepared headers, until what is held reaches a bound; all others are streamed from disk.
In development a file is looked for when it is asked for. Never served: what lies outside the folder, also by a link, and what
begins with a dot.
"""

import difflib
import hashlib
import mimetypes
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi.responses import FileResponse

from lazyapp.accept import header
from lazyapp.errors import LazyappError

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Header = tuple[bytes, bytes]
State = tuple[int, int]

MAX_IN_MEMORY_BYTES = 1024 * 1024
MAX_HELD_BYTES = 64 * 1024 * 1024
_ONE_YEAR = b"public, max-age=31536000, immutable"
_ASK_EACH_TIME = b"public, max-age=0, must-revalidate"
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


class UnknownAsset(LazyappError, LookupError):
    """`asset_path` was asked for a file that the public folder does not have."""


@dataclass(frozen=True, slots=True)
class PublicFile:
    """One file, ready to be sent.

    `body` is None for one that is read as it is sent; `state` is what the disk said of it when the rest was found out.
    """

    path: Path
    body: bytes | None
    etag: bytes
    headers: list[Header]
    state: State


class PublicFiles:
    """The files of one folder.

    Args:
        root: the folder; None: there are no files.
        hashed: production: read the folder once, and give each file a second path that changes with its content.
        headers: sent with every file, besides its own.
        max_held_bytes: how much of the folder is kept in memory, at most; equal files count once.
    """

    def __init__(
        self, root: Path | None, *, hashed: bool, headers: Sequence[Header] = (), max_held_bytes: int = MAX_HELD_BYTES
    ) -> None:
        self._root = root.resolve() if root is not None else None
        self._hashed = hashed
        self._headers = tuple(headers)
        self._files: dict[str, PublicFile] = {}
        self._assets: dict[str, str] = {}
        self._large: dict[Path, PublicFile] = {}
        if hashed:
            self._read_all(max_held_bytes)

    def find(self, path: str) -> PublicFile | None:
        """The file at a decoded request path, if there is one."""
        if not self._hashed and self._root is not None:
            located = self._locate(path)
            return self._read_again(located) if located is not None else None
        file = self._files.get(path)
        if file is not None and file.body is None and _state(file.path) != file.state:
            return self._changed(path, file)
        return file

    def asset_path(self, name: str) -> str:
        """The path to link to: `/app.css`, in production `/app-0f3a81c2d94b.css`, which may be cached for ever.

        Raises:
            UnknownAsset: there is no such file.
        """
        path = f"/{name.removeprefix('/')}"
        found = self._assets.get(path)
        if found is None and not self._hashed and self._locate(path):
            found = path
        if found is None:
            near = difflib.get_close_matches(path, list(self._names()), n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(each[1:] for each in near)}?" if near else ""
            raise UnknownAsset(
                f"asset_path({name!r}): there is no such file in {self._root or 'an application without public='}{hint}"
            )
        return found

    def text(self, name: str) -> str | None:
        """A file's text, `404.html` for example, or None."""
        file = self.find(f"/{name}")
        return (file.body if file.body is not None else file.path.read_bytes()).decode() if file else None

    async def send(self, file: PublicFile, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a GET or HEAD with a file, or with 304 when the client has it. RFC 9110, section 13.1.2."""
        known = header(scope, b"if-none-match")
        if known and (known == "*" or file.etag in known.encode("latin-1")):
            headers = [pair for pair in file.headers if pair[0] not in (b"content-length", b"content-type")]
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
        elif file.body is None:
            headers_by_name = {name.decode(): value.decode() for name, value in file.headers}
            await FileResponse(file.path, headers=headers_by_name)(scope, receive, send)
        else:
            await send({"type": "http.response.start", "status": 200, "headers": list(file.headers)})
            await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else file.body})

    def _read_all(self, max_held_bytes: int) -> None:
        held: dict[bytes, bytes] = {}
        left = max_held_bytes
        for path in self._names():
            located = self._locate(path)
            if located is None:
                continue
            file = self._read(located)
            if file.body is not None and file.etag not in held and len(file.body) <= left:
                held[file.etag] = file.body
                left -= len(file.body)
            file = replace(file, body=held.get(file.etag))
            stem, dot, ending = path.rpartition(".")
            tag = file.etag.strip(b'"')[:12].decode()
            hashed = f"{stem}-{tag}.{ending}" if dot and "/" not in ending else f"{path}-{tag}"
            self._files[path] = file
            self._files[hashed] = replace(file, headers=_cached(file.headers, _ONE_YEAR))
            self._assets[path] = hashed

    def _changed(self, path: str, file: PublicFile) -> PublicFile | None:
        """A streamed file that was replaced on disk: there by its plain name only, for the hashed one stood for the old bytes."""
        try:
            return self._read_again(file.path) if path in self._assets else None
        except OSError:
            return None

    def _names(self) -> Iterator[str]:
        if self._root is not None:
            for file in sorted(self._root.rglob("*")):
                yield f"/{file.relative_to(self._root).as_posix()}"

    def _locate(self, path: str) -> Path | None:
        """The file that a request path names, links followed and still inside the root."""
        parts = path.split("/")[1:]
        if self._root is None or not path.startswith("/") or any(not part or part[0] == "." for part in parts):
            return None
        if "\0" in path or "\\" in path:
            return None
        try:
            file = self._root.joinpath(*parts).resolve()
            return file if file.is_relative_to(self._root) and not _is_hidden(file, self._root) and file.is_file() else None
        except (OSError, RuntimeError, ValueError):
            # A name too long for the file system, a loop of links, a lone surrogate: no such file.
            return None

    def _read_again(self, file: Path) -> PublicFile:
        """A file as it is now. A large one is not hashed again before it changes; no body is kept."""
        kept = self._large.get(file)
        if kept is not None and kept.state == _state(file):
            return kept
        found = self._read(file)
        if found.body is None:
            self._large[file] = found
        return found

    def _read(self, file: Path) -> PublicFile:
        with file.open("rb") as opened:
            stat = os.fstat(opened.fileno())
            body = opened.read() if stat.st_size <= MAX_IN_MEMORY_BYTES else None
            digest = hashlib.sha256(body) if body is not None else hashlib.file_digest(opened, "sha256")
        etag = f'"{digest.hexdigest()[:32]}"'.encode()
        headers = [
            (b"content-type", content_type(file.name).encode()),
            (b"content-length", str(stat.st_size if body is None else len(body)).encode()),
            (b"etag", etag),
            (b"cache-control", _ASK_EACH_TIME),
            *self._headers,
        ]
        return PublicFile(file, body, etag, headers, (stat.st_mtime_ns, stat.st_size))


def content_type(name: str, known: Mapping[str, str] = _TYPES) -> str:
    """The media type of a file by its name's ending; the machine's own tables are not asked, so it is the same everywhere."""
    kind = known.get(Path(name).suffix.lower()) or _MACHINE_INDEPENDENT.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


_MACHINE_INDEPENDENT = mimetypes.MimeTypes()


def _cached(headers: Sequence[Header], caching: bytes) -> list[Header]:
    return [(name, caching if name == b"cache-control" else value) for name, value in headers]


def _state(file: Path) -> State | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _is_hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)
