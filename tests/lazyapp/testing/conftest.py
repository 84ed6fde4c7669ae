"""The shop, open for each test."""

from collections.abc import AsyncIterator

import pytest

from lazyapp.testing import Client
from lazyapp.testing import client as opened
from tests.lazyapp.testing.shop import shop


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(shop()) as client:
        yield client
