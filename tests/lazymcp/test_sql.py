"""`PostgresBus` on a real PostgreSQL: two engines as two processes have them, large messages, and a database that goes away."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from lazymcp import sql
from lazymcp.bus import BusUnavailable
from lazymcp.sql import PostgresBus

LARGE = "ä" * 100_000


@pytest.fixture
async def open_bus(postgres_url):
    """Open a bus on an engine of its own, as a process would."""
    async with AsyncExitStack() as stack:

        async def open_one():
            engine = create_async_engine(postgres_url, pool_size=1, max_overflow=0)
            stack.push_async_callback(engine.dispose)
            bus = await stack.enter_async_context(PostgresBus(engine))
            bus.engine = engine
            return bus

        yield open_one


@pytest.fixture
async def ask(postgres_url):
    """Run a statement beside the buses."""
    engine = create_async_engine(postgres_url, isolation_level="AUTOCOMMIT")

    async def run(statement):
        async with engine.connect() as connection:
            result = await connection.execute(sa.text(statement))
            return result.fetchall() if result.returns_rows else []

    yield run
    await engine.dispose()


def heard_by(bus, topic="news"):
    queue = asyncio.Queue()
    bus.listen(topic, queue.put_nowait)
    return queue


async def next_of(queue):
    return await asyncio.wait_for(queue.get(), 10)


END_LISTENERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%lazymcp_news%' AND pid <> pg_backend_pid()"
    " AND datname = current_database()"  # other tests have theirs on the same server
)


async def test_every_process_hears_once_and_in_order_large_or_small(open_bus):
    one, two = await open_bus(), await open_bus()
    here, there, elsewhere = heard_by(one), heard_by(two), heard_by(two, "other")
    messages = [{"number": number, "text": LARGE if number % 3 == 0 else "small"} for number in range(20)]
    for message in messages:
        await one.publish("news", message)
    await one.publish("other", "end")
    assert await next_of(elsewhere) == "end"
    assert [there.get_nowait() for _ in messages] == messages
    assert [here.get_nowait() for _ in messages] == messages
    assert here.empty()
    assert there.empty()


async def test_messages_that_are_published_together_keep_their_order(open_bus):
    one, two = await open_bus(), await open_bus()
    there = heard_by(two)
    await asyncio.gather(*(one.publish("news", number) for number in range(300)))
    assert [await next_of(there) for _ in range(300)] == list(range(300))


async def test_a_message_of_any_size_gets_through(open_bus):
    """PostgreSQL, NOTIFY: a payload is shorter than 8000 bytes."""
    one, two = await open_bus(), await open_bus()
    there = heard_by(two)
    for size in range(7_975, 8_001):
        await one.publish("news", "x" * size)
        assert await next_of(there) == "x" * size


async def test_any_json_gets_through_on_any_topic(open_bus):
    one, two = await open_bus(), await open_bus()
    topic = "a topic: 'x'\n\""
    there = heard_by(two, topic)
    for message in (None, True, 1.5, "\u0000 😀 ' \" \\ \n", [], {"a": {"b": [None]}}):
        await one.publish(topic, message)
        assert await next_of(there) == message


async def test_listening_takes_no_place_in_the_pool(open_bus):
    """The engine of the fixture has a pool of one."""
    bus = await open_bus()
    async with bus.engine.connect() as connection:
        there = heard_by(bus)
        await bus.publish("news", LARGE)
        assert await next_of(there) == LARGE
        assert (await connection.execute(sa.text("SELECT 1"))).scalar() == 1


async def test_many_processes_may_open_it_at_once(open_bus):
    buses = await asyncio.gather(*(open_bus() for _ in range(8)))
    queues = [heard_by(bus) for bus in buses]
    await buses[0].publish("news", 1)
    assert [await next_of(queue) for queue in queues] == [1] * 8


async def test_a_lost_connection_is_made_again_and_what_is_published_meanwhile_waits_for_it(open_bus, ask, caplog):
    one, two = await open_bus(), await open_bus()
    here, there = heard_by(one), heard_by(two)
    await one.publish("news", 1)
    assert await next_of(there) == 1
    assert len(await ask(END_LISTENERS)) == 2
    await until(lambda: not one._driver.done() and not two._driver.done())
    waiting = asyncio.create_task(one.publish("news", 2))
    await until(lambda: here.qsize() == 2)
    assert [here.get_nowait(), here.get_nowait()] == [1, 2]
    await waiting
    # The other process may have missed the second, but not what comes once it listens again.
    await until(two._driver.done)
    await one.publish("news", 3)
    assert (await next_of(there)) in {2, 3}
    assert "news of other processes is lost until the database is back" in caplog.text


async def test_without_a_database_a_publisher_is_told_in_time_and_this_process_hears_all_the_same(open_bus, monkeypatch):
    monkeypatch.setattr(sql, "PUBLISH_WITHIN_S", 0.3)
    bus = await open_bus()
    here = heard_by(bus)
    async with unreachable(bus):
        began = time.monotonic()
        told = await asyncio.gather(*(bus.publish("news", number) for number in range(5)), return_exceptions=True)
        assert time.monotonic() - began < 3
    assert [type(problem) for problem in told] == [BusUnavailable] * 5
    assert [here.get_nowait() for _ in range(5)] == [0, 1, 2, 3, 4]


async def test_a_database_that_is_silent_is_given_up_and_another_connection_made(open_bus, ask, monkeypatch):
    monkeypatch.setattr(sql, "PUBLISH_WITHIN_S", 0.5)
    one, two = await open_bus(), await open_bus()
    there = heard_by(two)
    # Large messages need the table, which somebody holds.
    engine = create_async_engine(one.engine.url)
    async with engine.begin() as connection:
        await connection.execute(sa.text("LOCK TABLE lazymcp_news IN ACCESS EXCLUSIVE MODE"))
        with pytest.raises(BusUnavailable, match=r"did not take the message within 0\.5 seconds"):
            await one.publish("news", LARGE)
    await engine.dispose()
    await until(lambda: not there.empty() or one._driver.done())
    monkeypatch.setattr(sql, "PUBLISH_WITHIN_S", 5.0)
    await one.publish("news", "again")
    while (await next_of(there)) != "again":
        pass


@pytest.mark.parametrize("row", [2**63, 10**30, 0, -1])
async def test_a_row_that_cannot_be_costs_no_connection(open_bus, ask, caplog, row):
    """What another program says on the channel: the driver refused the number, and every process lost its connection over it."""
    one, two = await open_bus(), await open_bus()
    there = heard_by(two)
    await ask(f"SELECT pg_notify('lazymcp_news', '[\"news\", {row}]')")
    await one.publish("news", "afterwards")
    assert await next_of(there) == "afterwards"
    assert "another program uses this channel" in caplog.text
    assert "until the database is back" not in caplog.text


async def test_a_long_line_of_publishers_costs_no_connection(open_bus, caplog, monkeypatch):
    """Whoever had its turn in its last moment gave up a database that was only busy."""
    one, two = await open_bus(), await open_bus()
    there = heard_by(two)
    monkeypatch.setattr(sql, "PUBLISH_WITHIN_S", 1.0)
    engine = create_async_engine(one.engine.url)
    async with engine.begin() as connection:
        await connection.execute(sa.text("LOCK TABLE lazymcp_news IN ACCESS EXCLUSIVE MODE"))
        async with one._line:
            waiting = asyncio.create_task(one.publish("news", LARGE))
            await asyncio.sleep(0.7)
        await asyncio.sleep(0.5)
    await engine.dispose()
    await waiting
    assert await next_of(there) == LARGE
    assert "until the database is back" not in caplog.text


async def test_a_publisher_that_is_cancelled_spoils_nothing_for_the_others(open_bus):
    one, two = await open_bus(), await open_bus()
    there = heard_by(two)
    for number in range(20):
        task = asyncio.create_task(one.publish("news", number))
        await asyncio.sleep(0)
        task.cancel()
    await one.publish("news", "last")
    assert [await next_of(there) for _ in range(21)] == [*range(20), "last"]


async def test_what_others_send_over_the_channel_disturbs_nobody(open_bus, ask, caplog):
    bus = await open_bus()
    there = heard_by(bus)
    for payload in ("", "nonsense", "5", "[]", '["news"]', '["news", 424242]', '["news", "x"]', '{"a": 1}', '[["news"], null, 1]'):
        await ask(f"NOTIFY lazymcp_news, '{payload}'")
    await ask("""NOTIFY lazymcp_news, '["news", null, 1]'""")
    assert await next_of(there) == 1
    assert "another program uses this channel" in caplog.text


async def test_large_messages_are_removed_after_a_minute(open_bus, ask, monkeypatch):
    monkeypatch.setattr(sql, "_ASK_AFTER_S", 0.05)
    bus = await open_bus()
    await bus.publish("news", LARGE)
    await ask("UPDATE lazymcp_news SET published_at = now() - interval '61 seconds'")
    await bus.publish("news", LARGE + "new")

    async def left():
        return [row[0] for row in await ask("SELECT length(message) FROM lazymcp_news")]

    async with asyncio.timeout(10):
        while await left() != [len(LARGE) + 5]:
            await asyncio.sleep(0.02)


async def test_a_process_without_listeners_reads_no_large_messages(open_bus, ask):
    one, two = await open_bus(), await open_bus()
    there = heard_by(two, "end")
    await one.publish("news", LARGE)
    await ask("DELETE FROM lazymcp_news")
    await one.publish("end", 1)
    assert await next_of(there) == 1


async def test_publishing_from_a_thread_with_a_loop_of_its_own(open_bus):
    one, two = await open_bus(), await open_bus()
    there = heard_by(two)
    await asyncio.to_thread(lambda: asyncio.run(one.publish("news", 1)))
    assert await next_of(there) == 1


async def test_a_bus_that_is_not_open_says_so(postgres_url):
    engine = create_async_engine(postgres_url)
    bus = PostgresBus(engine)
    with pytest.raises(BusUnavailable, match="async with PostgresBus"):
        await bus.publish("news", 1)
    async with bus:
        pass
    with pytest.raises(BusUnavailable, match="async with PostgresBus"):
        await bus.publish("news", 1)
    async with bus:  # a lifespan may run twice
        there = heard_by(bus)
        await bus.publish("news", 1)
        assert there.get_nowait() == 1
    await engine.dispose()


async def test_closing_lets_out_what_is_on_its_way_and_leaves_no_connection(open_bus, postgres_url, ask):
    two = await open_bus()
    there = heard_by(two)
    engine = create_async_engine(postgres_url)
    async with PostgresBus(engine) as bus:
        tasks = [asyncio.create_task(bus.publish("news", number)) for number in range(50)]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert [await next_of(there) for _ in range(50)] == list(range(50))
    await engine.dispose()
    count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    async with asyncio.timeout(10):
        while (await ask(count))[0][0] > 2:  # the other bus and its pool
            await asyncio.sleep(0.02)


async def test_it_is_for_postgresql_and_asyncpg():
    engine = create_async_engine("sqlite+aiosqlite://")
    with pytest.raises(ValueError, match=r"needs postgresql\+asyncpg; the engine is sqlite\+aiosqlite"):
        PostgresBus(engine)
    await engine.dispose()


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


class unreachable:  # noqa: N801  # reads as a block
    """The bus cannot make a connection while the block runs."""

    def __init__(self, bus):
        self._bus = bus

    async def __aenter__(self):
        self._event = sa.event.listens_for(self._bus.engine.sync_engine, "do_connect")(self._refuse)
        self._bus._driver.result().terminate()
        await until(lambda: not self._bus._driver.done())

    async def __aexit__(self, *_):
        sa.event.remove(self._bus.engine.sync_engine, "do_connect", self._refuse)

    def _refuse(self, *_):
        raise OSError("no route to the database")
