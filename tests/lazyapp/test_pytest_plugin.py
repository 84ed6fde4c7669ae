"""The pytest plugin, in a pytest run of its own."""

import subprocess
import sys
from pathlib import Path

from tests.lazyapp.tiny_app import environment, write_app

TEST = """
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_application_is_ours_and_nothing_was_loaded_for_it():
    assert "lazyapp.app" not in sys.modules
    assert "fastapi" not in sys.modules
    assert os.environ["LAZYAPP_ENV"] == "{env}"
    assert os.environ["LAZYAPP_ROOT"] == str(ROOT)
    import init
    assert Path(init.__file__).parent.parent == ROOT
"""


def pytest_in(folder: Path, env: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "tests").mkdir()
    (folder / "tests" / "test_it.py").write_text(TEST.format(env=env))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:anyio", "tests"]
    return subprocess.run(command, cwd=folder, env=environment(**variables), capture_output=True, text=True, check=False)


def test_tests_run_in_the_test_environment_with_their_own_init_first(tmp_path: Path) -> None:
    """Design 7: `test` under the pytest plugin; design 2: the application's folder first."""
    result = pytest_in(write_app(tmp_path), "test")
    assert result.returncode == 0, result.stdout + result.stderr


def test_an_environment_that_was_chosen_is_kept(tmp_path: Path) -> None:
    result = pytest_in(write_app(tmp_path), "production", LAZYAPP_ENV="production")
    assert result.returncode == 0, result.stdout + result.stderr


OWN_FIXTURES = """
from lazyapp.testing import Client


async def test_the_fixture_is_the_application_running(client: Client) -> None:
    assert (await client.get("/facts")).json()["version"] == 1
"""


def test_the_application_comes_as_a_fixture(tmp_path: Path) -> None:
    """docs/testing.md: there is nothing to import or configure. Tests are async by anyio, which comes with lazyapp."""
    folder = write_app(tmp_path)
    (folder / "test_it.py").write_text(OWN_FIXTURES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--anyio-mode=auto", "test_it.py"]
    result = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 passed" in result.stdout
