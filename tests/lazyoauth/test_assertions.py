"""Used client assertions in one process. RFC 7523, section 3, item 7."""

import pytest

from lazyoauth import MemoryAssertions
from lazyoauth import assertions as module
from lazyoauth.assertions import key_of


async def test_memory_forgets_nothing_that_still_counts(monkeypatch, clock):
    """RFC 7523, section 3, item 7: when it is full, nothing is known, and that is said."""
    monkeypatch.setattr(module, "MAX_REMEMBERED", 3)
    store = MemoryAssertions(clock)
    for number in range(3):
        assert await store.spend(str(number), clock.now + 300)
    with pytest.raises(RuntimeError):
        await store.spend("3", clock.now + 300)
    assert not await store.spend("0", clock.now + 300)
    clock.now += 301
    assert await store.spend("3", clock.now + 300)


def test_keys_of_two_clients_never_meet():
    """The parts are told apart by length."""
    assert key_of("a", "bc") != key_of("ab", "c")
    assert len(key_of("a", "b")) == 64
