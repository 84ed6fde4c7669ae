"""`News`: from the bus to the readers, each thing once, and nothing that grows."""

import asyncio

from lazymcp.bus import MemoryBus
from lazymcp.news import PROMPTS, TOOLS, TOPIC, News, resource_key, task_key


class Reader:
    def __init__(self):
        self.heard = []

    def hear(self, key, method, params):
        self.heard.append((method, dict(params)))


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


async def test_readers_hear_what_they_watch():
    bus = MemoryBus()
    news, one, two = News(bus), Reader(), Reader()
    news.watch([TOOLS, resource_key("app://a")], one)
    news.watch([PROMPTS, task_key("t1")], two)
    for message in (
        {"kind": "tools"},
        {"kind": "prompts"},
        {"kind": "resources"},
        {"kind": "resource", "uri": "app://a"},
        {"kind": "resource", "uri": "app://b"},
        {"kind": "task", "taskId": "t1", "params": {"taskId": "t1", "status": "completed"}},
        {"kind": "task", "taskId": "t2", "params": {}},
        {"kind": "of a later version"},
    ):
        await news.publish(message)
    await settle()
    assert one.heard == [("notifications/tools/list_changed", {}), ("notifications/resources/updated", {"uri": "app://a"})]
    assert two.heard == [
        ("notifications/prompts/list_changed", {}),
        ("notifications/tasks", {"taskId": "t1", "status": "completed"}),
    ]


async def test_what_nobody_was_told_yet_is_told_once_and_newest():
    news, readers = News(MemoryBus()), [Reader() for _ in range(1_000)]
    for reader in readers:
        news.watch([TOOLS, task_key("t")], reader)
    for number in range(100):
        await news.publish({"kind": "task", "taskId": "t", "params": {"number": number}})
        await news.publish({"kind": "tools"})
    audience = next(iter(news._audiences.values()))
    assert len(audience._waiting) <= 2
    while audience._telling is not None:
        await asyncio.sleep(0)
    last = [reader.heard[-2:] for reader in readers]
    assert all(("notifications/tasks", {"number": 99}) in heard for heard in last)
    assert max(len(reader.heard) for reader in readers) <= 4


async def test_who_stops_meanwhile_hears_nothing_more():
    news, readers = News(MemoryBus()), [Reader() for _ in range(200)]
    stops = [news.watch([TOOLS], reader) for reader in readers]
    await news.publish({"kind": "tools"})
    for stop in stops:
        stop()
        stop()
    heard = sum(len(reader.heard) for reader in readers)
    await settle()
    assert sum(len(reader.heard) for reader in readers) == heard < 200


async def test_without_readers_nothing_listens_to_the_bus():
    bus = MemoryBus()
    news = News(bus)
    stop = news.watch([TOOLS], Reader())
    assert bus.is_heard(TOPIC)
    stop()
    assert not bus.is_heard(TOPIC)
    later = Reader()
    news.watch([TOOLS], later)
    stop()
    await news.publish({"kind": "tools"})
    assert later.heard == [("notifications/tools/list_changed", {})]
