"""What may be asked, and how much."""

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx2
import pytest

from lazyapp.doctor import probe
from lazyapp.doctor.probe import MAX_BODY_BYTES, MAX_SECONDS, Answer, Probe, is_inside, origin_of

URL = "https://mcp.example.com/mcp"


def probe_of(
    answer: Callable[[httpx2.Request], httpx2.Response], url: str = URL, clock: Callable[[], float] = lambda: 0.0
) -> Probe:
    return Probe(httpx2.AsyncClient(transport=httpx2.MockTransport(answer)), url, clock)


def ok(_: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json={})


@pytest.mark.parametrize(
    "url",
    [
        *("http://169.254.169.254/latest", "https://10.0.0.1/", "https://[::1]/", "https://[fd00::1]/", "https://localhost/"),
        *("https://metadata.internal/", "https://printer.local/", "https://intranet/", "http://auth.example.com/"),
        *("https://user@auth.example.com/", "file:///etc/passwd", "", "http://["),
    ],
)
async def test_a_public_deployment_cannot_send_the_doctor_inside(url: str) -> None:
    probe = probe_of(ok)
    assert not probe.allow(url)
    answer = await probe.get(url)
    assert (answer.came, probe.asked) == (False, 0)


async def test_an_authorization_server_is_asked_once_it_was_named() -> None:
    probe = probe_of(ok)
    assert not (await probe.get("https://auth.example.com/x")).came
    assert probe.allow("https://auth.example.com")
    assert (await probe.get("https://auth.example.com/x")).is_ok


async def test_no_cookie_is_kept_or_sent_back() -> None:
    """docs/doctor.md: it sends no cookie, so it is answered as MCP clients are."""
    sent: list[str | None] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.headers.get("cookie"))
        return httpx2.Response(200, headers={"set-cookie": "session=1; Path=/; Secure"})

    probe = probe_of(answer)
    await probe.get(URL)
    await probe.get(URL)
    assert sent == [None, None]


async def test_on_this_machine_its_own_names_may_be_asked() -> None:
    probe = probe_of(ok, "http://localhost:3000/mcp")
    assert probe.allow("http://127.0.0.1:4000")


async def test_no_more_of_a_body_is_read_than_is_looked_at() -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 65_536
            yield b"x" * 65_536

    probe = probe_of(lambda _: httpx2.Response(200, content=endless()))
    assert len((await probe.get(URL)).body) == MAX_BODY_BYTES
    assert sent < MAX_BODY_BYTES * 3


async def test_an_answer_that_trickles_in_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/doctor.md: no deployment can hold the doctor."""
    monkeypatch.setattr(probe, "ANSWER_WITHIN_S", 0.05)

    async def trickle() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" "
            await asyncio.sleep(0.005)

    answer = await probe_of(lambda _: httpx2.Response(200, content=trickle())).get(URL)
    assert (answer.came, answer.reason) == (False, "no answer within 0.05 seconds")


async def test_what_can_be_neither_sent_nor_shown_is_no_document() -> None:
    """RFC 8259, section 8.2: the behaviour of software that receives a lone surrogate is unpredictable."""
    for body in (b'{"issuer": "https://x.example/\\ud800"}', b'{"a": [{"\\udfff": 1}]}'):
        assert Answer(URL, 200, body=body).document() is None
    assert Answer(URL, 200, body=b'{"a": "\\ud83d\\ude00"}').document() == {"a": "\N{GRINNING FACE}"}


async def test_an_event_stream_is_not_waited_for() -> None:
    probe = probe_of(lambda _: httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=b"data: 1\n\n"))
    assert (await probe.get(URL)).body == b""


async def test_when_the_time_is_up_nothing_more_is_asked() -> None:
    now = 0.0
    probe = probe_of(ok, clock=lambda: now)
    now = MAX_SECONDS
    assert probe.is_spent
    assert "limit" in (await probe.get(URL)).reason


async def test_a_failure_of_the_other_side_is_an_answer() -> None:
    def slow(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadTimeout("")

    answer = await probe_of(slow).get(URL)
    assert (answer.status, answer.reason) == (0, "no answer within 10 seconds")
    assert str(answer) == f"{URL}: no answer within 10 seconds"


def test_an_answer_tells_its_json_and_nothing_of_anything_else() -> None:
    assert (
        Answer(URL, 400, {"content-type": "application/json; charset=utf-8"}, b'{"error": "invalid_grant"}').text_of("error")
        == "invalid_grant"
    )
    for body in (b"[1]", b"<html>", b"\xff", b"[" * 100_000, b'{"error": 1}'):
        assert Answer(URL, 400, {}, body).text_of("error") == ""


def test_an_origin_is_compared_as_browsers_do() -> None:
    assert origin_of("https://A.example:443/x") == "https://a.example"
    assert origin_of("http://[::1]:3000/") == "http://[::1]:3000"
    assert is_inside("http://[") is True
    assert is_inside("https://8.8.8.8/") is False
