"""What only the store in memory has; the contract is in test_store.py."""

from lazyoauth import MemoryRefreshTokenStates, Rotation
from tests.lazyoauth.journey import Clock

CODE = "1.0.cccccccccccccccccccccc"


async def test_it_goes_by_the_clock_it_was_given(clock: Clock):
    """style.md: time is an argument."""
    states = MemoryRefreshTokenStates(clock)
    await states.create("family", CODE, clock.now + 60)
    clock.now += 59
    assert await states.is_active("family")
    clock.now += 1
    assert not await states.is_active("family")
    assert (await states.rotate("family", CODE, "1.1.x")).rotation is Rotation.EXPIRED


async def test_it_says_that_it_is_neither_shared_nor_durable():
    """What refuses an unsafe start asks for this."""
    states = MemoryRefreshTokenStates()
    assert states
    assert len(states) == 0
    assert not states.is_shared
    assert not states.is_durable
