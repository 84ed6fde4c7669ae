"""Sends a public file: whole, in part, compressed, or not at all because the client has it. RFC 9110, sections 12 to 14.

Most requests ask for none of this, or only for a coding that was asked for before; they are answered with what was prepared.
"""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import IO, Any

from lazyapp.accept_encoding import choose_coding
from lazyapp.public_file import Header, PublicFile
from lazyapp.public_path import State, state_of
from lazyapp.ranges import NotSatisfiable, Span, requested

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Conditions = Mapping[bytes, bytes]

CHUNK_BYTES = 256 * 1024
_MAX_REMEMBERED_BYTES = 200
_ASKED = frozenset(
    {
        b"accept-encoding",
        b"if-match",
        b"if-modified-since",
        b"if-none-match",
        b"if-range",
        b"if-unmodified-since",
        b"range",
    }
)
_ENTITY_TAG = re.compile(rb'(W/)?("[^"]*")')
# RFC 9110, 15.4.5: the validator and what decides about caching; nothing of a content that is not there.
_OF_A_CONTENT = frozenset({b"content-length", b"content-type", b"content-encoding", b"accept-ranges"})


async def send_file(file: PublicFile, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a GET or HEAD with a file."""
    asked: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in _ASKED:
            asked[name] = asked[name] + b", " + value if name in asked else value
    accepted = asked.pop(b"accept-encoding", b"")
    if asked:
        await _send_as_asked(file, accepted, asked, scope, receive, send)
    else:
        await _send_whole(_in_coding(file, accepted), scope, receive, send)


async def _send_as_asked(file: PublicFile, accepted: bytes, asked: Conditions, scope: Scope, receive: Receive, send: Send) -> None:
    chosen = _in_coding(file, accepted)
    # Ranges are of the file itself: a part of a compressed form is of no use to anybody who did not keep the other part.
    wants_part = b"range" in asked and scope["method"] == "GET" and _is_same(file, asked.get(b"if-range"))
    status = _precondition(file if wants_part else chosen, asked)
    if status:
        headers = [pair for pair in (file if wants_part else chosen).headers if pair[0] not in _OF_A_CONTENT]
        await _send_nothing(status, headers, send)
        return
    try:
        span = requested(asked[b"range"].decode("latin-1"), file.size) if wants_part else None
    except NotSatisfiable:
        headers = [pair for pair in file.headers if pair[0] not in _OF_A_CONTENT]
        # RFC 9110, 15.5.17.
        await _send_nothing(416, [*headers, (b"content-range", b"bytes */%d" % file.size)], send)
        return
    if span is None:
        await _send_whole(chosen, scope, receive, send)
    else:
        await _send_part(file, span, receive, send)


async def _send_whole(file: PublicFile, scope: Scope, receive: Receive, send: Send) -> None:
    if file.body is None and scope["method"] != "HEAD":
        await _send_from_disk(file, 200, file.headers, Span(0, file.size), receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": list(file.headers)})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else file.body})


async def _send_part(file: PublicFile, span: Span, receive: Receive, send: Send) -> None:
    length = str(span.end - span.start).encode()
    headers = [(name, length if name == b"content-length" else value) for name, value in file.headers]
    headers.append((b"content-range", b"bytes %d-%d/%d" % (span.start, span.end - 1, file.size)))
    if file.body is None:
        await _send_from_disk(file, 206, headers, span, receive, send)
    else:
        await send({"type": "http.response.start", "status": 206, "headers": headers})
        await send({"type": "http.response.body", "body": file.body[span.start : span.end]})


async def _send_from_disk(file: PublicFile, status: int, headers: list[Header], span: Span, receive: Receive, send: Send) -> None:
    """Read a part as it is sent, and no further once the client has left.

    All of it is of one file: one that is put in its place meanwhile is another, and one that is written over ends the answer.
    """
    try:
        opened = await asyncio.to_thread(file.path.open, "rb")
    except OSError:
        # It was there a moment ago.
        await _send_nothing(404, [], send)
        return
    if _state(opened) != file.state:
        # Replaced since it was looked up: what is known of it is of the other.
        opened.close()
        await _send_nothing(503, [(b"retry-after", b"1")], send)
        return
    has_left = asyncio.ensure_future(_leaving(receive))
    try:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await asyncio.to_thread(opened.seek, span.start)
        left = span.end - span.start
        while left and not has_left.done():
            chunk = await asyncio.to_thread(opened.read, min(left, CHUNK_BYTES))
            if not chunk or _state(opened) != file.state:
                raise OSError(f"{file.path} changed while it was sent")
            left -= len(chunk)
            await send({"type": "http.response.body", "body": chunk, "more_body": left > 0})
        if span.end == span.start:
            await send({"type": "http.response.body", "body": b""})
    finally:
        has_left.cancel()
        opened.close()


def _state(opened: IO[bytes]) -> State:
    stat = os.fstat(opened.fileno())
    return stat.st_mtime_ns, stat.st_size


async def _leaving(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_nothing(status: int, headers: list[Header], send: Send) -> None:
    if status != 304:
        headers = [*headers, (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _in_coding(file: PublicFile, accepted: bytes) -> PublicFile:
    """The form of a file that a client takes; what a header means is worked out once."""
    if not accepted or not file.encoded:
        return file
    choose = _chosen if len(accepted) <= _MAX_REMEMBERED_BYTES else _chosen.__wrapped__
    form = file.encoded.get(choose(accepted, tuple(file.encoded)), file)
    # One that lies on disk may have been replaced since its validator was made.
    return form if form.body is not None or state_of(form.path) == form.state else file


@lru_cache(256)
def _chosen(accepted: bytes, offered: tuple[str, ...]) -> str:
    return choose_coding(accepted.decode("latin-1"), offered)


def _precondition(file: PublicFile, asked: Conditions) -> int:
    """The status of an answer without content, 0 for an answer with it; in the order of RFC 9110, section 13.2.2."""
    if (wanted := asked.get(b"if-match")) is not None:
        if wanted.strip() != b"*" and not any(not weak and tag == file.etag for weak, tag in _ENTITY_TAG.findall(wanted)):
            return 412
    elif _is_later(file.modified, asked.get(b"if-unmodified-since")):
        return 412
    if (known := asked.get(b"if-none-match")) is not None:
        # Quotes stand in no tag, so whatever holds ours names it; weakly compared, `W/` makes no difference (8.8.3.2).
        return 304 if file.etag in known or known.strip() == b"*" else 0
    since = asked.get(b"if-modified-since")
    return 304 if since is not None and _is_later(file.modified, since) is False else 0


def _is_same(file: PublicFile, validator: bytes | None) -> bool:
    """Whether If-Range allows a part: no such header, our very tag, or our very date. RFC 9110, section 13.1.5."""
    return validator is None or validator.strip() in (file.etag, file.modified)


def _is_later(modified: bytes, date: bytes | None) -> bool | None:
    """Whether a file changed after a date; None for what is no date, which counts as not sent."""
    if date is None:
        return None
    try:
        ours, theirs = (parsedate_to_datetime(each.decode("latin-1")) for each in (modified, date))
        return ours > theirs.replace(tzinfo=theirs.tzinfo or UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
