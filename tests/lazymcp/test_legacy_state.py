"""lazymcp/legacy_state.py: what one process is told, all know."""

import asyncio

import pytest

from lazymcp import legacy_state
from lazymcp.bus import BusUnavailable, MemoryBus
from lazymcp.legacy_state import State, States


def nothing(message):
    pass


@pytest.fixture
def bus():
    return MemoryBus()


def process(bus, react=nothing):
    return States(bus, is_shared=True, react=react)


async def test_a_process_that_starts_later_knows_what_the_others_know(bus):
    first, second = process(bus), process(bus)
    await first.settle("level", "s", level="error")
    await first.settle("subscribe", "s", uri="a:b")
    await first.settle("subscribe", "s", uri="c:d")
    await first.settle("unsubscribe", "s", uri="c:d")
    await first.settle("end", "t")
    await second.ready()
    assert second.known == first.known == {"s": State("error", {"a:b": None}), "t": State(is_over=True)}


async def test_settling_waits_until_the_others_have_heard(bus):
    """Design, section 3: no request needs the process that served the one before."""
    others = [process(bus) for _ in range(3)]
    for one in others:
        await one.ready()
    told = process(bus)
    await told.settle("level", "s", level="alert")
    assert [one.known["s"].level for one in others] == ["alert"] * 3
    await others[0].settle("end", "s")
    assert all(one.known["s"].is_over for one in (*others, told))


class Slow(MemoryBus):
    """Brings the news to others with delay; a process that is silenced is dead."""

    def __init__(self):
        super().__init__()
        self.silenced = set()
        self.order = []

    async def publish(self, topic, message):
        sender = message.get("from")
        if sender in self.silenced:
            return
        self.order.append(message.get("kind") or ("heard" if "heard" in message else "states"))
        await asyncio.sleep(0.001)
        self.tell(topic, message)


async def test_a_process_that_died_is_waited_for_once(monkeypatch):
    monkeypatch.setattr(legacy_state, "HEARD_S", 0.05)
    bus = Slow()
    first, second = process(bus), process(bus)
    await first.ready()
    await second.ready()
    assert first._others == {second._name}
    bus.silenced.add(second._name)
    await first.settle("level", "s", level="alert")
    assert first._others == set()
    bus.silenced.clear()
    await second.settle("level", "s", level="debug")
    assert first._others == {second._name}, "one that is heard of again is there"


async def test_what_was_heard_is_reacted_to(bus):
    heard = []
    first, second = process(bus, heard.append), process(bus)
    await first.ready()
    await second.tell("cancel", "s", id=5)
    await second.settle("level", "s", level="debug")
    assert [(message["kind"], message["session"]) for message in heard] == [("cancel", "s"), ("level", "s")]
    assert first.known["s"].level == "debug"
    assert not second._told, "nothing is left of a settlement"
    assert not first._told


async def test_what_was_set_longest_ago_is_forgotten_first(bus, monkeypatch):
    monkeypatch.setattr(legacy_state, "MAX_STATES", 2)
    one = States(bus, is_shared=False, react=nothing)
    for session in ("a", "b", "a", "c"):
        await one.settle("level", session, level="debug")
    await one.settle("unsubscribe", "never", uri="a:b")
    assert list(one.known) == ["a", "c"]


def test_another_event_loop_is_listened_in_anew(bus):
    """Test clients run each request in a loop of its own."""
    one = process(bus)

    async def settle(level):
        assert not one.is_ready()
        await one.settle("level", "s", level=level)
        assert one.is_ready()

    for level in ("debug", "alert"):
        asyncio.run(settle(level))
        assert one.known["s"].level == level


class Away(MemoryBus):
    async def publish(self, topic, message):
        raise BusUnavailable("no database")


async def test_without_the_bus_a_process_serves_what_it_can(caplog, monkeypatch):
    monkeypatch.setattr(legacy_state, "ANSWER_S", 0.01)
    one = process(Away())
    await one.ready()
    assert one.is_ready()
    with pytest.raises(BusUnavailable):
        await one.settle("end", "s")
    assert "could not tell each other" in caplog.text


async def test_what_sessions_subscribe_to_is_bounded_together_and_nothing_else_is_lost(bus, monkeypatch):
    """A thousand long URIs for each of ten thousand sessions made 20 GB, in every process."""
    monkeypatch.setattr(legacy_state, "MAX_SUBSCRIBED", 3000)
    one, late = process(bus), process(bus)
    await one.settle("level", "a", level="error")
    await one.settle("end", "over")
    for session in "abcd":
        for uri in ("x" * 400, "y" * 400, "y" * 400):
            await one.settle("subscribe", session, uri=uri)
    assert {session: len(state.uris) for session, state in one.known.items()} == {"over": 0, "a": 0, "b": 0, "c": 2, "d": 2}
    assert one.known["a"].level == "error"
    assert one.known["over"].is_over
    await late.ready()
    assert (late.known, late._size) == (one.known, one._size)
    await one.settle("unsubscribe", "c", uri="y" * 400)
    await one.settle("unsubscribe", "c", uri="z")
    await one.settle("subscribe", "a", uri="x" * 400)
    assert {session: len(state.uris) for session, state in one.known.items()} == {"over": 0, "b": 0, "c": 1, "d": 2, "a": 1}
    monkeypatch.setattr(legacy_state, "MAX_STATES", 1)
    await one.settle("end", "a")
    await one.settle("level", "e", level="error")
    await one.settle("unsubscribe", "e", uri="none")
    for session in "cdabf":
        await one.settle("end", session)
    assert (one._size, one._sizes) == (0, {})
