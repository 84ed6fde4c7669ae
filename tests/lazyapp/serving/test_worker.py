"""One serving process, started as the supervisor starts it."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from lazyapp.serving.banner import Surface
from lazyapp.serving.link import Failed, Grace, Report
from lazyapp.serving.listening import listen, port_of
from lazyapp.serving.processes import Process, Start
from tests.lazyapp.tiny_app import NOTES_APP, PATIENCE_S, TINY_APP, facts, write_app
from tests.lazymcp.asgi_peer import Peer

GRACE = Grace(requests_s=1, process_s=PATIENCE_S)
OWN_USERS = TINY_APP.replace('name="tiny"', 'name="tiny", auth=lazyauth.MemoryUsers()').replace(
    "import os", "import os\nimport lazyauth"
)


@pytest.fixture(autouse=True)
def development(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYAPP_ENV", "development")
    for name in ("LAZYAUTH_DEFAULT_USER", "LAZYAUTH_DEFAULT_PASS"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def started(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[str, Report, Process]]:
    """Its origin, what it reported, and the process."""
    monkeypatch.chdir(folder)
    sockets = listen("127.0.0.1", 0)
    process = await Process.start()
    try:
        await process.ready()
        process.order(Start(sockets, GRACE, "brisk-otter-calm-heron-4163"))
        process.open()
        yield f"http://127.0.0.1:{port_of(sockets)}", await process.report(), process
    finally:
        await process.end(GRACE)
        for listener in sockets:
            listener.close()


async def test_it_reports_what_the_application_offers_and_ends_with_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started(write_app(tmp_path, NOTES_APP), monkeypatch) as (_, report, process):
        # Without `auth` and `oauth` its pages have no login, so nobody is named who could sign in.
        assert report == Surface(client_name="notes", modules=("notes: 1 tool",), is_password_ours=True)
    assert await process.exited() == 0


async def test_the_password_of_the_run_is_that_of_the_bootstrap_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design 7: it reaches the application through LAZYAUTH_DEFAULT_PASS."""
    async with started(write_app(tmp_path), monkeypatch) as (origin, _, _):
        assert facts(origin)["password"] == "brisk-otter-calm-heron-4163"


async def test_an_application_with_users_of_its_own_gets_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started(write_app(tmp_path, OWN_USERS), monkeypatch) as (origin, report, _):
        assert report == Surface(client_name="tiny")
        assert facts(origin)["password"] is None


async def test_a_step_that_fails_is_reported_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On its way through the server, the error of a failed start keeps its cause."""
    write_app(tmp_path, NOTES_APP.replace("scope.register(NotesMCP())", "scope.register(Missing())"))
    async with started(tmp_path, monkeypatch) as (_, report, process):
        assert isinstance(report, Failed)
        said, place, line = report.text.splitlines()
        assert said == "mcp: name 'Missing' is not defined"
        assert re.fullmatch(r"init/app\.py:\d+ in <lambda>", place)
        assert line.strip() == "mcp=lambda ctx, scope: scope.register(Missing()),"
        assert await process.exited() == 1


async def test_an_endless_header_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 6585, 5; on the event loop that is really used."""
    async with started(write_app(tmp_path), monkeypatch) as (origin, _, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(origin).port)
        writer.write(b"GET /facts HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"a" * 1024 * 1024)
        assert await reader.readline() == b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
        writer.close()


PROXIED_APP = """
import lazyapp
from fastapi import Request

app = lazyapp.App(lazyapp.Config(name="proxied"))


@app.get("/seen")
async def seen(request: Request) -> dict:
    request.session["seen"] = True
    return {"client": request.client.host, "scheme": request.url.scheme}
"""


@pytest.mark.parametrize(
    ("believed", "client", "scheme", "cookie"),
    [
        ("127.0.0.1", "203.0.113.9", "https", "__Host-lazyapp"),
        ("10.0.0.7", "127.0.0.1", "http", "lazyapp"),
        ("", "127.0.0.1", "http", "lazyapp"),
    ],
)
async def test_only_a_proxy_that_is_named_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, believed: str, client: str, scheme: str, cookie: str
) -> None:
    """RFC 7239, section 8.1: whoever can write the header could be anybody. Of several addresses the last that is no proxy counts,
    for those before it were written by the visitor."""
    (write_app(tmp_path, PROXIED_APP) / ".env").write_text(f"FORWARDED_ALLOW_IPS={believed}\n")
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    async with started(tmp_path, monkeypatch) as (origin, _, _), httpx2.AsyncClient(timeout=PATIENCE_S) as visitor:
        headers = {"X-Forwarded-For": "198.51.100.1, 203.0.113.9", "X-Forwarded-Proto": "https"}
        seen = await visitor.get(f"{origin}/seen", headers=headers)
        assert seen.json() == {"client": client, "scheme": scheme}
        name, _, rest = seen.headers["set-cookie"].partition("=")
        assert name == cookie
        assert ("; Secure" in rest) is (scheme == "https")


async def test_open_streams_do_not_hold_up_a_worker_that_drains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ends with its last event, and the worker long before its grace is over."""
    async with started(write_app(tmp_path, NOTES_APP), monkeypatch) as (origin, _, process):
        peer = Peer(None)
        message = peer.message("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        headers = {name: str(value) for name, value in peer.headers_for(message).items()}
        headers["host"] = urlsplit(origin).netloc
        patience = httpx2.Timeout(PATIENCE_S)
        async with (
            httpx2.AsyncClient(timeout=patience) as client,
            client.stream("POST", f"{origin}/mcp", headers=headers, json=message) as answer,
        ):
            lines = answer.aiter_lines()
            async for line in lines:
                if "acknowledged" in line:
                    break
            ending = asyncio.create_task(process.end(Grace(requests_s=PATIENCE_S, process_s=PATIENCE_S)))
            last = [line async for line in lines if line.startswith("data: ")][-1]
        await ending
        assert '"resultType":"complete"' in last
        assert await process.exited() == 0
