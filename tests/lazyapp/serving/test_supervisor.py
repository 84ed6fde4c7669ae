"""The supervisor of `lazyapp serve`, as processes on a small application."""

import contextlib
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.lazyapp.tiny_app import NOTES_APP, PATIENCE_S, TINY_APP, facts, serving, wait_until_gone, write_app

BROKEN_START = """
import lazyapp


def refuse(routes):
    raise RuntimeError("the drawer is broken")


app = lazyapp.App(lazyapp.Config(name="tiny", drawer=refuse))
"""
#: It cannot start for as long as there is a file `away`, and dies when asked to.
FRAGILE_APP = (
    """
from pathlib import Path


class Database:
    pass


async def open_database():
    if Path("away").exists():
        raise ConnectionError("the database is away")
    yield Database()


def depend(services):
    services.add(Database, open_database)
"""
    + TINY_APP.replace('name="tiny"', 'name="tiny", dependencies=depend')
    + """

@app.get("/die")
async def die() -> None:
    os._exit(7)
"""
)
#: Its tool works until there is a file `go`.
SLOW_APP = NOTES_APP.replace("import lazyapp\n", "import asyncio\nfrom pathlib import Path\n\nimport lazyapp\n", 1).replace(
    '        print("hello from", lazyauth.require_user().id)\n',
    """        print("at work", flush=True)
        while not Path("go").exists():
            await asyncio.sleep(0.02)
""",
)
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "notes.count",
        "arguments": {},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}},
    },
}
CALL_HEADERS = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "notes.count",
    "Accept": "application/json, text/event-stream",
}
PRODUCTION = {"SECRET_KEY": "k" * 32, "DATABASE_URL": "sqlite+aiosqlite:///app.db", "DRAIN_DELAY_S": "0", "LAZYAPP_MIGRATE": "auto"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_app(tmp_path)


@contextlib.contextmanager
def open_stream(origin: str) -> Iterator[None]:
    """An event stream that stays open and is being sent."""
    with httpx2.stream("GET", f"{origin}/stream", timeout=PATIENCE_S) as response:
        next(response.iter_raw())
        yield


def change(folder: Path, old: str, new: str) -> None:
    path = folder / "init" / "app.py"
    path.write_text(path.read_text().replace(old, new))


def test_it_serves_on_both_loopback_addresses_and_ends_with_its_process_on_sigterm(folder: Path) -> None:
    """Design 7: exit 0, children gone; 5: both loopback sockets are bound."""
    with serving(folder) as server:
        origin = server.wait_until_up()
        port = origin.rpartition(":")[2]
        assert origin == f"http://localhost:{port}"
        pid = facts(f"http://127.0.0.1:{port}")["pid"]
        httpx2.get(f"{origin}/facts?code=topsecret")
        if Path("/proc/net/if_inet6").exists():
            assert facts(f"http://[::1]:{port}")["pid"] == pid
        assert server.end() == 0
        wait_until_gone(pid)
        assert any(line.endswith("GET    200  /facts") for line in server.lines)
        assert not any("topsecret" in line for line in server.lines)


def test_a_change_is_served_although_a_stream_is_open_and_no_request_is_refused(folder: Path) -> None:
    """https://github.com/Kludex/uvicorn/issues/2943: an open event stream must not hold up a reload."""
    with serving(folder) as server:
        origin = server.wait_until_up()
        before = facts(origin)
        with open_stream(origin):
            change(folder, "VERSION = 1", "VERSION = 2")
            server.wait_for(r"init/app\.py changed, starting again")
            # For a while nobody accepts, yet every connection stands: the socket is the supervisor's.
            while (after := facts(origin))["version"] == 1:
                pass
        assert (before["version"], after["version"]) == (1, 2)
        assert before["pid"] != after["pid"]
        assert before["password"] == after["password"]
        wait_until_gone(before["pid"])


def test_a_broken_start_is_shown_short_and_the_next_change_is_waited_for(folder: Path) -> None:
    """The place in the developer's own file, no wall of traceback, and the banner when the application is really up.

    It ends on Ctrl-C: a terminal sends SIGINT to all, and only the supervisor decides.
    """
    (folder / "init" / "app.py").write_text(BROKEN_START)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with serving(folder, "--port", str(port)) as server:
        server.wait_for("Waiting for a change")
        said = "\n".join(server.lines)
        assert "init/app.py:9 in <module>" in said
        assert "RuntimeError: the drawer is broken" in said
        assert "Traceback" not in said
        assert "Pages" not in said
        refused = httpx2.get(f"http://localhost:{port}/", timeout=PATIENCE_S)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert "**RuntimeError**: the drawer is broken" in refused.text
        (folder / "init" / "app.py").write_text(TINY_APP)
        origin = server.wait_until_up()
        assert origin == f"http://localhost:{port}"
        pid = facts(origin)["pid"]
        os.kill(int(str(pid)), signal.SIGINT)
        assert facts(origin) == {"pid": pid, "version": 1, "password": facts(origin)["password"]}
        assert server.end(signal.SIGINT) == 0
        assert not any("Traceback" in line for line in server.lines)
        wait_until_gone(pid)


def test_a_setting_that_no_file_can_mend_ends_the_run(folder: Path) -> None:
    """Design 7: exit code 2. What `.env` says can be changed while it waits, what the environment says cannot."""
    with serving(folder, LAZYAUTH_DEFAULT_PASS="short") as server:  # refused for being so
        assert server.wait() == 2
        assert "LAZYAUTH_DEFAULT_PASS" in server.lines[-1]
    (folder / ".env").write_text("LAZYAUTH_DEFAULT_PASS=short\n")
    with serving(folder) as server:
        server.wait_for("Waiting for a change")
        (folder / ".env").unlink()
        assert server.wait_until_up()


def test_nothing_is_left_when_the_supervisor_is_killed(folder: Path) -> None:
    """SIGKILL leaves no time to tell anybody: the process notices the end of its link, even while it streams."""
    with serving(folder) as server:
        origin = server.wait_until_up()
        pid = facts(origin)["pid"]
        with contextlib.suppress(httpx2.HTTPError), open_stream(origin):
            server.process.kill()
            wait_until_gone(pid)


def test_a_dead_worker_is_replaced_in_production(folder: Path) -> None:
    """Design 7, `--production --workers N`."""
    with serving(folder, "--production", "--workers", "2", **PRODUCTION) as server:
        assert server.wait_for("production · .* · 2 workers")
        origin = server.wait_until_up()
        pids = {facts(origin)["pid"] for _ in range(30)}
        victim = int(str(pids.pop()))
        os.kill(victim, signal.SIGKILL)
        assert f"Worker {victim} ended (SIGKILL)" in server.wait_for("starting another")
        deadline = time.monotonic() + PATIENCE_S
        while (found := facts(origin)["pid"]) in {victim, *pids} and time.monotonic() < deadline:
            pass
        assert found not in {victim, *pids}
        assert facts(origin)["password"] is None
        assert server.end() == 0
        wait_until_gone(found)


def seconds(line: str) -> float:
    """The pause that a line announces."""
    return float(re.findall(r"starting another in ([0-9.]+) s", line)[0])


def until_answered_by_another(origin: str, *known: object) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while facts(origin)["pid"] in known:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_replacement_that_cannot_start_leaves_the_others_alone_and_is_tried_again(folder: Path) -> None:
    """Only the first start decides whether the run ends: a database that is briefly away must not end who is well."""
    write_app(folder, FRAGILE_APP)
    with serving(folder, "--production", "--workers", "2", **PRODUCTION) as server:
        origin = server.wait_until_up()
        victim = int(str(facts(origin)["pid"]))
        (folder / "away").touch()
        os.kill(victim, signal.SIGKILL)
        assert seconds(server.wait_for(f"Worker {victim} ended")) == 0.5
        server.wait_for("the database is away")
        assert seconds(server.wait_for("A worker could not start")) == 1
        well = facts(origin)["pid"]
        (folder / "away").unlink()
        until_answered_by_another(origin, well)
        assert server.end() == 0
        wait_until_gone(well)


def test_a_worker_that_dies_right_after_its_start_is_started_again_less_and_less_often(folder: Path) -> None:
    """No loop of starts: each pause is twice the one before. Told to end meanwhile, the run ends."""
    write_app(folder, FRAGILE_APP)
    with serving(folder, "--production", **PRODUCTION) as server:
        origin = server.wait_until_up()
        for pause_s in (0.5, 1, 2):
            with pytest.raises(httpx2.HTTPError):
                httpx2.get(f"{origin}/die", timeout=PATIENCE_S)
            assert seconds(server.wait_for(r"ended \(exit code 7\)")) == pause_s
        assert server.end() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="does not apply: only Linux lets another process's limits be set")
def test_a_machine_without_room_for_another_process_keeps_those_it_has(folder: Path) -> None:
    """The supervisor outlives every one of them, and what stops it from starting one as well."""
    import resource  # not everywhere

    with serving(folder, "--production", "--workers", "2", **PRODUCTION) as server:
        origin = server.wait_until_up()
        victim, supervisor = int(str(facts(origin)["pid"])), server.process.pid
        before = resource.prlimit(supervisor, resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        os.kill(victim, signal.SIGKILL)
        server.wait_for("No process can be made: Too many open files")
        assert facts(origin)["pid"] != victim
        well = facts(origin)["pid"]
        resource.prlimit(supervisor, resource.RLIMIT_NOFILE, before)
        until_answered_by_another(origin, well)
        assert server.end() == 0


def test_a_start_that_is_refused_ends_everything_with_one_sentence_and_exit_code_2(folder: Path) -> None:
    """Design 3: each refusal is a sentence that says the fix; what one worker refuses, all would."""
    with serving(folder, "--production", "--workers", "2", SECRET_KEY="") as server:
        assert server.wait() == 2
        [sentence] = [line for line in server.lines if "There is another" not in line]
        assert "SECRET_KEY is not set" in sentence


def test_a_tool_at_work_is_answered_before_a_production_run_ends(folder: Path) -> None:
    """Design 7: ten seconds for what has begun. Whoever has asked nothing is cut off at once, and so knows that the end came."""
    write_app(folder, SLOW_APP)
    with serving(folder, "--production", **PRODUCTION) as server, ThreadPoolExecutor(1) as other:
        origin = server.wait_until_up()
        with socket.create_connection(("127.0.0.1", int(origin.rpartition(":")[2]))) as idle:
            answer = other.submit(httpx2.post, f"{origin}/mcp", json=CALL, headers=CALL_HEADERS, timeout=PATIENCE_S)
            server.wait_for("at work")
            server.process.send_signal(signal.SIGTERM)
            assert idle.recv(1) == b""
        (folder / "go").touch()
        assert answer.result().json()["result"]["structuredContent"] == {"result": 7}
        assert server.wait() == 0
        assert "notes closed" in " ".join(server.lines)


def test_a_production_run_says_what_is_missing_behind_a_proxy(folder: Path) -> None:
    with serving(folder, "--production", PUBLIC_URL="https://shop.example", **PRODUCTION) as server:
        assert "or every visitor counts as one" in server.wait_for("FORWARDED_ALLOW_IPS")
        assert server.end() == 0
