"""The suite, installed once for all tests of this folder."""

import pytest

from tests.conformance.suite import Suite, install


@pytest.fixture(scope="session")
def suite(request: pytest.FixtureRequest) -> Suite:
    """The official suite."""
    assert request.config.cache is not None
    return install(request.config.cache)
