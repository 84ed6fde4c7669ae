"""The stores of tasks, for the tests that run with each of them."""

from collections.abc import AsyncIterator

import pytest

from lazymcp.task_store import TaskStore
from tests.lazymcp.task_peer import STORES, open_store


@pytest.fixture(params=STORES)
def task_store_url(request: pytest.FixtureRequest) -> str:
    """Where tasks are kept; "" is memory."""
    return "" if request.param == "memory" else str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
async def task_store(task_store_url: str) -> AsyncIterator[TaskStore]:
    """A store of tasks; the test runs once with each kind."""
    async with open_store(task_store_url) as store:
        yield store
