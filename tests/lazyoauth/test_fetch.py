"""How documents of other hosts are rationed. A27 of the attacks on authorization servers: a server must not be an amplifier."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence

import pytest

from lazyoauth import fetch
from lazyoauth.errors import TooManyRequests
from lazyoauth.fetch import AT_ONCE, AT_ONCE_PER_HOST, AWAY_FOR_S, WRONG_FOR_S, Fetcher
from lazyoauth.limits import Limits, Throttle
from lazyoauth.network import FetchFailed, Network
from tests.lazyoauth.publisher import Publisher, reply

URL = "https://client.example/c.json"
PATH = "/client.example/c.json"


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    server = Publisher()
    await server.open()
    yield server
    await server.close()


@pytest.fixture
def fetcher(publisher, clock) -> Fetcher:
    return Fetcher(clock, Network(instead=publisher.bases))


async def no_pause(_: float) -> None:
    """For tests about something else."""


async def settled(*waiting) -> list:
    return await asyncio.gather(*waiting, return_exceptions=True)


async def test_who_waits_for_the_same_document_shares_one_request(publisher, fetcher):
    """A27: single flight; and one who goes away does not take it from the others."""
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def hold(_, writer):
        asked.set()
        await go_on.wait()
        writer.write(reply(b'{"a": 1}'))
        await writer.drain()

    publisher.answers[PATH] = hold
    first = asyncio.create_task(fetcher.get_json(URL))
    others = [asyncio.create_task(fetcher.get_json(URL)) for _ in range(50)]
    await asked.wait()
    first.cancel()
    go_on.set()
    assert await asyncio.gather(*others) == [{"a": 1}] * 50
    assert len(publisher.heads) == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_document_is_kept_by_who_asked_for_it(publisher, fetcher):
    publisher.answers[PATH] = reply(b"[]", "Cache-Control: max-age=90")
    assert await fetcher.fetch(URL) == ([], 90)
    assert await fetcher.get_json(URL) == []
    assert len(publisher.heads) == 2


@pytest.mark.parametrize(
    ("answer", "wait_s"), [(reply(b"{}", status="404 Not Found"), WRONG_FOR_S), (reply(b"{}", status="503 Away"), AWAY_FOR_S)]
)
async def test_after_a_failure_a_host_is_left_alone_for_a_while(publisher, fetcher, clock, answer, wait_s):
    """A27: 30 to 60 seconds."""
    assert 30 <= wait_s <= 60
    publisher.answers[PATH] = answer
    failures = await settled(fetcher.get_json(URL))
    publisher.answers[PATH] = reply(b"[]")
    clock.now += wait_s - 1
    failures += await settled(fetcher.get_json(URL))
    assert all(isinstance(failure, FetchFailed) for failure in failures)
    assert failures[0].is_answer == failures[1].is_answer
    assert len(publisher.heads) == 1
    clock.now += 2
    assert await fetcher.get_json(URL) == []


@pytest.mark.parametrize(("answer", "is_told_later"), [(reply(b"{}", status="404 Not Found"), False), (b"", True)])
async def test_a_failure_that_no_host_told_is_told_on_the_beat(publisher, clock, monkeypatch, answer, is_told_later):
    """CWE-208; A25. What a host itself answered is known to whoever asks it."""
    paused: list[float] = []

    async def pause(seconds: float) -> None:
        assert URL not in fetcher._failed, "who asks again now must wait as well"
        paused.append(seconds)

    ticks = iter([100.0, 100.0 + 3 * fetch.BEAT_S + 0.05])
    monkeypatch.setattr(fetch, "monotonic", lambda: next(ticks))
    publisher.answers[PATH] = answer
    fetcher = Fetcher(clock, Network(instead=publisher.bases), pause=pause)
    await settled(fetcher.get_json(URL))
    assert paused == ([pytest.approx(fetch.BEAT_S - 0.05)] if is_told_later else [])
    assert URL in fetcher._failed


async def test_a_document_of_no_use_can_be_put_off(publisher, fetcher, clock):
    publisher.answers[PATH] = reply(b"[]")
    fetcher.put_off(URL, "about somebody else")
    with pytest.raises(FetchFailed) as caught:
        await fetcher.get_json(URL)
    assert caught.value.is_answer
    assert not publisher.heads


async def test_what_is_no_url_of_ours_is_not_even_remembered(publisher, fetcher):
    for url in ("https://127.0.0.1/c.json", "http://client.example/c.json", "https://client.example/\n"):
        with pytest.raises(FetchFailed) as caught:
            await fetcher.get_json(url)
        assert caught.value.is_answer
    assert not fetcher._failed


async def test_a_thousand_made_up_clients_are_a_few_requests_at_a_time(clock, monkeypatch):
    """A27: 1,000 distinct ids, asked for at once: four at a time for each host, 32 for all, and a bounded memory of them."""
    monkeypatch.setattr(fetch, "MAX_WAITING", 1_000)
    monkeypatch.setattr(fetch, "TURN_S", 60.0)
    now: Counter[str] = Counter()
    most: Counter[str] = Counter()

    async def resolve(host: str) -> Sequence[str]:
        for name in (host, "all"):
            now[name] += 1
            most[name] = max(most[name], now[name])
        await asyncio.sleep(0)
        for name in (host, "all"):
            now[name] -= 1
        return ["10.0.0.1"]

    monkeypatch.setattr(fetch, "REMEMBERED", 100)
    fetcher = Fetcher(clock, Network(resolve=resolve), pause=no_pause)
    outcomes = await settled(*(fetcher.get_json(f"https://client{number // 50}.example/{number}") for number in range(1_000)))
    assert all(isinstance(outcome, FetchFailed) for outcome in outcomes)
    assert most.pop("all") == AT_ONCE
    assert set(most.values()) == {AT_ONCE_PER_HOST}
    assert len(fetcher._failed) == 100
    assert not fetcher._under_way
    assert not fetcher._host_slots


async def test_a_host_is_asked_no_more_often_than_the_limit_says(publisher, clock):
    """`documents` of LAZYOAUTH_LIMITS, counted by host."""
    throttle = Throttle(Limits(documents="10/minute"))
    fetcher = Fetcher(clock, Network(instead=publisher.bases), lambda host: throttle.hit("documents", host))
    outcomes = await settled(*(fetcher.get_json(f"https://client.example/{number}") for number in range(100)))
    assert sum(isinstance(outcome, TooManyRequests) for outcome in outcomes) == 90
    assert len(publisher.heads) == 10
    publisher.publish("https://claude.ai/c", [])
    assert await fetcher.get_json("https://claude.ai/c") == []


async def test_a_flood_is_refused_before_it_is_a_queue(publisher, fetcher, monkeypatch):
    monkeypatch.setattr(fetch, "MAX_WAITING", 10)
    urls = [f"https://client.example/{number}" for number in range(15)]
    for url in urls:
        publisher.publish(url, [])
    outcomes = await settled(*map(fetcher.get_json, urls))
    assert outcomes[:10] == [[]] * 10
    assert all(isinstance(error, TooManyRequests) and error.retry_after_s for error in outcomes[10:])


async def test_who_waits_too_long_for_a_turn_is_told_to_come_back(publisher, fetcher, monkeypatch):
    """One host that holds every place of its own does not make others wait, nor its own for ever."""
    monkeypatch.setattr(fetch, "TURN_S", 0.05)
    go_on = asyncio.Event()

    async def hold(_, writer):
        await go_on.wait()
        writer.write(reply(b"[]"))
        await writer.drain()

    urls = [f"https://client.example/{number}" for number in range(AT_ONCE_PER_HOST + 1)]
    for url in urls:
        publisher.answers[url.removeprefix("https:/")] = hold
    publisher.publish("https://claude.ai/c", [])
    waiting = [asyncio.create_task(fetcher.get_json(url)) for url in urls]
    with pytest.raises(TooManyRequests):
        await waiting[-1]
    assert await fetcher.get_json("https://claude.ai/c") == []
    go_on.set()
    assert await settled(*waiting[:-1]) == [[]] * AT_ONCE_PER_HOST
    assert await fetcher.get_json(urls[-1]) == []
