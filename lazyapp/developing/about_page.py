"""A page of the application as its action answers it, asked for within this process."""

import asyncio
from collections.abc import MutableMapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field

MAX_BODY_BYTES = 200_000
TIMEOUT_S = 10.0


class Whole(Protocol):
    """The whole application, as a server calls it."""

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None: ...


class Page(BaseModel):
    """What a GET was answered."""

    status: int
    headers: dict[str, str]
    body: str = Field(description="As text; cut when it is long, and empty for what is no text.")
    is_cut: bool = False


def nobody() -> AbstractContextManager[None]:
    """Signs nobody in."""
    return nullcontext()


async def get(app: Whole, path: str, *, host: str, accept: str, caller: AbstractContextManager[None]) -> Page:
    """GET a path, signed in as the caller.

    Args:
        app: the application.
        path: with its query, `/accounts?active=true`.
        host: the name under which it is asked.
        accept: which kind of answer is wanted.
        caller: signs somebody in.

    Raises:
        ValueError: the path is none; the message says what one is.
        TimeoutError: there was no whole answer within TIMEOUT_S.
    """
    parts = urlsplit(path)
    is_text = not any("\ud800" <= letter <= "\udfff" for letter in path)
    if parts.scheme or parts.netloc or not parts.path.startswith("/") or not is_text:
        raise ValueError("path is a path of this application such as /accounts?active=true.")
    scope = _scope(parts.path, parts.query, host, accept)
    answer = _Answer()
    with caller:
        task = asyncio.ensure_future(app(scope, answer.receive, answer.send))
    full = asyncio.ensure_future(answer.full.wait())
    try:
        done, _ = await asyncio.wait({task, full}, timeout=TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()  # whoever asked has left
        raise
    finally:
        full.cancel()
    is_late = not done
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=1)
    elif task.exception() is not None:
        raise task.exception()  # type: ignore[misc]
    if is_late and not answer.status:
        raise TimeoutError(f"{path} was not answered within {TIMEOUT_S:g} seconds.")
    return answer.page(is_late)


def _scope(path: str, query: str, host: str, accept: str) -> dict[str, Any]:
    """The request, as a server hands it over."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.5"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": quote(path, safe="/%").encode(),
        "query_string": quote(query, safe="=&%+,;:@/?~!$'()*").encode(),
        "root_path": "",
        "headers": [(b"host", host.encode("latin-1")), (b"accept", accept.encode("latin-1", "replace"))],
        "client": ("127.0.0.1", 0),
        "server": None,
        "state": {},
    }


class _Answer:
    """An answer while it comes, up to MAX_BODY_BYTES; what is longer, or never ends, is left there."""

    def __init__(self) -> None:
        self.status = 0
        self.full = asyncio.Event()
        self._headers: list[tuple[bytes, bytes]] = []
        self._body = bytearray()
        self._is_sent = False

    async def receive(self) -> MutableMapping[str, Any]:
        if not self._is_sent:
            self._is_sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await asyncio.Event().wait()  # the client stays until the answer is whole
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self._headers = message["status"], list(message.get("headers", ()))
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")[: MAX_BODY_BYTES + 1 - len(self._body)]
            if len(self._body) > MAX_BODY_BYTES:
                self.full.set()

    def page(self, is_late: bool) -> Page:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in self._headers}
        kind = headers.get("content-type", "")
        is_text = kind.startswith("text/") or any(word in kind for word in ("json", "xml", "javascript"))
        body = bytes(self._body[:MAX_BODY_BYTES]).decode("utf-8", "replace") if is_text else ""
        kept = {name: value for name, value in headers.items() if name != "set-cookie"}
        return Page(status=self.status, headers=kept, body=body, is_cut=is_late or self.full.is_set())
