"""`lazyapp.testing.opening`: start and end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette

from lazyapp.testing.opening import started


def app_of(events: list[str], *, start: Exception | None = None, end: Exception | None = None) -> Starlette:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        if start:
            raise start
        events.append(str(asyncio.current_task()))
        yield
        events.append(str(asyncio.current_task()))
        if end:
            raise end

    return Starlette(lifespan=lifespan)


async def test_it_begins_and_ends_in_one_task_whoever_asks() -> None:
    events: list[str] = []
    opening = started(app_of(events))
    await asyncio.create_task(opening.__aenter__())
    await asyncio.create_task(opening.__aexit__(None, None, None))
    assert len(events) == 2
    assert events[0] == events[1]


async def test_what_the_start_raises_is_raised() -> None:
    with pytest.raises(LookupError, match="no shelf"):
        async with started(app_of([], start=LookupError("no shelf"))):
            raise AssertionError("it did start")


async def test_what_the_end_raises_is_raised() -> None:
    with pytest.raises(LookupError, match="no shelf"):
        async with started(app_of([], end=LookupError("no shelf"))):
            pass
