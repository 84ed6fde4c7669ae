"""lazyapp/drain.py: event streams end with the end of their bodies when the run does."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi.responses import StreamingResponse

from lazyapp.app import App
from lazyapp.config import Config
from lazyapp.drain import is_event_stream
from lazyapp.settings import Settings
from tests.flows.served import served


class Site:
    """An application with an event stream and an endless download, and what its streams lived through."""

    def __init__(self) -> None:
        self.app = App(Config(name="streams"), settings=Settings(env="test"))
        self.said: asyncio.Queue[str] = asyncio.Queue()
        self.app.get("/events")(self.events)
        self.app.get("/download")(self.download)

    async def events(self) -> StreamingResponse:
        return StreamingResponse(self._pieces(), media_type="text/event-stream")

    async def download(self) -> StreamingResponse:
        return StreamingResponse(self._pieces(), media_type="application/zip")

    async def _pieces(self) -> AsyncIterator[str]:
        yield "data: first\n\n"
        try:
            await asyncio.Event().wait()
        finally:
            self.said.put_nowait("cleaned up")


@pytest.fixture
async def site() -> Site:
    return Site()


async def test_an_event_stream_ends_properly_and_its_clean_up_runs(site: Site) -> None:
    """RFC 9112, section 8: a body without its last chunk is an incomplete message; an EventSource would report an error."""
    async with served(site.app, lifespan="on") as origin, httpx2.AsyncClient() as client:
        async with client.stream("GET", f"{origin}/events") as answer:
            pieces = answer.aiter_text()
            assert await anext(pieces) == "data: first\n\n"
            assert site.app.drain.open_streams == 1
            site.app.end_streams()
            assert [piece async for piece in pieces] == []
        assert await site.said.get() == "cleaned up"
        late = await client.get(f"{origin}/events")
        assert late.status_code == 200, "one that comes after the end ends at once"
        assert site.app.drain.open_streams == 0


async def test_a_download_is_no_event_stream_and_is_not_called_whole(site: Site) -> None:
    """RFC 9112, section 8: what was cut short must not look complete."""
    async with served(site.app, lifespan="on") as origin, httpx2.AsyncClient() as client:
        async with client.stream("GET", f"{origin}/download") as answer:
            pieces = answer.aiter_text()
            await anext(pieces)
            site.app.end_streams()
            await asyncio.sleep(0)
            assert site.app.drain.open_streams == 0
            assert site.said.empty()
        assert await site.said.get() == "cleaned up", "when its client leaves"


async def test_a_cancellation_of_somebody_else_is_not_taken_for_ours(site: Site) -> None:
    """A deadline that cancels the request, for instance; swallowed, the task would go on."""
    started = asyncio.Event()

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.body":
            started.set()

    async def receive() -> dict[str, object]:
        await asyncio.Event().wait()
        raise AssertionError

    scope = {"type": "http", "method": "GET", "path": "/events", "headers": [(b"host", b"localhost")], "query_string": b""}
    scope |= {"scheme": "http", "server": ("localhost", 80), "client": ("127.0.0.1", 1), "root_path": "", "http_version": "1.1"}
    async with site.app.router.lifespan_context(site.app):
        request = asyncio.create_task(site.app(scope, receive, send))
        await started.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert site.app.drain.open_streams == 0


async def test_readiness_ends_with_the_beginning_of_the_end_and_a_new_run_is_ready(site: Site) -> None:
    """Design 3: `/readyz` is 503 while draining. A lifespan may run twice."""
    for _ in range(2):
        async with site.app.router.lifespan_context(site.app):
            assert (await site.app.readiness())["status"] == "ready"
            site.app.drain.begin()
            assert site.app.is_draining
            assert await site.app.readiness() == {"status": "draining"}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([(b"content-type", b"text/event-stream; charset=utf-8")], True),
        ([(b"Content-Type", b"Text/Event-Stream")], True),
        ([(b"content-type", b"text/html")], False),
        ([], False),
    ],
)
def test_an_event_stream_is_known_by_its_type(headers: list[tuple[bytes, bytes]], expected: bool) -> None:
    """HTML Living Standard, section 9.2."""
    assert is_event_stream(headers) is expected
