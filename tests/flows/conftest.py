"""What the flows share: running servers on each database, and Node."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from tests.flows.node import install
from tests.flows.serving import PASSWORD, ROOT, SECRET_KEY, Server


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=["sqlite", "postgres"])
async def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """The example application on each database, served for all tests that leave it running."""
    folder = tmp_path_factory.mktemp("server")
    async with AsyncExitStack() as stack:
        url = f"sqlite+aiosqlite:///{folder / 'server.sqlite3'}"
        if request.param == "postgres":
            url = await stack.enter_async_context(request.getfixturevalue("postgres").database())
        yield stack.enter_context(watched(Server(folder / "server.log", {"DATABASE_URL": url})))


@pytest.fixture
def own_server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    """The same for one test alone, which may kill it."""
    with watched(Server(tmp_path / "server.log", {"DATABASE_URL": database_url})) as server:
        yield server


@contextmanager
def watched(server: Server) -> Iterator[Server]:
    """Let it run for the time of the block; its log must end without a traceback and without a secret."""
    with server:
        yield server
    assert "Traceback" not in server.log
    assert PASSWORD not in server.log
    assert SECRET_KEY not in server.log


@pytest.fixture(scope="session")
def node(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Node, and the folder with the TypeScript clients."""
    assert request.config.cache is not None
    return install(request.config.cache)


@pytest.fixture
def application(tmp_path: Path) -> Path:
    """A copy of the example application, for tests that change it."""
    folder = tmp_path / "application"
    for name in ("app", "init"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder
