"""What the flows share: a running server on each database, and Node."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.node import install
from tests.flows.serving import PASSWORD, ROOT, SECRET_KEY, Server


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    """The example application, served; its log must end without a traceback and without a secret."""
    with Server(tmp_path / "server.log", {"DATABASE_URL": database_url}) as server:
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
