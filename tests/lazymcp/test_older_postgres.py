"""Sessions of older clients over PostgreSQL: two processes' worth of endpoints, each with a bus of its own, on one database."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazymcp.sql import PostgresBus
from tests.lazymcp.live import call, listen, tell
from tests.lazymcp.older import Server


@pytest.fixture
async def servers(postgres_url):
    async with AsyncExitStack() as stack:
        found = []
        for _ in range(2):
            engine = create_async_engine(postgres_url)
            stack.push_async_callback(engine.dispose)
            found.append(Server(1, bus=await stack.enter_async_context(PostgresBus(engine))))
        yield found


async def test_a_session_lives_in_all_processes(servers):
    """Design, section 4: what has to cross processes goes over LISTEN and NOTIFY, payloads over 8 kB through a table."""
    (here,), (there,) = await servers[0].meet(), servers[1].peers
    there.headers = here.headers
    assert (await there.ask("logging/setLevel", {"level": "error"})).result == {}
    answer = await here.ask("tools/call", {"name": "talk"})
    assert [message["params"]["level"] for message in answer.messages[:-1]] == ["error"]

    asking = call(here, "tools/call", {"name": "ask"})
    await asking.start()
    question = await asking.message()
    await tell(there, {"id": question["id"], "result": {"roots": ["r" * 20_000]}})
    assert "r" * 20_000 in (await asking.message())["result"]["content"][0]["text"]

    polling = call(here, "tools/call", {"name": "poll"})
    await polling.start()
    first = await polling.event()
    again = listen(there, last_event_id=first.id)
    assert (await again.start())[0] == 200
    servers[0].workers[0].go_on.set()
    assert (await again.message())["result"]["content"][0]["text"] == "done"
    await asyncio.wait_for(asyncio.gather(again.task, polling.task), 10)

    servers[0].workers[0].started.clear()
    servers[0].workers[0].go_on.clear()
    work = call(here, "tools/call", {"name": "wait"}, request_id="w")
    await servers[0].workers[0].started.wait()
    await tell(there, {"method": "notifications/cancelled", "params": {"requestId": "w"}})
    await asyncio.wait_for(work.task, 10)

    stream = listen(here)
    await stream.start()
    await stream.event()
    await servers[1].scopes[0].notify_tools_changed()
    assert (await stream.message())["method"] == "notifications/tools/list_changed"
    headers = {**there.headers_for({"method": ""}), "content-type": None}
    assert (await there.post(b"", headers, "DELETE")).status == 204
    assert (await here.ask("ping")).status == 404
    assert (await there.ask("ping")).status == 404
    assert all(event.comment for event in await stream.end())


async def test_a_process_whose_connection_was_lost_hears_of_the_end_it_missed(servers):
    """2025-11-25, basic/transports, "Session management": it served a session that had ended, for as long as it lived."""
    (here,), (there,) = await servers[0].meet(), servers[1].peers
    there.headers = here.headers
    stream = listen(there)
    await stream.start()
    await stream.event()
    assert (await there.ask("logging/setLevel", {"level": "error"})).result == {}
    deaf, bus = asyncio.Event(), servers[1].bus
    hear = bus._hear

    async def hear_nothing(driver, arrivals):
        bus._hear = hear
        await deaf.wait()

    bus._hear = hear_nothing
    bus._driver.result().terminate()
    while bus._hear is hear_nothing:
        await asyncio.sleep(0.01)
    assert (await here.post(b"", {**here.headers_for({"method": ""}), "content-type": None}, "DELETE")).status == 204
    assert (await there.ask("ping")).status == 200
    deaf.set()
    assert all(event.comment for event in await stream.end())
    assert (await there.ask("ping")).status == 404
