"""What the tests of commands share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lazyapp.cli.forking import Commands
from tests.lazyapp.everything_app import EVERYTHING_APP
from tests.lazyapp.tiny_app import write_app

EXAMPLE = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def lazyapp() -> Iterator[Commands]:
    """`lazyapp(folder, *arguments)` runs a command."""
    commands = Commands()
    yield commands
    commands.close()


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an application with everything that the commands of `lazyapp mcp` meet."""
    return write_app(tmp_path_factory.mktemp("everything"), EVERYTHING_APP)
