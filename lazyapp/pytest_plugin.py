"""The pytest plugin: tests of an application run under LAZYAPP_ENV=test and import its own `app` and `init`.

It is loaded by every pytest run on a machine that has lazyapp, so it imports nothing of the framework and changes nothing where no
application stands, the variable aside. Its two fixtures load what they need when a test asks for them.
"""

import os
from collections.abc import AsyncIterator
from typing import Any

import pytest

from lazyapp import location


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any conftest can import `init.app`."""
    os.environ.setdefault("LAZYAPP_ENV", "test")
    here = location.find(early_config.rootpath)
    if here is not None:
        location.make_importable(here.root)
        os.environ.setdefault("LAZYAPP_ROOT", str(here.root))


@pytest.fixture
def app(pytestconfig: pytest.Config) -> Any:
    """The application in whose folder the tests stand: the `lazyapp.App` of `init/app.py`, or of `[tool.lazyapp] app`.

    A test module with a fixture `app` of its own tests that one.
    """
    return location.load(location.enter(pytestconfig.rootpath))


@pytest.fixture
async def client(app: Any) -> AsyncIterator[Any]:
    """A `lazyapp.testing.Client` of the fixture `app`, which runs while the test does."""
    from lazyapp import testing

    async with testing.client(app) as opened:
        yield opened
