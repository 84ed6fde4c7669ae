"""The public folder as production serves it: read once, named by content, linked, compressed, and held in memory up to a bound."""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from lazyapp.media_types import is_compressible
from lazyapp.public_css import linked
from lazyapp.public_file import ENDINGS, ONE_YEAR, Header, PublicFile, compressed, read_encoded, read_file
from lazyapp.public_path import locate, names

# Below it an answer is one packet either way.
MIN_COMPRESSED_BYTES = 1024

log = logging.getLogger("lazyapp")


@dataclass(slots=True)
class PublicFolder:
    """What was read.

    Args:
        root: resolved.
        headers: sent with every file, besides its own.
        left: how many bytes may still be held.
    """

    root: Path
    headers: Sequence[Header]
    left: int
    files: dict[str, PublicFile] = field(default_factory=dict)
    assets: dict[str, str] = field(default_factory=dict)
    _held: dict[bytes, bytes] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)

    def read_all(self) -> None:
        """Read every file; stylesheets when what they refer to has its name."""
        for path in names(self.root):
            self._asset_of(path)

    def _asset_of(self, path: str) -> str | None:
        """The hashed path of a file, which is read now if it was not."""
        if path not in self.assets and path not in self._open and (located := locate(self.root, path)):
            self._open.add(path)
            try:
                self._add(path, located)
            except OSError as error:
                log.warning("%s is not served: %s.", located, error.strerror or error)
            self._open.discard(path)
        # Of two stylesheets that import each other, the one that was come upon first is named plainly in the second.
        return self.assets.get(path)

    def _add(self, path: str, located: Path) -> None:
        on_disk = read_file(located, self.headers)
        file = self._kept(self._linked(path, on_disk)) or self._kept(on_disk) or replace(on_disk, body=None)
        file = file.with_encoded(self._forms(path, file, is_as_on_disk=file.etag == on_disk.etag))
        stem, dot, ending = path.rpartition(".")
        tag = file.etag.strip(b'"')[:12].decode()
        hashed = f"{stem}-{tag}.{ending}" if dot and "/" not in ending else f"{path}-{tag}"
        self.files[path] = file
        self.files[hashed] = file.cached(ONE_YEAR)
        self.assets[path] = quote(os.fsencode(hashed), safe="/")

    def _linked(self, path: str, file: PublicFile) -> PublicFile:
        if file.body is None or not path.endswith(".css"):
            return file
        body = linked(file.body, path, self._asset_of)
        return file.with_body(body) if body != file.body else file

    def _forms(self, path: str, file: PublicFile, *, is_as_on_disk: bool) -> dict[str, PublicFile]:
        forms: dict[str, PublicFile] = {}
        for coding, ending in ENDINGS.items():
            located = locate(self.root, path + ending) if is_as_on_disk else None
            form = read_encoded(file, located, coding) if located else None
            if form is not None:
                forms[coding] = self._kept(form) or replace(form, body=None)
        if (
            "gzip" not in forms
            and file.size > MIN_COMPRESSED_BYTES
            and is_compressible(dict(file.headers)[b"content-type"].decode())
        ):
            form = compressed(file)
            if form is not None and (kept := self._kept(form)):
                forms["gzip"] = kept
        return forms

    def _kept(self, file: PublicFile) -> PublicFile | None:
        """The file with its body held, equal ones once; None when it has none or there is no room."""
        if file.body is None:
            return None
        if file.etag not in self._held:
            if len(file.body) > self.left:
                return None
            self._held[file.etag] = file.body
            self.left -= len(file.body)
        return replace(file, body=self._held[file.etag])
