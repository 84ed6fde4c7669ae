"""lazymcp/eager.py: begun here and now, and finished as if nothing had happened."""

import asyncio
import gc

import pytest

from lazymcp.eager import begin


async def test_what_waits_for_nothing_is_done_at_once():
    async def work():
        return 5

    assert begin(work()) == (5, None)


async def test_what_fails_at_once_fails_at_once():
    async def work():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        begin(work())


async def test_what_waits_is_finished_by_awaiting_the_rest():
    steps = []

    async def work():
        steps.append(1)
        await asyncio.sleep(0)
        steps.append(2)
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            other = group.create_task(asyncio.sleep(0.001, "slept"))
        return other.result()

    value, rest = begin(work())
    assert (value, steps) == (None, [1])
    assert await rest == "slept"
    assert steps == [1, 2]


async def test_a_cancellation_reaches_what_is_waiting():
    cleaned = []

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    async def whole():
        _, rest = begin(work())
        await rest

    task = asyncio.create_task(whole())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned == [True]


@pytest.mark.parametrize("waits_again", [True, False])
async def test_what_survives_a_failure_goes_on(waits_again):
    future = asyncio.get_running_loop().create_future()

    async def work():
        try:
            await future
        except ValueError:
            if waits_again:
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            return "survived"

    _, rest = begin(work())
    future.set_exception(ValueError())
    assert await rest == "survived"


async def test_a_deadline_inside_is_kept():
    async def work():
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()

    _, rest = begin(work())
    with pytest.raises(TimeoutError):
        await rest


async def test_what_is_abandoned_is_closed():
    closed = []

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    async def abandoned():
        _, rest = begin(work())
        await rest

    coroutine = abandoned()
    coroutine.send(None)
    coroutine.close()
    gc.collect()
    assert closed == [True]
