"""`lazyapp.testing.client`: one fixture for pages, AI clients and their login."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lazyapp
from init.app import app as example
from lazyapp.testing import Client
from lazyapp.testing import client as opened
from tests.lazyapp.testing.shop import ANN, Prices, season, shop


async def test_services_have_stand_ins_for_as_long_as_the_client_is_open() -> None:
    """docs/testing.md, "Other things for services": in pages and tools alike."""
    app = shop()
    async with opened(app, services={Prices: Prices(9)}) as client:
        assert (await client.mcp(ANN).call("shop.price")).structured == {"price": 9}
    async with opened(app) as client:
        assert (await client.mcp(ANN).call("shop.price")).structured == {"price": 7}


async def test_a_test_that_fails_leaves_its_stand_ins_to_nobody() -> None:
    """docs/testing.md, "Other things for services": the next test has the application's own again."""
    app = shop()
    with pytest.raises(RuntimeError, match="the test failed"):
        async with opened(app, services={Prices: Prices(9)}, dependencies={season: lambda: "summer"}):
            raise RuntimeError("the test failed")
    async with opened(app) as client:
        assert (await client.mcp(ANN).call("shop.price")).structured == {"price": 7}
        assert (await client.get("/season")).json() != {"season": "summer"}


async def test_dependencies_are_overridden_and_come_back() -> None:
    """FastAPI's `dependency_overrides`, whether the test uses the argument or the dictionary."""
    app = shop()
    async with opened(app, dependencies={season: lambda: "summer"}) as client:
        assert (await client.get("/season")).json() == {"season": "summer"}
        app.dependency_overrides[season] = lambda: "spring"
        assert (await client.get("/season")).json() == {"season": "spring"}
    assert app.dependency_overrides == {}


async def test_the_official_client_talks_to_the_same_application(client: Client) -> None:
    async with client.mcp_session(ANN) as session:
        assert (await session.call_tool("shop.price")).structured_content == {"price": 7}


async def test_a_start_that_fails_is_raised_and_leaves_nothing_behind() -> None:
    def no_shelf() -> None:
        raise LookupError("no shelf")

    app = shop()
    with pytest.raises(lazyapp.StartupError, match="service Prices"):
        async with opened(app, {Prices: no_shelf}, dependencies={season: season}):
            raise AssertionError("it did start")
    assert app.dependency_overrides == {}
    async with opened(app) as client:
        assert (await client.get("/season")).status == 200


def test_lazyapp_alone_loads_no_testing() -> None:
    """Its users are tests; an application that is served pays nothing for it."""
    question = "import sys, lazyapp, lazyapp.app; print([name for name in sys.modules if name.startswith('lazyapp.testing')])"
    done = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


GUIDE = Path(__file__).parents[3] / "docs" / "testing.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
TESTS = [code for code in BLOCKS if "async def test_" in code]


@pytest.mark.parametrize("code", TESTS, ids=[re.findall(r"async def (test_\w+)", code)[0] for code in TESTS])
async def test_the_tests_that_the_guide_shows_pass(code: str) -> None:
    """docs/testing.md teaches with them; its other blocks are run by tests/test_docs.py."""
    names: dict[str, object] = {"__name__": "guide"}
    exec(compile(code, str(GUIDE), "exec"), names)
    for name, shown in names.items():
        if name.startswith("test_") and callable(shown):
            async with opened(example) as client:
                await (shown(client) if "client" in inspect.signature(shown).parameters else shown())
