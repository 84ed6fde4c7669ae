"""Answers that are sent piece by piece: through a whole site, and with a connection whose end the test decides."""

import asyncio
from collections.abc import AsyncIterator, Callable, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import Response
from fastapi.sse import ServerSentEvent
from pydantic import BaseModel

from lazyapp.controller import Controller
from lazyapp.drain import Drain
from lazyapp.routes import Routes
from lazyapp.streams import EventStream, Stream
from tests.lazyapp.site import Site

Message = MutableMapping[str, Any]


class Price(BaseModel):
    of: str
    cents: int


class FeedController(Controller):
    async def export(self) -> Response:
        async def rows() -> AsyncIterator[str | bytes]:
            yield "name\n"
            yield b"ada\n"

        return self.send_stream(rows(), media_type="text/csv")

    async def events(self) -> Response:
        seen = self.last_event_id

        async def events() -> AsyncIterator[object]:
            yield f"after {seen}\nnext line"
            yield Price(of="tea", cents=250)
            yield ServerSentEvent(data={"a": 1}, event="price", id="7", retry=3000)
            yield ServerSentEvent(raw_data="<b>raw</b>", comment="note")
            yield ServerSentEvent(comment="only a comment")

        return self.send_events(events())

    async def broken(self) -> Response:
        async def rows() -> AsyncIterator[str]:
            yield "first"
            raise RuntimeError("no more")

        return self.send_stream(rows())


def draw(routes: Routes) -> None:
    routes.get("/export", FeedController.export)
    routes.get("/events", FeedController.events)
    routes.get("/broken", FeedController.broken)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, draw)


def test_pieces_are_sent_as_one_answer(site: Site) -> None:
    """RFC 9112, 7.1."""
    answer = site.client().get("/export")
    assert (answer.text, answer.headers["content-type"]) == ("name\nada\n", "text/csv; charset=utf-8")
    assert "content-length" not in answer.headers


def test_events_are_texts_json_or_fastapis_own(site: Site) -> None:
    """HTML Living Standard, 9.2.5."""
    answer = site.client().get("/events", headers={"last-event-id": "6"})
    assert answer.text.split("\n\n") == [
        "data: after 6\ndata: next line",
        'data: {"of":"tea","cents":250}',
        'event: price\ndata: {"a":1}\nid: 7\nretry: 3000',
        ": note\ndata: <b>raw</b>",
        ": only a comment",
        "",
    ]
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"


def test_the_first_visit_has_seen_no_event_and_an_id_may_be_any_text(site: Site) -> None:
    """HTML Living Standard, 9.2.4: the header is UTF-8."""
    client = site.client()
    assert client.get("/events").text.startswith("data: after None")
    assert client.get("/events", headers={"last-event-id": "ü".encode()}).text.startswith("data: after ü")


def test_a_head_of_a_stream_runs_none_of_it(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """RFC 9110, 9.3.2: an endless body would never let it be answered."""
    answer = site.client().head("/broken")
    assert (answer.status_code, answer.text) == (200, "")
    assert "failed" not in caplog.text


def test_an_error_in_a_stream_is_logged_and_never_ends_it_properly(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """RFC 9112, 8: an incomplete answer must not look complete."""
    connection = Connection()
    asyncio.run(connection.run(site.app, "/broken"))
    assert [message.get("body") for message in connection.sent[1:]] == [b"first"]
    assert connection.sent[-1]["more_body"] is True
    assert "GET /broken failed" in caplog.text


class Connection:
    """A client that stays until it is told to leave."""

    def __init__(self, on_body: Callable[["Connection"], None] = lambda connection: None) -> None:
        self.sent: list[Message] = []
        self.left = asyncio.Event()
        self._asked = False
        self._on_body = on_body

    async def receive(self) -> Message:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)
        if message["type"] == "http.response.body":
            self._on_body(self)

    async def run(self, app: Any, path: str = "/") -> None:
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "scheme": "http"}
        headers = [(b"host", b"testserver"), (b"accept", b"text/html")]
        more = {"headers": headers, "server": ("testserver", 80), "client": ("1.2.3.4", 5), "root_path": "", "http_version": "1.1"}
        await app({**scope, **more}, self.receive, self.send)

    @property
    def bodies(self) -> list[bytes]:
        return [message["body"] for message in self.sent[1:]]


class Endless:
    """A generator that waits for ever after its first event, and remembers what became of it."""

    def __init__(self) -> None:
        self.log: list[str] = []

    async def events(self) -> AsyncIterator[str]:
        try:
            yield "one"
            self.log.append("waiting")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.log.append("cleaned up")


@pytest.mark.parametrize("make", [EventStream, Stream])
async def test_who_leaves_cancels_the_iterator_and_its_clean_up_runs(make: Any) -> None:
    """docs/controllers.md: a visitor who leaves cancels the generator where it waits."""
    source = Endless()
    connection = Connection(lambda connection: connection.left.set())
    await asyncio.wait_for(connection.run(make(source.events())), 10)
    assert source.log[-1] == "cleaned up"
    assert connection.sent[-1]["more_body"] is True


async def test_a_connection_that_breaks_while_sending_is_who_left() -> None:
    """ASGI 2.4: send raises OSError."""
    source = Endless()

    def broken(connection: Connection) -> None:
        raise BrokenPipeError

    await asyncio.wait_for(Connection(broken).run(EventStream(source.events())), 10)
    assert source.log == ["cleaned up"]


async def test_a_quiet_stream_is_kept_alive_by_comments() -> None:
    """HTML Living Standard, 9.2.7: a comment line every 15 seconds or so."""
    source = Endless()
    connection = Connection(lambda connection: connection.left.set() if connection.bodies.count(b": ping\n\n") == 2 else None)
    await asyncio.wait_for(connection.run(EventStream(source.events(), keep_alive_s=0.001)), 10)
    assert connection.bodies == [b"data: one\n\n", b": ping\n\n", b": ping\n\n"]


async def test_a_server_that_ends_closes_the_iterator_and_ends_the_answer_properly(tmp_path: Path) -> None:
    """RFC 9112, section 8: a chunked body without its end is incomplete, and a client takes it for a fault."""
    source, drain = Endless(), Drain()

    class TickerController(Controller):
        async def ticker(self) -> Response:
            return self.send_events(source.events())

    site = Site(tmp_path, lambda routes: routes.get("/ticker", TickerController.ticker))
    site.app._drain = drain  # type: ignore[attr-defined]
    connection = Connection(lambda connection: drain.end_streams(for_good=True))
    await asyncio.wait_for(connection.run(site.app, "/ticker"), 10)
    assert source.log[-1] == "cleaned up"
    assert connection.bodies[0] == b"data: one\n\n"
    assert connection.sent[-1] == {"type": "http.response.body", "body": b""}
