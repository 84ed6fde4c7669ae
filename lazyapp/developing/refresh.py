"""Open pages refresh when what they show has changed: in development only, and each exactly once.

A page that a browser loads gets one script tag, which names the state that the page was made of. The script listens to
`/_lazy/changes`, an event stream that names the present state: of this process, and how many files have changed since it started.
Where the two differ the page is out of date, whether it was open all the time or asleep.
"""

import asyncio
import contextlib
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from lazyapp.developing.asked import answer, is_read
from lazyapp.developing.door import ASGIApp, Message, Receive, Scope, Send
from lazyapp.developing.files import FOLDER
from lazyapp.drain import Drain
from lazyapp.this_machine import is_from_here

CHANGES: Final = "/_lazy/changes"
SCRIPT: Final = "/_lazy/refresh.js"
RETRY_MS, STILL_HERE_S = 250, 15.0
MAX_PAGE_BYTES: Final = 8 * 1024 * 1024

_BODY_ENDS: Final = re.compile(rb"</body\s*>", re.IGNORECASE)
_NONCE: Final = re.compile(r"'nonce-([A-Za-z0-9+/_=-]+)'")


def tag(token: str, *, nonce: str = "", is_posted: bool = False) -> str:
    """The script tag of a page that was made of this state.

    Args:
        token: the state.
        nonce: of the page's policy; empty: it needs none.
        is_posted: whether the page answers a form, which refreshing would send again.
    """
    allowed = f' nonce="{nonce}"' if nonce else ""
    return f'<script src="{SCRIPT}" data-at="{token}"{" data-posted" if is_posted else ""}{allowed}></script>'


def event(token: str) -> bytes:
    """The stream's word for a state. HTML Living Standard, section 9.2.6."""
    return f"retry: {RETRY_MS}\ndata: {token}\n\n".encode()


def script() -> bytes:
    """What the tag loads."""
    return (FOLDER / "refresh.js").read_bytes()


class Refresh:
    """One run's state, and the streams that tell it. Only the event loop's thread touches it.

    Args:
        drain: ends the streams at the end of the run.
    """

    def __init__(self, drain: Drain) -> None:
        self._drain = drain
        self._run = secrets.token_hex(6)
        self._count = 0
        self._changed = asyncio.Event()

    @property
    def token(self) -> str:
        """Names the present state."""
        return f"{self._run}.{self._count}"

    def changed(self) -> None:
        """A file that pages show is another."""
        self._count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def routes(self) -> Mapping[str, ASGIApp]:
        """What stands behind the door."""
        return {CHANGES: self.changes, SCRIPT: self.script}

    async def script(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """The script, as an ASGI application."""
        if await is_read(scope, send):
            await answer(scope, send, script(), media_type="text/javascript", more={"cache-control": "no-cache"})

    async def changes(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The stream, as an ASGI application: the state now, and each that follows."""
        if not await is_read(scope, send):
            return
        headers = [
            (b"content-type", b"text/event-stream"),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "GET":
            await self._tell_until_gone(receive, send)
        await send({"type": "http.response.body", "body": b""})

    async def _tell_until_gone(self, receive: Receive, send: Send) -> None:
        task: Any = asyncio.current_task()
        gone = asyncio.create_task(_disconnected(receive))
        self._drain.hold(task)
        try:
            while not gone.done():
                changed = self._changed
                await send({"type": "http.response.body", "body": event(self.token), "more_body": True})
                await self._until(changed, gone, send)
        except asyncio.CancelledError:
            if not self._drain.has_ended(task):
                raise
        finally:
            gone.cancel()
            self._drain.release(task)

    async def _until(self, changed: asyncio.Event, gone: asyncio.Task[None], send: Send) -> None:
        told = asyncio.create_task(changed.wait())
        try:
            while not (told.done() or gone.done()):
                await asyncio.wait({told, gone}, timeout=STILL_HERE_S, return_when=asyncio.FIRST_COMPLETED)
                if not (told.done() or gone.done()):
                    await send({"type": "http.response.body", "body": b":\n\n", "more_body": True})
        finally:
            told.cancel()

    def tagged(self, web: ASGIApp) -> ASGIApp:
        """The application's pages, each that a browser of this machine loads with the script tag in it."""

        async def pages(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and _is_visit(scope):
                token = self.token  # before the page is made: what changes meanwhile may not be in it
                send = _Tagging(send, partial(tag, token, is_posted=scope["method"] != "GET"))
            await web(scope, receive, send)

        return pages


class _Tagging:
    """One answer on its way: a whole page is held until its end is known, everything else passes."""

    def __init__(self, send: Send, make: Callable[..., str]) -> None:
        self._send = send
        self._make = make
        self._start: Message | None = None
        self._nonce = ""
        self._body = b""

    async def __call__(self, message: Message) -> None:
        """Pass a message on, now or with those that follow."""
        if message["type"] == "http.response.start" and (nonce := _allowed(message["headers"])) is not None:
            self._start, self._nonce = message, nonce
        elif self._start is None:
            await self._send(message)
        elif message["type"] != "http.response.body":  # a file that the server itself sends, or what else there may be
            start, self._start = self._start, None
            await self._send(start)
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_page(self._start)

    async def _send_page(self, start: Message) -> None:
        *_, end = [None, *_BODY_ENDS.finditer(self._body)]
        if end is not None:
            made = self._make(nonce=self._nonce).encode()
            self._body = self._body[: end.start()] + made + self._body[end.start() :]
            length = (b"content-length", str(len(self._body)).encode())
            start = {**start, "headers": [*(pair for pair in start["headers"] if pair[0].lower() != b"content-length"), length]}
        self._start = None
        await self._send(start)
        await self._send({"type": "http.response.body", "body": self._body})


def _is_visit(scope: Scope) -> bool:
    """Whether a browser loads a page to show it. Fetch Metadata Request Headers, section 2.1: programs do not say so."""
    return scope["method"] in ("GET", "POST") and (b"sec-fetch-dest", b"document") in scope["headers"] and is_from_here(scope)


def _allowed(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The nonce with which the script may run in this page, empty when it needs none; None: the answer is not to be touched."""
    given: dict[bytes, list[str]] = {}
    for name, value in headers:
        given.setdefault(name.lower(), []).append(value.decode("latin-1"))
    length = given.get(b"content-length", [""])[0]
    is_page = given.get(b"content-type", [""])[0].lower().startswith("text/html")
    if not is_page or not length.isdigit() or int(length) > MAX_PAGE_BYTES or {b"content-encoding", b"etag"} & given.keys():
        return None
    nonces: set[str] = set()
    for policy in (part for line in given.get(b"content-security-policy", ()) for part in line.split(",")):
        nonce = _nonce_of(policy)
        if nonce is None:
            return None
        nonces |= {nonce} - {""}
    return "" if not nonces else nonces.pop() if len(nonces) == 1 else None


def _nonce_of(policy: str) -> str | None:
    """The same for one policy. W3C CSP Level 3, sections 6.6 and 6.7."""
    found = [words for directive in policy.split(";") if (words := directive.split())]
    directives: dict[str, Sequence[str]] = {name.lower(): sources for name, *sources in reversed(found)}  # the first one counts
    if "sandbox" in directives:
        return None
    everything = directives.get("default-src", ["*"])
    scripts = directives.get("script-src-elem", directives.get("script-src", everything))
    if not {"'self'", "*"}.intersection(directives.get("connect-src", everything)):
        return None
    nonce = _NONCE.search(" ".join(scripts))
    if nonce is not None:
        return nonce[1]
    return "" if {"'self'", "*"}.intersection(scripts) and "'strict-dynamic'" not in scripts else None


async def _disconnected(receive: Receive) -> None:
    with contextlib.suppress(Exception):
        while (await receive())["type"] != "http.disconnect":
            pass
