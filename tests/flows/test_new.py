"""A newcomer's first minutes: `lazyapp new shop && cd shop && bin/serve`, on a machine that has Python, lazyapp and no network."""

import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from lazyapp.scaffold import Shape
from tests.flows.python_clients import Storage, sdk_client, sdk_journey, sdk_oauth
from tests.flows.serving import Server, environment_for
from tests.lazyapp.tiny_app import environment, serving

#: Nobody answers there: whoever wants a network fails at once.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9") | {
    "no_proxy": "localhost,127.0.0.1,::1"
}
#: No virtual environment is entered: the scripts find by themselves the Python that has lazyapp.
PLAIN = NO_NETWORK | {"PATH": "/usr/local/bin:/usr/bin:/bin"}
BIN_SERVE = ("bin/serve", "--port", "0", "--no-reload")
OPTIONS = {Shape.WHOLE: (), Shape.OPEN: ("--without-oauth",), Shape.PAGES: ("--without-mcp",)}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    variables = environment_for(NO_NETWORK)
    return subprocess.run([sys.executable, *command], cwd=folder, env=variables, capture_output=True, text=True, check=False)


def new_shop(folder: Path, shape: Shape = Shape.WHOLE) -> Path:
    made = run(folder, "-m", "lazyapp", "new", "shop", *OPTIONS[shape])
    assert made.returncode == 0, made.stderr
    return folder / "shop"


async def test_a_newcomer_sees_a_page_and_signs_a_client_in_with_what_the_terminal_shows(tmp_path: Path) -> None:
    """docs/new.md: page, login, tool call by an official client; design 7, the first minute."""
    shop = new_shop(tmp_path)
    with serving(shop, command=BIN_SERVE, **PLAIN) as server:
        url = server.wait_until_up()
        password = server.wait_for(r"Sign in +admin / ").split()[4]
        added = server.wait_for("Claude").split()
        assert added[-1] == f"{url}/mcp"
        async with httpx2.AsyncClient() as http:
            page = await http.get(url)
        assert page.status_code == 200
        assert "It runs." in page.text
        assert f"{url}/mcp" in page.text
        async with sdk_client(url, sdk_oauth(url, Storage(), password)) as client:
            (await sdk_journey(client)).check()
        assert server.end() == 0
    assert not any("Traceback" in line for line in server.lines)
    assert not (shop / ".venv").exists()


async def test_without_oauth_a_client_calls_a_tool_at_once_and_people_still_sign_in(tmp_path: Path) -> None:
    """docs/new.md: `--without-oauth`; /mcp is open on this machine."""
    with serving(new_shop(tmp_path, Shape.OPEN), command=BIN_SERVE, **PLAIN) as server:
        url = server.wait_until_up()
        assert "OAuth off" in server.wait_for("MCP ")
        password = server.wait_for(r"Sign in +admin / ").split()[4]
        async with sdk_client(url, None) as client:
            counted = await client.call_tool("admin.user_count", {})
            assert counted.structured_content == {"count": 3}
        await people_sign_in(url, password)
        async with httpx2.AsyncClient(base_url=url) as http:
            for path in ("/oauth/authorize", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"):
                assert (await http.get(path)).status_code == 404, path


async def test_without_mcp_there_are_pages_and_their_login(tmp_path: Path) -> None:
    """docs/new.md: `--without-mcp`."""
    with serving(new_shop(tmp_path, Shape.PAGES), command=BIN_SERVE, **PLAIN) as server:
        url = server.wait_until_up()
        password = server.wait_for(r"Sign in +admin / ").split()[4]
        await people_sign_in(url, password)
        async with httpx2.AsyncClient(base_url=url) as http:
            assert (await http.post("/mcp", json={})).status_code == 404
            assert (await http.get("/.well-known/oauth-authorization-server")).status_code == 404
    assert not any("mcp" in line.lower() for line in server.lines)


async def people_sign_in(url: str, password: str) -> None:
    async with httpx2.AsyncClient(base_url=url, follow_redirects=True, headers={"origin": url}) as http:
        assert "Sign in to add an account" in re.sub("<.*?>", "", (await http.get("/accounts")).text)
        await http.post("/login", data={"username": "admin", "password": password})
        assert "Add an account" in (await http.get("/accounts")).text


async def test_its_client_stays_known_over_a_restart(tmp_path: Path) -> None:
    """docs/new.md, "The first run"; what the log of it may not hold is looked for too."""
    storage = Storage()
    with Server(tmp_path / "server.log", NO_NETWORK, folder=new_shop(tmp_path)) as server:
        async with sdk_client(server.url, sdk_oauth(server.url, storage)) as client:
            (await sdk_journey(client)).check()
        server.stop()
        server.start()
        async with sdk_client(server.url, sdk_oauth(server.url, storage)) as client:
            (await sdk_journey(client)).check()
    assert storage.logins == 1
    assert "Traceback" not in server.log


@pytest.mark.slow
def test_its_own_tests_pass_where_no_environment_is_entered(tmp_path: Path) -> None:
    """docs/new.md: `bin/test` passes there, with what is installed and no network."""
    shop = new_shop(tmp_path)
    command = ["bin/test", "-q"]
    done = subprocess.run(command, cwd=shop, env=environment(**PLAIN), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE)
    assert not (shop / ".venv").exists()
