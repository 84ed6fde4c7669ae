"""A running authorization server for each test, on a store in memory or on SQLite."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import Config, MemoryRefreshTokenStates, SQLRefreshTokenStates
from tests.lazyoauth.journey import ISSUER, SECRET, Clock, Journey, PlainUsers, make_journey, make_users

Start = Callable[..., Journey]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def users() -> PlainUsers:
    return make_users()


@pytest.fixture
def start(users: PlainUsers, clock: Clock) -> Start:
    """Starts a server, with settings of your choice."""

    def begin(**settings: Any) -> Journey:
        defaults: dict[str, Any] = {
            "issuer": ISSUER,
            "refresh_token_states": MemoryRefreshTokenStates(clock),
            "authenticator": users,
            "secret": SECRET,
            "now": clock,
        }
        return make_journey(Config(**defaults | settings), users, clock)

    return begin


@pytest.fixture
def journey(start: Start) -> Journey:
    """A server with a store in memory and a clock that stands still."""
    return start()


@pytest.fixture
async def sqlite_states(tmp_path: Path) -> AsyncIterator[SQLRefreshTokenStates]:
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/states.sqlite3")
    async with SQLRefreshTokenStates(engine) as states:
        yield states
    await engine.dispose()
