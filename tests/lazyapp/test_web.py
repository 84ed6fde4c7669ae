"""The layer around FastAPI, seen from outside."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request, Response, WebSocket
from fastapi.responses import StreamingResponse
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from lazyapp.controller import Controller
from lazyapp.routes import Routes
from tests.lazyapp.site import Site


class HomeController(Controller):
    async def index(self) -> None: ...

    async def about(self) -> dict[str, Any]:
        return {"seen": self.session.get("seen", "never")}

    async def fail(self) -> None:
        raise RuntimeError("hush-hush")

    async def overfill(self) -> Response:
        self.session["draft"] = "".join(chr(0x4E00 + n * 7 % 9000) for n in range(3000))
        return Response("kept")

    async def own_policy(self) -> Response:
        return Response("x", headers={"content-security-policy": "default-src *"})

    async def halfway(self) -> Response:
        async def parts() -> AsyncIterator[bytes]:
            yield b"one"
            raise RuntimeError("too late")

        return StreamingResponse(parts())

    async def body(self, request: Request) -> Response:
        return Response(str(len(await request.body())))

    async def asked(self) -> Response:
        return Response(await self.request.body())

    async def remember(self) -> Response:
        self.session["seen"] = "once"
        return Response("ok")


def draw(routes: Routes) -> None:
    routes.root(HomeController.index)
    routes.get("/about", HomeController.about)
    for action in ("fail", "overfill", "own_policy", "halfway", "remember", "asked"):
        routes.get(f"/{action}", getattr(HomeController, action))
    routes.post("/body", HomeController.body)


FILES = {
    "views/home/index.html.j2": "<script nonce='{{ csp_nonce() }}'>{{ csp_nonce() }}</script>{{ current_path() }} "
    "{{ public_url('/x') }} {{ asset_path('app.css') }} {{ path_for('about') }}",
    "views/home/about.html.j2": "about {{ seen }} {{ current_path() }}",
    "public/app.css": "body{}",
    "public/about": "a file wins",
}
ABOUT = {name: text for name, text in FILES.items() if name != "public/about"}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, draw, ABOUT)


def test_an_answer_carries_the_security_headers_and_what_the_action_said_wins(site: Site) -> None:
    """Design, section 3."""
    client = site.client()
    answer = client.get("/about")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert client.get("/own_policy").headers["content-security-policy"] == "default-src *"


def test_a_page_that_asks_for_a_nonce_gets_the_same_one_in_its_policy(site: Site) -> None:
    """CSP 3, 2.3.1: unguessable, another one each time."""
    client = site.client()
    first, second = client.get("/"), client.get("/")
    nonce = first.text.partition("nonce='")[2].partition("'")[0]
    assert len(nonce) >= 22
    assert f"'nonce-{nonce}'" in first.headers["content-security-policy"]
    assert f">{nonce}<" in first.text
    assert nonce not in second.text


def test_helpers_know_the_page(site: Site) -> None:
    """Design, section 6."""
    assert site.client().get("/").text.endswith("/ http://testserver/x /app.css /about")


def test_a_trailing_slash_answers_like_without(site: Site) -> None:
    """Issue 2: no redirect."""
    answer = site.client().get("/about/")
    assert (answer.status_code, answer.text) == (200, site.client().get("/about").text)
    assert site.client().get("/nowhere/").status_code == 404
    assert site.client().post("/body/", content=b"abc").text == "3"


def test_head_answers_the_headers_of_get(site: Site) -> None:
    """RFC 9110, 9.3.2."""
    client = site.client()
    got, head = client.get("/about"), client.head("/about")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", got.headers["content-length"])
    assert client.head("/body").status_code == 405
    assert client.head("/about/").status_code == 200


def test_a_public_file_comes_before_a_route(tmp_path: Path) -> None:
    """Design, section 3: public files at the root path."""
    client = Site(tmp_path, draw, FILES).client()
    assert client.get("/about").text == "a file wins"
    answer = client.get("/app.css")
    assert (answer.text, answer.headers["x-frame-options"]) == ("body{}", "DENY")


@pytest.mark.parametrize("env", ["development", "production"])
@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST", "OPTIONS"])
def test_a_public_file_can_only_be_read(tmp_path: Path, env: str, method: str) -> None:
    """RFC 9110, 15.5.6."""
    client = Site(tmp_path, draw, FILES, env=env).client()
    answer = client.request(method, "/app.css")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert client.request(method, "/other.css").status_code == 404


def test_an_unexpected_error_is_a_page_with_a_number_and_one_line_in_the_log(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Design, section 3: a stranger learns an id, the developer finds the traceback under it."""
    page = site.client().get("/fail", headers={"x-request-id": "abc-12345"})
    assert page.status_code == 500
    assert page.headers["x-request-id"] == "abc-12345"
    assert "abc-12345" in page.text
    assert "hush" not in page.text
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.getMessage() == "request abc-12345: GET /fail failed"
    assert "RuntimeError: hush-hush" in caplog.text


def test_a_request_id_that_is_no_id_is_replaced(site: Site) -> None:
    """A stranger does not write into our log."""
    page = site.client().get("/fail", headers={"x-request-id": "a b\\n<x>"})
    assert len(page.headers["x-request-id"]) == 16


def test_an_error_after_the_answer_began_is_logged_once(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing can be told to the visitor any more."""
    assert site.client().get("/halfway").text == "one"
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.getMessage().endswith("GET /halfway failed")


def test_a_session_that_does_not_fit_is_an_error_page_and_the_old_one_is_kept(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """RFC 6265bis, 5.7; issue 2: nothing is lost."""
    client = site.client()
    client.get("/remember")
    page = client.get("/overfill")
    assert page.status_code == 500
    assert "its largest value is 'draft'" in caplog.text
    assert "about once" in client.get("/about").text


def test_an_unknown_host_is_told_what_to_set(site: Site) -> None:
    """RFC 9110, 15.5.20."""
    answer = site.client().get("/", headers={"host": "evil.test"})
    assert (answer.status_code, answer.headers["content-type"]) == (421, "text/plain; charset=utf-8")
    assert "ALLOWED_HOSTS" in answer.text
    problem = site.client(headers={"accept": "application/json"}).get("/", headers={"host": "evil.test"})
    assert (problem.status_code, problem.json()["status"]) == (421, 421)


def test_a_change_from_another_site_is_refused(site: Site) -> None:
    """Design, section 3."""
    client = site.client(headers={"sec-fetch-site": "cross-site"})
    assert client.post("/body", content=b"abc").status_code == 403
    assert site.client().post("/body", content=b"abc").text == "3"


def test_a_body_that_grows_too_large_is_refused(site: Site) -> None:
    """RFC 9110, 15.5.14."""

    def parts() -> Any:
        for _ in range(17):
            yield b"x" * 1024 * 1024

    assert site.client().post("/body", content=parts()).status_code == 413


@pytest.mark.parametrize(("method", "path"), [("POST", "/body"), ("GET", "/asked")])
async def test_a_body_that_stops_coming_is_refused(tmp_path: Path, method: str, path: str) -> None:
    """RFC 9110, 15.5.9: 408, and the connection is closed; a page that passes FastAPI's stack by is no exception."""
    site = Site(tmp_path, draw, ABOUT, security_options={"body_timeout_s": 0.05})
    sent: list[Any] = []
    parts = [{"type": "http.request", "body": b"a", "more_body": True}]

    async def receive() -> dict[str, Any]:
        return parts.pop() if parts else await asyncio.get_running_loop().create_future()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"testserver"), (b"sec-fetch-site", b"same-origin"), (b"content-length", b"3")]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "scheme": "http", "headers": headers}
    await site.app({**scope, "http_version": "1.1", "root_path": "", "client": None, "server": None}, receive, send)
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_websocket_has_a_session_and_is_refused_from_another_site(site: Site) -> None:
    """RFC 6455, 10.2."""

    @site.fastapi.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(socket.scope["session"].get("seen", "never"))
        await socket.close()

    client = site.client()
    client.get("/remember")
    with client.websocket_connect("/live", headers={"origin": "http://testserver"}) as socket:
        assert socket.receive_text() == "once"
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/live", headers={"origin": "https://evil.test"}),
    ):
        pass


def test_starlettes_request_session_is_ours(site: Site) -> None:
    """A FastAPI developer feels at home."""

    @site.fastapi.get("/count")
    async def count(request: Request) -> int:
        request.session["count"] = request.session.get("count", 0) + 1
        return int(request.session["count"])

    client = site.client()
    assert [client.get("/count").json() for _ in range(3)] == [1, 2, 3]


def test_an_application_that_sends_the_same_message_to_everybody_gives_nobody_anothers_headers(site: Site) -> None:
    """ASGI allows it, and who writes one by hand keeps the start of an answer as a constant."""
    start = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}

    async def constant(scope: Any, receive: Any, send: Any) -> None:
        Request(scope).session["who"] = scope["path"]
        await send(start)
        await send({"type": "http.response.body", "body": b"hello"})

    site.fastapi.mount("/constant", constant)
    answers = [site.client().get(f"/constant/{name}").headers for name in ("ann", "bo")]
    assert answers[0]["x-request-id"] != answers[1]["x-request-id"]
    assert answers[0]["set-cookie"] != answers[1]["set-cookie"]
    assert start["headers"] == [(b"content-type", b"text/plain")]


def test_only_the_documentation_may_load_its_scripts(site: Site) -> None:
    """FastAPI's /docs works."""
    assert "https://cdn.jsdelivr.net" in site.client().get("/docs").headers["content-security-policy"]
    assert "cdn" not in site.client().get("/about").headers["content-security-policy"]


async def test_a_visitor_who_leaves_while_sending_is_no_error(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody is there to be answered."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"testserver"), (b"sec-fetch-site", b"same-origin")]
    scope = {"type": "http", "method": "POST", "path": "/body", "query_string": b"", "scheme": "http", "headers": headers}
    await site.app({**scope, "http_version": "1.1", "root_path": "", "client": None, "server": None}, receive, send)
    assert sent == []
    assert caplog.records == []


def test_lifespan_passes_through(site: Site) -> None:
    """FastAPI's own lifespan runs."""
    with TestClient(site.app) as client:
        assert client.get("/about").status_code == 200
