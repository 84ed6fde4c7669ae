"""The example application as a process, for every client of this folder."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from tests.flows.conftest import node, watched
from tests.flows.serving import Server

__all__ = ["node"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Served for all tests that leave it running."""
    folder = tmp_path_factory.mktemp("clients")
    url = f"sqlite+aiosqlite:///{folder / 'server.sqlite3'}"
    with watched(Server(folder / "server.log", {"DATABASE_URL": url})) as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=30) as client:
        yield client
