"""The processes of one run, and the spare one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lazyapp.location import Location
from lazyapp.serving.banner import Run
from lazyapp.serving.crew import Crew, Stopped
from lazyapp.serving.link import Grace
from lazyapp.serving.serve import Plan

SHORT = Grace(requests_s=0, process_s=5)


@pytest.fixture
async def crew(tmp_path: Path) -> AsyncIterator[Crew]:
    run = Run(version="0", env="development", target="init.app:app", origin="http://localhost:0")
    crew = Crew(Plan(location=Location(tmp_path), run=run, sockets=[], reload=True, grace=SHORT))
    yield crew
    await crew.end_all()


async def test_there_is_one_spare_process_and_it_becomes_the_next(crew: Crew) -> None:
    await crew.warm(["colorsys"])
    await crew.warm(["colorsys"])
    first = await crew.next()
    second = await crew.next()
    assert first.pid != second.pid
    assert crew.up() == []
    await crew.end(first, second)
    assert first.pid not in {process.pid for process in crew.up()}


async def test_a_spare_process_that_is_dropped_is_gone(crew: Crew) -> None:
    """Its framework is that of yesterday: in a checkout, of which a file has changed."""
    await crew.warm([])
    dropped = await crew.next()
    await crew.end(dropped)
    await crew.warm([])
    await crew.drop_spare()
    await crew.drop_spare()
    assert (await crew.next()).pid != dropped.pid


async def test_a_run_that_is_to_end_starts_nobody_and_waits_for_nothing(crew: Crew) -> None:
    waiting = asyncio.create_task(crew.result(asyncio.sleep(600)))
    await asyncio.sleep(0)
    crew.stop()
    with pytest.raises(Stopped):
        await waiting
    await crew.warm([])
    with pytest.raises(Stopped):
        await crew.next()
    assert crew.is_ending()
