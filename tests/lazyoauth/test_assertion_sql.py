"""Used client assertions in a database, and two processes that share it. RFC 7523, section 3."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyoauth import AssertionStore, RegisteredClient, SQLAssertions
from lazyoauth.assertion_sql import assertions
from lazyoauth.assertions import key_of
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import Clock, error_of, tokens_of
from tests.lazyoauth.signing import Signer

KEY = key_of("robot", "1")


@pytest.fixture
async def engines(database_url: str) -> AsyncIterator[list[AsyncEngine]]:
    """Two connections to one database, as two processes have them."""
    made = [create_async_engine(database_url) for _ in range(2)]
    yield made
    for engine in made:
        await engine.dispose()


async def test_of_many_in_two_processes_one_is_first(engines):
    """RFC 7523, section 3, item 7: the primary key decides."""
    stores: list[AssertionStore] = [SQLAssertions(engine) for engine in engines]
    for number in range(5):
        key, end = key_of("robot", str(number)), time.time() + 300
        answers = await asyncio.gather(*(stores[turn % 2].spend(key, end) for turn in range(20)))
        assert sorted(answers) == [False] * 19 + [True]


async def test_an_assertion_seen_by_one_process_is_refused_by_the_other(start: Start, clock: Clock, engines):
    """A28. RFC 7523, section 3, item 7."""
    signer = Signer("robot", clock)
    client = RegisteredClient(id="robot", name="Robot", grant_types=("client_credentials",), jwks=signer.jwks)
    one, other = (start(clients=(client,), assertions=SQLAssertions(engine)) for engine in engines)
    form = {"grant_type": "client_credentials", **signer.form()}
    tokens_of(await one.http.post("/oauth/token", data=form))
    for journey in (other, one):
        assert error_of(await journey.http.post("/oauth/token", data=form)) == (401, "invalid_client")
    # Alone, each of them would have accepted it: what stops it is the table they share.
    tokens_of(await start(clients=(client,)).http.post("/oauth/token", data=form))


async def test_what_is_over_is_removed(engines):
    """The table holds minutes, not years."""
    first, second = (SQLAssertions(engine) for engine in engines)
    assert await first.spend(KEY, time.time() - 3600)
    assert await second.spend(key_of("robot", "2"), time.time() + 300)
    async with engines[0].connect() as connection:
        assert (await connection.execute(sa.select(assertions.c.key))).scalars().all() == [key_of("robot", "2")]
