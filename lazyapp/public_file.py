"""One public file, read and made ready to be sent: its validators, its headers, and its compressed forms."""

import gzip
import hashlib
import logging
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from pathlib import Path

from lazyapp.media_types import content_type
from lazyapp.public_path import State

Header = tuple[bytes, bytes]

MAX_IN_MEMORY_BYTES = 1024 * 1024
ONE_YEAR = b"public, max-age=31536000, immutable"
ASK_EACH_TIME = b"public, max-age=0, must-revalidate"
# Endings of the compressed forms that may lie beside a file, the better one first.
ENDINGS: Mapping[str, str] = {"br": ".br", "gzip": ".gz"}

log = logging.getLogger("lazyapp")


@dataclass(frozen=True, slots=True)
class PublicFile:
    """One file, ready to be sent.

    Args:
        path: where it lies.
        body: its bytes; None: it is read as it is sent.
        etag: changes with what is sent; each compressed form has its own.
        modified: the same as `Last-Modified` in `headers`.
        headers: of an answer with the whole file.
        state: what the disk said of it when the rest was found out.
        encoded: its compressed forms by content coding, the best first.
    """

    path: Path
    body: bytes | None
    etag: bytes
    modified: bytes
    headers: list[Header]
    state: State
    encoded: Mapping[str, "PublicFile"] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.state[1] if self.body is None else len(self.body)

    def with_body(self, body: bytes, coding: str = "") -> "PublicFile":
        """The same file with other bytes, that are its content or its form in a content coding."""
        etag = entity_tag(hashlib.sha256(body).hexdigest())
        own = {b"content-length": str(len(body)).encode(), b"etag": etag}
        return replace(self, body=body, etag=etag, headers=_encoded(_changed(self.headers, own), coding), encoded={})

    def with_encoded(self, forms: Mapping[str, "PublicFile"]) -> "PublicFile":
        """The same file with compressed forms; which one is sent depends on the request (RFC 9110, section 12.5.5)."""
        return replace(self, headers=[*self.headers, (b"vary", b"accept-encoding")], encoded=forms) if forms else self

    def cached(self, caching: bytes) -> "PublicFile":
        """The same file with another `Cache-Control`, its compressed forms too."""
        forms = {coding: each.cached(caching) for coding, each in self.encoded.items()}
        return replace(self, headers=_changed(self.headers, {b"cache-control": caching}), encoded=forms)

    def read_whole(self) -> bytes:
        """Its bytes, wherever they are."""
        return self.path.read_bytes() if self.body is None else self.body


def read_file(path: Path, headers: Sequence[Header] = ()) -> PublicFile:
    """A file as it lies on disk; one that is larger than MAX_IN_MEMORY_BYTES is read for its validator only.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as opened:
        stat = os.fstat(opened.fileno())
        body = opened.read() if stat.st_size <= MAX_IN_MEMORY_BYTES else None
        digest = hashlib.sha256(body) if body is not None else hashlib.file_digest(opened, "sha256")
    size = stat.st_size if body is None else len(body)
    etag = entity_tag(digest.hexdigest())
    # RFC 9110, 8.8.2.1: not later than now, whatever clock wrote the file.
    modified = formatdate(min(stat.st_mtime, time.time()), usegmt=True).encode()
    own = [
        (b"content-type", content_type(path.name).encode()),
        (b"content-length", str(size).encode()),
        (b"etag", etag),
        (b"last-modified", modified),
        (b"cache-control", ASK_EACH_TIME),
        (b"accept-ranges", b"bytes"),
    ]
    return PublicFile(path, body, etag, modified, [*own, *headers], (stat.st_mtime_ns, stat.st_size))


def entity_tag(digest: str) -> bytes:
    """The validator for a content."""
    return f'"{digest[:32]}"'.encode()


def read_encoded(file: PublicFile, path: Path, coding: str) -> PublicFile | None:
    """A file's compressed form that lies beside it, or None when it is not that file's.

    A `.gz` is opened and compared, for one that was forgotten when its file changed would bring the old content back, to most
    visitors and for a year. A `.br` is taken on trust: the standard library cannot read it.
    """
    try:
        form = read_file(path)
    except OSError as error:
        log.warning("%s is not used: %s.", path, error.strerror or error)
        return None
    if coding == "gzip" and file.body is not None and form.body is not None and _unzipped(form.body, file.size) != file.body:
        log.warning("%s does not hold what %s does and is not used; make it again.", path.name, file.path.name)
        return None
    own = {b"content-length": str(form.size).encode(), b"etag": form.etag}
    headers = _encoded(_changed(file.headers, own), coding)
    return replace(form, modified=file.modified, headers=headers)


def compressed(file: PublicFile) -> PublicFile | None:
    """A file in memory as gzip, unless that saves less than a tenth."""
    if file.body is None:
        return None
    body = gzip.compress(file.body, 6, mtime=0)  # no time in it, so that every process has the same validator
    return file.with_body(body, "gzip") if len(body) < 0.9 * file.size else None


def _unzipped(body: bytes, size: int) -> bytes:
    try:
        # A byte more than there should be says enough, and no more than that is unpacked.
        return zlib.decompressobj(wbits=31).decompress(body, size + 1)
    except zlib.error:
        return b""


def _changed(headers: Sequence[Header], values: Mapping[bytes, bytes]) -> list[Header]:
    return [(name, values.get(name, value)) for name, value in headers]


def _encoded(headers: list[Header], coding: str) -> list[Header]:
    if not coding:
        return headers
    # Ranges are of the file itself.
    plain = [pair for pair in headers if pair[0] != b"accept-ranges"]
    return [*plain, (b"content-encoding", coding.encode()), (b"vary", b"accept-encoding")]
