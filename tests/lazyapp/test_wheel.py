"""What `pip install lazyapp` gives: the wheel alone, without the checkout beside it, makes an application that works."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lazyapp.tiny_app import environment

CHECKOUT = Path(__file__).parents[2]
#: Nobody answers there: whoever wants a network fails at once.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")

PAGE = """
import sys
import lazyapp, lazymcp, lazyauth, lazyoauth, lazyview
from starlette.testclient import TestClient
from lazyapp import location

app = location.load(location.enter())
with TestClient(app, base_url="http://localhost:3000") as client:
    page = client.get("/")
print(page.status_code, "shop" in page.text)
for name in ("lazyapp", "lazymcp", "lazyauth", "lazyoauth", "lazyview", "app", "init"):
    print(sys.modules[name].__file__)
"""


def run(folder: Path, *command: str | Path, **variables: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment(**NO_NETWORK, **variables), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel of this checkout was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    run(CHECKOUT, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    [wheel] = folder.glob("lazyapp-*.whl")
    options = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-compile")
    run(folder, sys.executable, "-m", "pip", "install", *options, "--target", folder / "installed", wheel)
    return folder / "installed"


@pytest.fixture(scope="module")
def shop(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new application, made by the installed command."""
    folder = tmp_path_factory.mktemp("desk")
    said = run(folder, installed / "bin" / "lazyapp", "new", "shop", PYTHONPATH=str(installed))
    assert "Created shop/" in said
    return folder / "shop"


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("options", [(), ("--without-oauth",), ("--without-mcp",)])
def test_the_wheel_makes_the_application_that_the_checkout_makes(installed: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    """docs/new.md: the scaffold is found in the wheel, or in the repository; never stale."""
    run(tmp_path, installed / "bin" / "lazyapp", "new", "shop", "--dir", "wheel", *options, PYTHONPATH=str(installed))
    run(tmp_path, sys.executable, "-m", "lazyapp", "new", "shop", "--dir", "checkout", *options)
    assert contents(tmp_path / "wheel") == contents(tmp_path / "checkout")


def test_a_new_application_serves_its_page_with_the_installed_packages(installed: Path, shop: Path) -> None:
    """Issue 2: `pip install lazyapp`, `lazyapp new shop`. Not one module comes from the checkout."""
    status, *files = run(shop, sys.executable, "-P", "-c", PAGE, PYTHONPATH=str(installed), LAZYAPP_ENV="test").splitlines()
    assert status == "200 True"
    assert [Path(file).is_relative_to(installed) for file in files] == [True] * 5 + [False] * 2
    assert all(Path(file).is_relative_to(shop) for file in files[5:])


def test_the_test_of_a_new_application_passes_with_the_installed_packages(installed: Path, shop: Path) -> None:
    """Issue 2: a page, a login and a tool call."""
    assert " passed" in run(shop, sys.executable, "-m", "pytest", "-q", PYTHONPATH=str(installed))
