"""`lazyapp.testing.transport`: requests in this process."""

import asyncio
import logging
from typing import Any

import httpx2
import pytest

from lazyapp.testing.transport import FAILURES, InProcess, failures_kept

START: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": []}


def http(app: Any) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=InProcess(app), base_url="http://test")


async def test_an_answer_is_read_while_it_is_written() -> None:
    """A tool's question comes over the stream that its answer will come over."""
    answered = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": b"question", "more_body": True})
        await answered.wait()
        await send({"type": "http.response.body", "body": b"answer"})

    async with http(app) as client, client.stream("GET", "/") as response:
        chunks = response.aiter_raw()
        assert await anext(chunks) == b"question"
        answered.set()
        assert await anext(chunks) == b"answer"


async def test_who_leaves_early_is_noticed() -> None:
    """ASGI: `http.disconnect`."""
    heard: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        heard.append((await receive())["body"].decode())
        await send(START)
        await send({"type": "http.response.body", "body": b"1", "more_body": True})
        heard.append((await receive())["type"])

    async with http(app) as client, client.stream("POST", "/", content=b"body") as response:
        await anext(response.aiter_raw())
    assert heard == ["body", "http.disconnect"]


async def test_what_the_application_raises_is_raised() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise LookupError("no such shelf")

    async with http(app) as client:
        with pytest.raises(LookupError, match="no such shelf"):
            await client.get("/")


async def test_an_application_that_says_nothing_is_named() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        pass

    async with http(app) as client:
        with pytest.raises(RuntimeError, match="the application answered nothing"):
            await client.get("/")


async def test_failures_are_kept_with_the_answer_that_they_belong_to() -> None:
    """Of two requests at once, each has its own."""
    both = asyncio.Barrier(2)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await both.wait()
        try:
            raise LookupError(scope["path"])
        except LookupError:
            logging.getLogger("lazyapp").exception("failed")
        await send(START)
        await send({"type": "http.response.body", "body": b""})

    with failures_kept():
        async with http(app) as client:
            answers = await asyncio.gather(client.get("/a"), client.get("/b"))
    assert [[str(error) for error in answer.extensions[FAILURES]] for answer in answers] == [["/a"], ["/b"]]
    assert not [handler for handler in logging.getLogger("lazyapp").handlers if "Collector" in type(handler).__name__]
