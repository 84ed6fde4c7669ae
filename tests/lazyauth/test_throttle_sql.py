"""Tallies in a database; test_throttle.py has the rule."""

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from lazyauth import Credential, InvalidCredentials, LoginThrottle, MemoryUsers, SQLLoginFailures, TooManyTries
from lazyauth.throttle import Tally


@pytest.fixture
async def engine(database_url):
    engine = create_async_engine(database_url)
    yield engine
    await engine.dispose()


async def test_each_wrong_password_adds_one_whoever_counts_at_once(engine):
    async with SQLLoginFailures(engine) as tallies:
        await asyncio.gather(*(tallies.add(["a", "b"] if turn % 2 else ["b", "a"], 100.5, 0) for turn in range(20)))
        assert await tallies.read(["a", "b", "c"]) == {"a": Tally(20, 100.5), "b": Tally(20, 100.5)}
        await tallies.clear("a")
        assert await tallies.read(["a", "b"]) == {"b": Tally(20, 100.5)}
        await tallies.add(["b"], 9_000, since=5_400)
        assert await tallies.read(["b"]) == {"b": Tally(1, 9_000)}


async def test_old_tallies_go_now_and_then(engine, monkeypatch):
    monkeypatch.setattr("lazyauth.throttle_sql._PURGE_EVERY", 3)
    async with SQLLoginFailures(engine) as tallies:
        for number in range(2):
            await tallies.add([f"old-{number}"], 100, 0)
        await tallies.add(["new"], 9_000, since=5_400)
        async with engine.connect() as connection:
            assert (await connection.execute(text("SELECT key FROM lazyauth_login_failures"))).scalars().all() == ["new"]


async def test_two_processes_count_together(engine):
    users = MemoryUsers()
    await users.add("ada", "correct horse")
    async with SQLLoginFailures(engine) as tallies:
        one, two = LoginThrottle(tallies, free=2), LoginThrottle(tallies, free=2)
        for throttle in (one, two):
            with pytest.raises(InvalidCredentials):
                await throttle.authenticate(users, Credential("ada", "wrong"), "192.0.2.1")
        with pytest.raises(TooManyTries):
            await one.authenticate(users, Credential("ada", "correct horse"), "192.0.2.1")
        assert (await one.authenticate(users, Credential("ada", "correct horse"), "198.51.100.1")).id == "ada"
