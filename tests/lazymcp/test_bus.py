"""`Bus` and `MemoryBus`: who hears what, in which order, and that nobody can harm the others."""

import asyncio
import threading

from lazymcp.bus import MemoryBus


async def test_every_listener_of_a_topic_hears_the_news_in_order_and_no_other_topic():
    bus, first, second, other = MemoryBus(), [], [], []
    bus.listen("news", first.append)
    bus.listen("news", second.append)
    bus.listen("session:1", other.append)
    for number in range(3):
        await bus.publish("news", {"number": number})
    assert first == second == [{"number": number} for number in range(3)]
    assert other == []


async def test_who_stopped_hears_nothing_more_and_may_stop_twice():
    bus, heard = MemoryBus(), []
    stop = bus.listen("news", heard.append)
    assert bus.is_heard("news")
    stop()
    stop()
    await bus.publish("news", 1)
    assert heard == []
    assert not bus.is_heard("news")


async def test_a_failing_listener_is_logged_and_harms_nobody(caplog):
    bus, heard = MemoryBus(), []

    def fail(_):
        raise RuntimeError("a broken listener")

    bus.listen("news", fail)
    bus.listen("news", heard.append)
    await bus.publish("news", 1)
    assert heard == [1]
    assert "a broken listener" in caplog.text


async def test_a_listener_may_stop_while_it_hears():
    bus, heard = MemoryBus(), []
    stops = []
    stops.append(bus.listen("news", lambda _: stops[0]()))
    bus.listen("news", heard.append)
    await bus.publish("news", 1)
    await bus.publish("news", 2)
    assert heard == [1, 2]


async def test_news_of_another_thread_is_heard_in_the_listeners_own_loop():
    """A tool that is not async runs in a thread and may well announce something."""
    bus, heard = MemoryBus(), asyncio.Queue()
    bus.listen("news", lambda message: heard.put_nowait((message, threading.current_thread())))
    publisher = threading.Thread(target=lambda: asyncio.run(bus.publish("news", 1)))
    publisher.start()
    assert await asyncio.wait_for(heard.get(), 5) == (1, threading.current_thread())
    publisher.join()


async def test_a_listener_whose_loop_is_closed_is_passed_over():
    bus, heard = MemoryBus(), []

    async def come_and_go():
        bus.listen("news", heard.append)

    gone = threading.Thread(target=lambda: asyncio.run(come_and_go()))
    gone.start()
    await asyncio.to_thread(gone.join)
    await bus.publish("news", 1)
    assert heard == []
