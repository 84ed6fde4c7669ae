"""Public files: what lies under the application's public folder, served at the root.

In production the folder is read once, at start (see `public_folder.py`): every file is known by its exact path, so no request can
name anything else, and small files are answered from memory with prepared headers; all others are streamed from disk. In
development a file is looked for when it is asked for. Never served: what lies outside the folder, also by a link, and what begins
with a dot.
"""

import base64
import difflib
import hashlib
import os
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lazyapp.errors import LazyappError
from lazyapp.public_file import Header, PublicFile, read_file
from lazyapp.public_folder import PublicFolder
from lazyapp.public_path import locate, names, state_of
from lazyapp.public_send import send_file

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

MAX_HELD_BYTES = 64 * 1024 * 1024


class UnknownAsset(LazyappError, LookupError):
    """`asset_path` was asked for a file that the public folder does not have."""


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
        self._integrity: dict[bytes, str] = {}
        if hashed and self._root is not None:
            folder = PublicFolder(self._root, self._headers, max_held_bytes)
            folder.read_all()
            self._files, self._assets = folder.files, folder.assets

    def find(self, path: str) -> PublicFile | None:
        """The file at a decoded request path, if there is one."""
        if not self._hashed and self._root is not None:
            located = locate(self._root, path)
            return self._read_again(located) if located is not None else None
        file = self._files.get(path)
        if file is not None and file.body is None and state_of(file.path) != file.state:
            # Replaced on disk: there by its plain name only, for the hashed one stood for the old bytes.
            return self._read_again(file.path) if path in self._assets else None
        return file

    def asset_path(self, name: str) -> str:
        """The path to link to: `/app.css`, in production `/app-0f3a81c2d94b.css`, which may be cached for ever.

        Raises:
            UnknownAsset: there is no such file.
        """
        path = f"/{name.removeprefix('/')}"
        found = self._assets.get(path)
        if found is None and not self._hashed and self._root is not None and locate(self._root, path):
            found = quote(os.fsencode(path), safe="/")
        if found is None:
            raise self._unknown("asset_path", name)
        return found

    def integrity(self, name: str) -> str:
        """What a browser compares the file with, for the `integrity` attribute: `sha384-…`. W3C Subresource Integrity, 3.1.

        Raises:
            UnknownAsset: there is no such file.
        """
        file = self.find(f"/{name.removeprefix('/')}")
        if file is None:
            raise self._unknown("integrity", name)
        found = self._integrity.get(file.etag)
        if found is None:
            found = f"sha384-{base64.b64encode(hashlib.sha384(file.read_whole()).digest()).decode()}"
            self._integrity[file.etag] = found
        return found

    def text(self, name: str) -> str | None:
        """A file's text, `404.html` for example, or None."""
        file = self.find(f"/{name}")
        return file.read_whole().decode() if file else None

    def send(self, file: PublicFile, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> Awaitable[None]:
        """Answer a GET or HEAD with a file, or with what else the request makes of it."""
        return send_file(file, scope, receive, send)

    def _read_again(self, path: Path) -> PublicFile | None:
        """A file as it is now, None when it is gone or not ours to read. No body is kept, and a large file is hashed again only
        when it changed."""
        kept = self._large.get(path)
        if kept is not None and kept.state == state_of(path):
            return kept
        try:
            found = read_file(path, self._headers)
        except OSError:
            return None
        if found.body is None:
            self._large[path] = found
        return found

    def _unknown(self, asked: str, name: str) -> UnknownAsset:
        known: Iterable[str] = names(self._root) if self._root is not None else ()
        near = difflib.get_close_matches(f"/{name.removeprefix('/')}", list(known), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(each[1:] for each in near)}?" if near else ""
        return UnknownAsset(f"{asked}({name!r}): there is no such file in {self._root or 'an application without public='}{hint}")
