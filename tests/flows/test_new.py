"""`lazyapp new`: from an empty folder, without a network, to an application whose test passes and whose login works."""

import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.flows.python_clients import Storage, sdk_client, sdk_journey, sdk_oauth
from tests.flows.serving import Server, environment_for

#: Nobody answers there: whoever wants a network fails at once.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9") | {
    "no_proxy": "localhost,127.0.0.1,::1"
}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = environment_for(NO_NETWORK)
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    made = run(tmp_path, "-m", "lazyapp", "new", "shop")
    assert made.returncode == 0, made.stderr
    return tmp_path / "shop"


def test_its_own_test_passes(shop):
    """Issue 2, item 7."""
    done = run(shop, "-m", "pytest", "-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


async def test_page_login_and_tool_call_work_as_in_the_example(shop, tmp_path):
    """Issue 2: then `lazyapp serve` there."""
    with Server(tmp_path / "server.log", NO_NETWORK, folder=shop) as server:
        async with httpx2.AsyncClient() as http:
            page = await http.get(server.url)
        assert page.status_code == 200
        assert "shop" in page.text
        async with sdk_client(server.url, sdk_oauth(server.url, Storage())) as client:
            (await sdk_journey(client)).check()
    assert "Traceback" not in server.log


def test_it_has_the_scripts_that_the_repository_has(shop):
    """Design, section 7."""
    for script in ("serve", "test"):
        assert (shop / "bin" / script).stat().st_mode & 0o111
