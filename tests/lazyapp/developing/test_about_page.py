"""lazyapp/developing/about_page.py: a page of the application, asked for within this process."""

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from lazyapp.developing import about_page
from lazyapp.developing.about_page import get, nobody
from tests.lazyapp.developing.library import asked_about

ASKED = {"host": "localhost:3000", "accept": "text/html"}


async def test_a_page_is_answered_as_its_action_answers_it(tmp_path: Path) -> None:
    """docs/about.md, "Pages"."""
    async with asked_about(tmp_path) as agent:
        page = await agent.call("get_page", path="/")
        assert (page["status"], "<p>Hello nobody</p>" in page["body"]) == (200, True)
        assert "<p>Hello admin</p>" in (await agent.call("get_page", path="/", user="admin"))["body"]
        assert "called 'eve'" in await agent.refused("get_page", path="/", user="eve")


async def test_an_error_page_may_be_read_as_markdown(tmp_path: Path) -> None:
    """docs/controllers.md: the detailed error page."""
    async with asked_about(tmp_path) as agent:
        page = await agent.call("get_page", path="/broken", accept="text/markdown")
        assert page["status"] == 500
        assert page["body"].startswith("# RuntimeError at GET /broken")


@pytest.mark.parametrize("path", ["", "accounts", "http://example.com/", "//example.com/", "https:/x", "/\ud800"])
async def test_only_paths_of_the_application_are_asked_for(path: str) -> None:
    """OWASP, Server-Side Request Forgery: no other host is ever asked."""

    async def nothing(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        raise AssertionError(scope)

    with pytest.raises(ValueError, match="a path of this application"):
        await get(nothing, path, caller=nobody(), **ASKED)


async def test_a_strange_path_is_answered(tmp_path: Path) -> None:
    """RFC 9110, section 15.5: what is malformed is the client's mistake."""
    async with asked_about(tmp_path) as agent:
        for path in ("/é?q=ü", "/%00", "/\x00", "/a b", "/%zz", "/?%zz", "/\r\nx: y"):
            assert (await agent.call("get_page", path=path))["status"] in (200, 400, 404), path


async def test_an_endless_page_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/about.md, "Pages": 200 kB, ten seconds."""
    monkeypatch.setattr(about_page, "TIMEOUT_S", 0.2)
    ended = asyncio.Event()

    async def stream(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
            await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
            await asyncio.Event().wait()
        finally:
            ended.set()

    page = await get(stream, "/stream", caller=nobody(), **ASKED)
    assert (page.status, page.body, page.is_cut) == (200, "data: 1\n\n", True)
    await ended.wait()


async def test_a_page_without_an_end_is_cut() -> None:
    """docs/about.md, "Pages": 200 kB, ten seconds."""

    async def endless(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        while True:
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            await asyncio.sleep(0)

    page = await get(endless, "/", caller=nobody(), **ASKED)
    assert (len(page.body), page.is_cut) == (about_page.MAX_BODY_BYTES, True)


async def test_what_never_answers_and_what_fails_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """style.md, "Errors"."""
    monkeypatch.setattr(about_page, "TIMEOUT_S", 0.1)

    async def silent(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await receive()

    async def failing(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        raise RuntimeError("no page")

    with pytest.raises(TimeoutError, match=r"within 0\.1 seconds"):
        await get(silent, "/", caller=nobody(), **ASKED)
    with pytest.raises(RuntimeError, match="no page"):
        await get(failing, "/", caller=nobody(), **ASKED)


async def test_who_leaves_leaves_no_request_behind() -> None:
    """MCP 2026-07-28, basic/utilities/cancellation: what is no longer wanted is not done."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asking = asyncio.create_task(get(slow, "/", caller=nobody(), **ASKED))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.wait_for(ended.wait(), 10)


async def test_no_cookie_and_no_bytes_are_shown() -> None:
    """docs/about.md, "Secrets"."""

    async def picture(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"image/png"), (b"set-cookie", b"session=secret")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"\x89PNG"})

    page = await get(picture, "/", caller=nobody(), **ASKED)
    assert (page.headers, page.body) == ({"content-type": "image/png"}, "")
