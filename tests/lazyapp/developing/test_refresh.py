"""Open pages are told that they are out of date: the script tag, and the stream it listens to."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.responses import HTMLResponse, StreamingResponse

import lazyapp
from lazyapp.developing.refresh import Refresh
from lazyapp.drain import Drain
from lazyapp.settings import Settings

BODY = b"<html><body><p>\xe2\x9c\x93 </body> is a tag</p></BODY ></html>"
HTML = (b"content-type", b"text/html; charset=utf-8")
VISIT = (b"sec-fetch-dest", b"document")
LENGTH = (b"content-length", str(len(BODY)).encode())
STRICT = b"default-src 'self'; script-src 'self'"


def scope(*headers: tuple[bytes, bytes], method: str = "GET", peer: str = "127.0.0.1", path: str = "/") -> dict[str, Any]:
    every = [(b"host", b"localhost:3000"), *headers]
    return {
        "type": "http",
        "scheme": "http",
        "method": method,
        "path": path,
        "headers": every,
        "client": (peer, 1),
        "query_string": b"",
    }


async def answered(
    headers: Sequence[tuple[bytes, bytes]], *bodies: bytes, of: Mapping[str, Any], is_open: bool = False
) -> list[dict[str, Any]]:
    """What becomes of an answer, message by message."""
    sent: list[dict[str, Any]] = []

    async def web(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number, body in enumerate(bodies, 1):
            await send({"type": "http.response.body", "body": body, "more_body": is_open or number < len(bodies)})

    async def send(message: Any) -> None:
        sent.append(message)

    await Refresh(Drain()).tagged(web)(dict(of), _never, send)
    return sent


async def test_a_page_gets_one_tag_at_its_end_and_its_length_is_right() -> None:
    """RFC 9110, section 8.6. A page comes in one piece, or in several from a middleware that hands it on."""
    for pieces in ((BODY,), (BODY[:20], BODY[20:], b"")):
        start, body = await answered([HTML, LENGTH], *pieces, of=scope(VISIT))
        assert b"</body> is a tag</p><script src=" in body["body"]
        assert body["body"].count(b"<script") == 1
        assert body["body"].endswith(b"></script></BODY ></html>")
        assert dict(start["headers"])[b"content-length"] == str(len(body["body"])).encode()


async def test_the_answer_to_a_form_says_so() -> None:
    """Loaded again, it would send the form again: HTML Living Standard, section 7.4.3."""
    for method, is_posted in (("POST", True), ("GET", False)):
        *_, body = await answered([HTML, LENGTH], BODY, of=scope(VISIT, method=method))
        assert (b" data-posted" in body["body"]) is is_posted


@pytest.mark.parametrize(
    ("headers", "of"),
    [
        ([HTML, LENGTH], scope()),
        ([HTML, LENGTH], scope((b"sec-fetch-dest", b"iframe"))),
        ([HTML, LENGTH], scope((b"sec-fetch-dest", b"empty"))),
        ([HTML, LENGTH], scope(VISIT, peer="192.168.1.9")),
        ([HTML, LENGTH], scope(VISIT, (b"x-forwarded-for", b"203.0.113.9"))),
        ([HTML, LENGTH], scope(VISIT, method="HEAD")),
        ([HTML], scope(VISIT)),
        ([HTML, LENGTH, (b"content-encoding", b"gzip")], scope(VISIT)),
        ([HTML, LENGTH, (b"etag", b'"1"')], scope(VISIT)),
        ([(b"content-type", b"text/plain"), LENGTH], scope(VISIT)),
        ([HTML, (b"content-length", b"999999999")], scope(VISIT)),
    ],
)
async def test_everything_else_passes_as_it_is(headers: list[tuple[bytes, bytes]], of: dict[str, Any]) -> None:
    """Programs, frames, other machines, streams, files, what is packed already."""
    start, body = await answered(headers, BODY, of=of)
    assert (start["headers"], body["body"]) == (headers, BODY)


async def test_a_stream_is_not_held(  # nothing of it waits for its end
) -> None:
    sent = await answered([HTML], b"<body>", b"more", of=scope(VISIT), is_open=True)
    assert [message.get("body") for message in sent] == [None, b"<body>", b"more"]


async def test_what_the_server_sends_by_itself_keeps_its_beginning() -> None:
    """The extension `http.response.pathsend` of ASGI."""
    sent: list[Any] = []

    async def web(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [HTML, LENGTH]})
        await send({"type": "http.response.pathsend", "path": "/tmp/page.html"})

    async def send(message: Any) -> None:
        sent.append(message["type"])

    await Refresh(Drain()).tagged(web)(scope(VISIT), _never, send)
    assert sent == ["http.response.start", "http.response.pathsend"]


@pytest.mark.parametrize(
    ("policies", "tag"),
    [
        ([STRICT], b"<script src="),
        ([b"default-src 'none'; script-src 'self' 'nonce-abc'; connect-src 'self'"], b' nonce="abc"></script>'),
        ([b"script-src 'strict-dynamic' 'nonce-abc'"], b' nonce="abc"></script>'),
        ([b"script-src-elem 'self'; script-src 'none'"], b"<script src="),
        ([STRICT, b"script-src 'nonce-abc'"], b' nonce="abc"></script>'),
        ([b"default-src 'none'"], b""),
        ([b"script-src 'none'"], b""),
        ([b"script-src 'strict-dynamic' 'self'"], b""),
        ([b"connect-src https://api.example.com"], b""),
        ([b"sandbox; script-src 'self'"], b""),
        ([b"script-src 'nonce-a', script-src 'nonce-b'"], b""),
        ([b"script-src 'none'; script-src 'self'"], b""),
    ],
)
async def test_a_policy_is_kept_and_a_page_whose_policy_forbids_it_gets_no_tag(policies: list[bytes], tag: bytes) -> None:
    """W3C CSP Level 3, sections 2.2.1, 6.6 and 6.7: no policy is changed, and the console stays quiet."""
    given = [(b"content-security-policy", policy) for policy in policies]
    start, body = await answered([HTML, LENGTH, *given], BODY, of=scope(VISIT))
    assert [pair for pair in start["headers"] if pair[0] == b"content-security-policy"] == given
    assert (tag in body["body"]) if tag else (body["body"] == BODY)


async def _never() -> dict[str, Any]:
    raise AssertionError("nothing is read")


class Stream:
    """One listener of the stream."""

    def __init__(self, refresh: Refresh) -> None:
        self.said: asyncio.Queue[Any] = asyncio.Queue()
        self.gone = asyncio.Event()
        self.task = asyncio.create_task(refresh.changes(scope(path="/_lazy/changes"), self._receive, self.said.put))

    async def _receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}


@pytest.fixture
async def drain() -> Drain:
    return Drain()


@pytest.fixture
async def listening(drain: Drain) -> AsyncIterator[tuple[Refresh, Stream]]:
    refresh = Refresh(drain)
    stream = Stream(refresh)
    assert (await stream.said.get())["status"] == 200
    yield refresh, stream
    stream.gone.set()
    await asyncio.wait_for(stream.task, 10)


async def test_the_stream_tells_the_state_and_each_that_follows(listening: tuple[Refresh, Stream]) -> None:
    """HTML Living Standard, section 9.2.6."""
    refresh, stream = listening
    first = refresh.token
    assert (await stream.said.get())["body"] == f"retry: 250\ndata: {first}\n\n".encode()
    refresh.changed()
    assert refresh.token != first
    assert (await stream.said.get())["body"].endswith(f"data: {refresh.token}\n\n".encode())


async def test_the_stream_ends_properly_with_the_run(listening: tuple[Refresh, Stream], drain: Drain) -> None:
    """docs/development.md: no listener holds up a reload, and each sees an end and no fault."""
    _, stream = listening
    await stream.said.get()
    drain.end_streams()
    await asyncio.wait_for(stream.task, 10)
    assert stream.said.get_nowait() == {"type": "http.response.body", "body": b""}
    assert drain.open_streams == 0
    await asyncio.sleep(0)  # what was cancelled has its turn to end
    assert "Event.wait" not in {task.get_coro().__qualname__ for task in asyncio.all_tasks()}


@contextlib.asynccontextmanager
async def visited(env: str, root: Path, **more: Any) -> AsyncIterator[httpx2.AsyncClient]:
    app = lazyapp.App(
        lazyapp.Config(name="tiny"),
        settings=Settings(env=env, root=root, secret_key="k" * 32, **more),
    )

    @app.get("/page")
    async def page() -> HTMLResponse:
        return HTMLResponse(BODY.decode())

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        return StreamingResponse(iter([BODY]), media_type="text/html")

    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://localhost:3000", headers={"sec-fetch-dest": "document"}
        ) as client:
            yield client


async def test_only_development_touches_a_page_and_only_when_it_may(tmp_path: Path) -> None:
    """In production not a byte of a page changes, and nothing of this is there."""
    async with visited("development", tmp_path) as client:
        assert b"/_lazy/refresh.js" in (await client.get("/page")).content
        assert (await client.get("/stream")).content == BODY
        script = await client.get("/_lazy/refresh.js")
        assert (script.status_code, script.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
        assert (await client.get("/_lazy/changes", headers={"sec-fetch-site": "cross-site"})).status_code == 404
        assert (await client.post("/_lazy/changes")).status_code == 405
    async with visited("development", tmp_path, refresh=False) as client:
        assert (await client.get("/page")).content == BODY
    async with visited("production", tmp_path) as client:
        assert (await client.get("/page")).content == BODY
        assert (await client.get("/_lazy/refresh.js")).status_code == 404
        assert (await client.get("/_lazy/changes")).status_code == 404
