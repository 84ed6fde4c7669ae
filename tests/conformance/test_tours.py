"""Two judges more: unmodified clients use everything that they know, on one process and on several.

Issue 3, "Bars"; what each must see stands in `tour.py`.
"""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from tests.conformance.python_tours import fastmcp_tour, sdk_tour
from tests.conformance.running import Running, running
from tests.conformance.tour import CAPITAL, DECLINED, FILLED, ROOT, WATCHED, Tour
from tests.flows.node import answer_of, install

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])
# Logging is deprecated, and still served to whoever asks.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
TOUR_TIMEOUT_S = 60


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=[1, 2], ids=["one process", "two processes"])
async def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    """The server under test, for all clients."""
    workers: int = request.param
    async with AsyncExitStack() as stack:
        postgres = request.getfixturevalue("postgres") if workers > 1 else None
        database = await stack.enter_async_context(postgres.database()) if postgres else ""
        log = tmp_path_factory.mktemp("tours") / "server.log"
        yield stack.enter_context(running(log, workers=workers, database=database))


@pytest.fixture(scope="session")
def node(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Node, and the folder with the TypeScript clients."""
    assert request.config.cache is not None
    return install(request.config.cache)


@MODES
async def test_the_python_sdk_sees_everything(server, mode):
    (await sdk_tour(server.url, mode)).check()


@MODES
async def test_fastmcp_sees_everything(server, mode):
    (await fastmcp_tour(server.url, mode)).check()


@pytest.mark.parametrize("sdk", ["v2", "v2-legacy", "v1"])
async def test_the_typescript_sdk_sees_everything(server, node, sdk):
    command, folder = node
    person = {"filled": FILLED, "declined": DECLINED, "capital": CAPITAL, "root": ROOT, "watched": WATCHED}
    seen = await answer_of(command, folder / "tour.mjs", sdk, server.url, json.dumps(person), timeout_s=TOUR_TIMEOUT_S)
    Tour(**seen).check()
