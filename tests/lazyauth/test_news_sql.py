"""What the tables share; test_sql.py has them at work."""

import asyncio
import logging

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.ext.asyncio import create_async_engine

from lazyauth import UsersUnavailable
from lazyauth.news_sql import listen, stop, translated


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("INSERT", {"password_hash": "$argon2id$secret"}, OSError("connection refused")),
        IntegrityError("INSERT", {"password_hash": "$argon2id$secret"}, ValueError("no such column")),
        OSError("connection refused"),
        TimeoutError(),
    ],
    ids=range(4),
)
def test_an_error_of_the_database_keeps_its_reason_and_loses_its_parameters(caplog, error):
    with pytest.raises(UsersUnavailable, match="cannot be reached") as caught, translated():
        raise error
    logging.getLogger("test").error("failed", exc_info=caught.value)
    assert "secret" not in caplog.text


async def test_listening_goes_on_after_the_database_hung_up(postgres_url, caplog, monkeypatch):
    monkeypatch.setattr("lazyauth.news_sql._RETRY_S", 0.01)
    engine = create_async_engine(postgres_url)
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener = asyncio.create_task(listen(engine, "tests_news", heard.put_nowait))

    async def until_heard(word):
        async with asyncio.timeout(20), engine.connect() as connection:
            while heard.empty():
                await connection.execute(text("SELECT pg_notify('tests_news', :word)"), {"word": word})
                await connection.commit()
                await asyncio.sleep(0.02)
        assert await heard.get() == word

    await until_heard("before")
    async with engine.begin() as connection:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        await connection.execute(text(ended))
    async with asyncio.timeout(20):
        while "arrive late" not in caplog.text:
            await asyncio.sleep(0.01)
    while not heard.empty():
        heard.get_nowait()
    await until_heard("after")
    await stop(listener)
    await engine.dispose()


async def test_news_is_heard_where_the_application_begins_a_transaction_on_each_connection(postgres_url):
    """https://www.postgresql.org/docs/current/sql-listen.html: LISTEN takes effect at transaction commit."""
    engine = create_async_engine(postgres_url)

    @event.listens_for(engine.sync_engine, "checkout")
    def set_time_zone(connection, *_):
        connection.cursor().execute("SET TIME ZONE 'Europe/Berlin'")

    heard = asyncio.Event()
    listener = asyncio.create_task(listen(engine, "tests_news", lambda _: heard.set()))
    async with asyncio.timeout(10), engine.connect() as connection:
        while not heard.is_set():
            await connection.execute(text("SELECT pg_notify('tests_news', 'word')"))
            await connection.commit()
            await asyncio.sleep(0.02)
    await stop(listener)
    await engine.dispose()


async def test_a_listener_ends_even_if_a_cancellation_is_swallowed_on_its_way(monkeypatch):
    """A driver that catches what it should let through must not keep an application from closing."""
    monkeypatch.setattr("lazyauth.news_sql._INSIST_AFTER_S", 0.01)
    swallowed = asyncio.Event()

    async def hear():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            swallowed.set()
        await asyncio.Event().wait()

    listener = asyncio.create_task(hear())
    await asyncio.sleep(0)
    await stop(listener)
    assert swallowed.is_set()
    assert listener.cancelled()
    await stop(listener)
    await stop(None)
