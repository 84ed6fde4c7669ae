"""lazyapp/serving/control.py: one address that tells how all processes are."""

import asyncio
import contextlib
import json
from typing import Any

import httpx2
import pytest

from lazyapp.serving.control import Answer, Control, controlled
from lazyapp.serving.listening import listen, port_of


class Worker:
    """A process that says what it is told to say; None: it does not answer."""

    def __init__(self, pid: int, readiness: dict[str, Any] | None, counted: int = 0) -> None:
        self.pid = pid
        self.readiness = readiness
        self.counted = counted

    async def ask(self, about: str, within_s: float) -> dict[str, Any] | None:
        if self.readiness is None:
            return None
        return (
            self.readiness if about == "readyz" else {"lazyapp_requests_total": {"": self.counted}, "lazyapp_connections": {"": 1}}
        )


READY, FAILING = {"status": "ready", "failing": []}, {"status": "failing", "failing": ["Mailer"]}


def told(answer: Answer) -> tuple[int, Any]:
    return answer.status, json.loads(answer.body)


@pytest.mark.parametrize(
    ("workers", "is_ending", "status", "said"),
    [
        ([], False, 503, {"status": "starting", "failing": []}),
        ([Worker(1, READY), Worker(2, READY)], False, 200, READY),
        ([Worker(1, READY), Worker(2, FAILING)], False, 503, FAILING),
        ([Worker(1, READY), Worker(2, None)], False, 503, {"status": "failing", "failing": ["worker 2 does not answer"]}),
        ([Worker(1, READY), Worker(2, {"status": "draining"})], False, 503, {"status": "draining", "failing": []}),
        ([Worker(1, READY)], True, 503, {"status": "draining", "failing": []}),
    ],
)
async def test_all_processes_are_ready_or_nobody_is_sent_here(
    workers: list[Worker], is_ending: bool, status: int, said: dict[str, Any]
) -> None:
    """A request may come to any of them. Design 3: 503 until it is started, and again while draining."""
    assert told(await Control(lambda: workers, lambda: is_ending).readyz()) == (status, said)


async def test_what_hangs_is_not_alive_and_what_starts_is() -> None:
    """A process that died is replaced from here; to restart everything helps only where nobody answers any more."""
    for workers, status in (([], 200), ([Worker(1, None), Worker(2, READY)], 200), ([Worker(1, None)], 503)):
        assert (await Control(lambda workers=workers: workers, lambda: False).livez()).status == status  # type: ignore[misc]


async def test_a_count_does_not_fall_when_a_process_is_replaced() -> None:
    """Prometheus takes a falling counter for a restart, and counts what is left once more."""
    workers = [Worker(1, READY, counted=5), Worker(2, READY, counted=7)]
    control = Control(lambda: workers, lambda: False)
    assert "lazyapp_requests_total 12\n" in (await control.metrics()).body
    workers[0] = Worker(3, READY, counted=1)
    said = (await control.metrics()).body
    assert "lazyapp_requests_total 13\n" in said
    assert "lazyapp_connections 2\n" in said, "what it had open is gone with it"
    assert "lazyapp_workers 2\n" in said


async def test_it_answers_over_http_and_outlives_those_who_say_nothing() -> None:
    sockets = listen("127.0.0.1", 0)
    origin = f"http://127.0.0.1:{port_of(sockets)}"
    async with controlled(Control(lambda: [Worker(1, READY)], lambda: False), sockets), httpx2.AsyncClient() as client:
        _, silent = await asyncio.open_connection("127.0.0.1", port_of(sockets))
        ready = await client.get(f"{origin}/readyz?verbose")
        assert (ready.status_code, ready.json(), ready.headers["cache-control"]) == (200, READY, "no-store")
        assert (await client.head(f"{origin}/livez")).text == ""
        metrics = await client.get(f"{origin}/metrics")
        assert metrics.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert (await client.get(f"{origin}/")).status_code == 404
        refused = await client.post(f"{origin}/livez")
        assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
        reader, long = await asyncio.open_connection("127.0.0.1", port_of(sockets))
        long.write(b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000)
        with contextlib.suppress(ConnectionError):  # reset or closed, as the kernel likes
            assert await reader.read() == b""
        for writer in (silent, long):
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
    with pytest.raises(httpx2.ConnectError):
        async with httpx2.AsyncClient() as client:
            await client.get(origin)
