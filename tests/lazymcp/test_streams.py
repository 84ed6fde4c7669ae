"""`Streams`: held until the client leaves or the server ends them, kept alive by one timer."""

import asyncio
import threading

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp import streams as module
from lazymcp.streams import KEEP_ALIVE_S, Streams


class Link:
    """A link that counts its keep-alives and whose client can leave."""

    def __init__(self):
        self.left = asyncio.Event()
        self.breaths = 0
        self.reads = asyncio.Event()
        self.reads.set()

    async def keep_alive(self):
        self.breaths += 1
        await self.reads.wait()

    async def gone(self):
        await self.left.wait()


async def held(streams, *links):
    tasks = [asyncio.create_task(streams.hold(link)) for link in links]
    await asyncio.sleep(0)
    return tasks


async def test_a_stream_ends_with_its_client_or_with_the_server():
    streams, first, second = Streams(), Link(), Link()
    one, two = await held(streams, first, second)
    first.left.set()
    assert await one is False
    streams.end()
    assert await two is True
    assert two.cancelling() == 0
    streams.end()
    await asyncio.sleep(0)


async def test_one_that_is_cancelled_besides_stays_cancelled():
    streams = Streams()
    (task,) = await held(streams, Link())
    streams.end()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert streams._decks == {}


async def test_a_client_that_leaves_in_the_same_moment_disturbs_nothing():
    streams, link = Streams(), Link()

    async def work():
        ended = await streams.hold(link)
        await asyncio.sleep(0)  # a cancellation that was still under way would arrive here
        return ended

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    link.left.set()
    streams.end()
    assert await task in {True, False}


async def test_who_comes_right_after_the_end_is_ended_a_moment_later(monkeypatch):
    """Clients come back at once, on the connection they have, before the server has stopped taking requests."""
    monkeypatch.setattr(module, "SWEEP_AFTER_S", 0.05)
    streams = Streams()
    streams.end()
    await asyncio.sleep(0)
    (late,) = await held(streams, Link())
    assert not late.done()
    assert await asyncio.wait_for(late, 5) is True
    (later,) = await held(streams, link := Link())
    await asyncio.sleep(0.1)
    assert not later.done(), "the next server in this process keeps its streams"
    link.left.set()
    await later


async def test_the_end_may_come_from_a_thread():
    streams = Streams()
    tasks = await held(streams, *(Link() for _ in range(3)))
    thread = threading.Thread(target=streams.end)
    thread.start()
    thread.join()
    assert await asyncio.wait_for(asyncio.gather(*tasks), 5) == [True] * 3


async def test_two_loops_may_hold_streams_of_one_scope():
    streams = Streams()
    ready, ended = threading.Event(), []

    async def elsewhere():
        (task,) = await held(streams, Link())
        ready.set()
        ended.append(await task)

    thread = threading.Thread(target=lambda: asyncio.run(elsewhere()))
    thread.start()
    await asyncio.to_thread(ready.wait)
    (here,) = await held(streams, Link())
    streams.end()
    assert await asyncio.wait_for(here, 5) is True
    await asyncio.to_thread(thread.join)
    assert ended == [True]


async def test_every_stream_is_kept_alive_once_a_round_and_not_all_at_once(monkeypatch):
    """https://github.com/punkpeye/fastmcp/issues/120: proxies cut a stream that is silent for 30 seconds."""
    assert KEEP_ALIVE_S < 30
    streams, links = Streams(), [Link() for _ in range(4 * KEEP_ALIVE_S)]
    tasks = await held(streams, *links)
    deck = next(iter(streams._decks.values()))
    for tick in range(1, 2 * KEEP_ALIVE_S + 1):
        deck._timer.cancel()
        deck._tick()
        await asyncio.sleep(0)
        assert sum(link.breaths for link in links) == 4 * tick
    assert {link.breaths for link in links} == {2}
    streams.end()
    await asyncio.gather(*tasks)


async def test_one_that_does_not_read_gets_no_second_and_leaves_no_task():
    streams, link = Streams(), Link()
    link.reads.clear()
    (task,) = await held(streams, link)
    deck = next(iter(streams._decks.values()))
    for _ in range(3 * KEEP_ALIVE_S):
        deck._timer.cancel()
        deck._tick()
        await asyncio.sleep(0)
    assert link.breaths == 1
    streams.end()
    assert await task is True
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_stream_ends_with_the_token_it_was_opened_with():
    """basic/authorization: a token that has expired opens nothing."""
    clock = [1_000.0]
    streams, link, other = Streams(now=lambda: clock[0]), Link(), Link()
    with signed_in(User("ann"), Claims({"sub": "ann", "exp": 2_000})):
        (task,) = await held(streams, link)
    (open_end,) = await held(streams, other)
    deck = next(iter(streams._decks.values()))

    async def pass_a_round():
        for _ in range(KEEP_ALIVE_S):
            deck._timer.cancel()
            deck._tick()
            await asyncio.sleep(0)

    await pass_a_round()
    assert not task.done()
    clock[0] = 2_000.0
    await pass_a_round()
    assert await task is True
    assert not open_end.done()
    streams.end()
    await open_end


async def test_nothing_is_left_when_the_last_stream_has_gone():
    streams, link = Streams(), Link()
    (task,) = await held(streams, link)
    timer = next(iter(streams._decks.values()))._timer
    link.left.set()
    await task
    assert timer.cancelled()
    assert streams._decks == {}
