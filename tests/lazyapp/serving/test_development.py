"""The development server as a process: what changes, what is served then, and what is left behind."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from lazyapp.location import Location
from lazyapp.serving.banner import Run, Surface
from lazyapp.serving.crew import Crew
from lazyapp.serving.development import _Development
from lazyapp.serving.link import Grace
from lazyapp.serving.processes import Process
from lazyapp.serving.reload import Burst, Changes
from lazyapp.serving.serve import Plan
from tests.lazyapp.tiny_app import NOTES_APP, PATIENCE_S, TINY_APP, Serving, facts, serving, wait_until_gone, write_app
from tests.lazymcp.asgi_peer import Peer

#: The tiny application with a tool, so that AI clients can listen.
APP = TINY_APP.replace("import os\n", "import os\nimport lazymcp\n", 1).replace(
    'app = lazyapp.App(lazyapp.Config(name="tiny"))',
    '''
class NotesMCP(lazymcp.Base):
    @lazymcp.tool
    async def count(self) -> int:
        """Count notes."""
        return 7


app = lazyapp.App(lazyapp.Config(name="tiny", mcp=lambda ctx, scope: scope.register(NotesMCP())))''',
)
AGAIN = "changed, starting again"
SLOW_START = """
import asyncio
from pathlib import Path


class Slow:
    pass


async def open_slow():
    Path("opened").touch()
    try:
        await asyncio.sleep(600)
    finally:
        Path("closed").touch()
    yield Slow()


def depend(services):
    services.add(Slow, open_slow)
""" + TINY_APP.replace('name="tiny"', 'name="tiny", dependencies=depend')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_app(tmp_path)


def save(folder: Path, version: int, text: str = TINY_APP) -> None:
    (folder / "init" / "app.py").write_text(text.replace("VERSION = 1", f"VERSION = {version}"))


def until_served(origin: str, version: int) -> int:
    """The process that serves this version, once one does."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := facts(origin))["version"] != version:
        assert time.monotonic() < deadline, found
    return int(str(found["pid"]))


async def test_a_change_in_the_very_moment_of_a_report_is_not_lost(tmp_path: Path) -> None:
    """CWE-362: both are there in one turn of the loop, and the process that reported has imported the code of before."""
    run = Run(version="0", env="development", target="init.app:app", origin="http://localhost:0")
    crew = Crew(Plan(location=Location(tmp_path), run=run, sockets=[], reload=True, grace=Grace(requests_s=0, process_s=5)))
    changes, is_up = Changes(tmp_path), asyncio.Event()

    class Reporting(Process):
        def __init__(self) -> None: ...

        async def report(self) -> Surface:
            await is_up.wait()
            return Surface(client_name="tiny")

    outcome = asyncio.create_task(_Development(crew, changes)._outcome(Reporting()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    changes.put([str(tmp_path / "init" / "app.py")])
    is_up.set()
    assert await outcome == (None, Burst(code=("init/app.py",)))


def until(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@contextlib.contextmanager
def listener(origin: str, method: str, path: str, **request: object) -> Iterator[list[str]]:
    """A stream that is read to its end in a thread; gives what was read, and at the end `"end"` or the fault."""
    read: list[str] = []
    is_open = threading.Event()

    def listen() -> None:
        try:
            with httpx2.stream(method, origin + path, timeout=PATIENCE_S, **request) as answer:  # type: ignore[arg-type]
                for line in answer.iter_lines():
                    read.append(line)
                    is_open.set()
            read.append("end")
        except httpx2.HTTPError as error:
            read.append(repr(error))

    thread = threading.Thread(target=listen)
    thread.start()
    assert is_open.wait(PATIENCE_S)
    yield read
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def test_open_streams_end_properly_and_no_request_is_lost(folder: Path) -> None:
    """docs/development.md; https://github.com/Kludex/uvicorn/issues/2943: pages and an AI client that listen hold up nobody, see an
    end and no fault, and may connect again. A request that is sent while nobody serves is answered by the new code."""
    save(folder, 1, APP)
    peer = Peer(None)
    message = peer.message("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    headers = {name: str(value) for name, value in peer.headers_for(message).items() if name.lower() != "host"}
    with serving(folder) as server, contextlib.ExitStack() as stack:
        origin = server.wait_until_up()
        pages = [stack.enter_context(listener(origin, "GET", "/stream")) for _ in range(3)]
        listening = stack.enter_context(listener(origin, "POST", "/mcp", headers=headers, json=message))
        save(folder, 2, APP)
        server.wait_for(AGAIN)
        assert facts(origin)["version"] == 2
        stack.close()
        assert {read[-1] for read in (*pages, listening)} == {"end"}
        assert any('"resultType":"complete"' in line for line in listening)
        assert server.end() == 0


def test_of_many_saves_the_last_one_is_served(folder: Path) -> None:
    """Whoever saves while a process starts wants the code of now: that process is not waited for."""
    with serving(folder) as server:
        origin = server.wait_until_up()
        for version in range(2, 12):
            save(folder, version)
            time.sleep(0.1)
        until_served(origin, 11)
        assert server.end() == 0
    assert not any("Traceback" in line for line in server.lines)


def test_the_same_second_and_size_is_another_source_all_the_same(folder: Path) -> None:
    """Python knows what it has compiled by the second and the size of its source: PEP 3147, and py_compile's default."""
    module = folder / "init" / "prices.py"
    module.write_text("PRICE = 1\n")
    app = TINY_APP.replace("VERSION = 1", "from init.prices import PRICE as VERSION")
    (folder / "init" / "app.py").write_text(app)
    now = time.time()
    os.utime(module, (now, now))
    with serving(folder) as server:
        origin = server.wait_until_up()
        for price in (2, 3):
            module.write_text(f"PRICE = {price}\n")
            os.utime(module, (now, now))
            until_served(origin, price)
        assert server.end() == 0


def test_a_checkout_is_one_restart(folder: Path) -> None:
    """Git holds its lock until the last file is written; a start in the middle would find half of them."""
    (folder / ".git").mkdir()
    lock = folder / ".git" / "index.lock"
    with serving(folder) as server:
        origin = server.wait_until_up()
        pid = facts(origin)["pid"]
        lock.touch()
        for number in range(200):
            (folder / "init" / f"part{number}.py").write_text("x = 1\n")
            if number % 50 == 0:
                time.sleep(0.3)  # longer than a burst may take to end
        save(folder, 2)
        lock.unlink()
        assert until_served(origin, 2) != pid
        assert server.end() == 0
    assert sum(AGAIN in line for line in server.lines) == 1
    assert sum("Ready again" in line for line in server.lines) == 1


def test_a_syntax_error_is_told_to_all_and_its_fix_recovers(folder: Path) -> None:
    """docs/development.md: a page instead of a dead port; RFC 9457; JSON-RPC 2.0, section 5. No secret is in any of them."""
    secret = "correct-horse-battery"
    with serving(folder, LAZYAUTH_DEFAULT_PASS=secret) as server:
        origin = server.wait_until_up()
        (folder / "init" / "app.py").write_text(f'import os\nraise RuntimeError("no {secret}; postgresql://ada:hush@db/x")\n')
        server.wait_for("Waiting for a change")
        forms = [httpx2.get(origin, headers={"accept": kind}) for kind in ("text/html", "text/markdown", "application/json")]
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
        forms.append(httpx2.post(f"{origin}/mcp", json=call))
        assert [form.status_code for form in forms] == [503] * 4
        for form in forms:
            assert "RuntimeError" in form.text
            assert secret not in form.text
            assert "hush" not in form.text
        assert forms[3].json()["id"] == 7
        save(folder, 2, "VERSION = = 1\n")
        server.wait_for("Waiting for a change")
        assert "init/app.py:1" in httpx2.get(origin).text
        save(folder, 3)
        until_served(origin, 3)
        assert server.end() == 0


def test_a_view_that_kept_the_start_from_succeeding_is_mended_where_it_is(folder: Path) -> None:
    """Views are no reason to start again, unless a start failed for one of them."""
    view = folder / "app" / "views" / "home" / "index.html.j2"
    view.parent.mkdir(parents=True)
    view.write_text("{% if %}")
    text = TINY_APP.replace('name="tiny"', 'name="tiny", views=Path("app/views").absolute()').replace(
        "import os\n", "import os\nfrom pathlib import Path\n", 1
    )
    with serving(write_app(folder, text)) as server:
        server.wait_for("Waiting for a change")
        view.write_text("fine")
        assert facts(server.wait_until_up())["version"] == 1
        assert server.end() == 0


@pytest.mark.parametrize("text", ["import time\nfrom pathlib import Path\nPath('opened').touch()\ntime.sleep(600)\n", SLOW_START])
def test_a_start_that_hangs_ends_at_once_when_it_is_told_to(folder: Path, text: str) -> None:
    """While it imports there is nothing to close; what it has opened is closed. The grace of a process that serves is 5 s."""
    (folder / "init" / "app.py").write_text(text)
    with serving(folder, SHUTDOWN_TIMEOUT_S="600") as server:
        until(folder / "opened")
        assert server.end() == 0
    assert (folder / "closed").exists() == ("finally" in text)


def test_a_change_overtakes_a_start_that_hangs(folder: Path) -> None:
    (folder / "init" / "app.py").write_text(SLOW_START)
    with serving(folder, SHUTDOWN_TIMEOUT_S="600") as server:
        until(folder / "opened")
        save(folder, 2)
        until_served(server.wait_until_up(), 2)
        assert (folder / "closed").exists()
        assert server.end() == 0


def children(server: Serving) -> set[int]:
    """The processes that a supervisor has now."""
    found = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    return {int(pid) for task in found.parent.parent.iterdir() for pid in (task / "children").read_text().split()}


@pytest.mark.skipif(sys.platform != "linux", reason="does not apply: only Linux tells a process's children")
@pytest.mark.parametrize("reloads", [4, pytest.param(50, marks=pytest.mark.slow)])
def test_reloads_leave_no_process_and_no_descriptor(folder: Path, reloads: int) -> None:
    """docs/development.md: 50 reloads leak no process. One serves and one waits to be the next, whatever came before."""
    with serving(folder) as server:
        origin = server.wait_until_up()
        held, pids = [], set()
        for version in range(2, reloads + 2):
            with contextlib.suppress(httpx2.HTTPError), httpx2.stream("GET", f"{origin}/stream", timeout=PATIENCE_S) as stream:
                next(stream.iter_raw())
                save(folder, version)
                pids.add(until_served(origin, version))
            server.wait_for("Ready again")
            deadline = time.monotonic() + PATIENCE_S
            while len(children(server)) != 2:
                assert time.monotonic() < deadline, children(server)
                time.sleep(0.02)
            held.append(len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())))
        left = children(server)
        assert server.end() == 0
    assert max(held) == min(held[1:]), held
    assert len(pids) == reloads
    for pid in {*pids, *left}:
        wait_until_gone(pid)


def test_a_spare_process_that_was_killed_is_replaced(folder: Path) -> None:
    """Nothing hangs on it: the next change is served by another one."""
    with serving(folder) as server:
        origin = server.wait_until_up()
        serving_pid = int(str(facts(origin)["pid"]))
        deadline = time.monotonic() + PATIENCE_S
        while not (spares := children(server) - {serving_pid}):
            assert time.monotonic() < deadline
        for spare in spares:
            os.kill(spare, signal.SIGKILL)
        save(folder, 2)
        until_served(origin, 2)
        assert server.end() == 0


def test_nothing_of_the_application_is_imported_ahead(folder: Path) -> None:
    """A library that the application brings may look at the environment that the application has set first."""
    (folder / "init" / "app.py").write_text(NOTES_APP)
    done = subprocess.run(
        [sys.executable, "-c", "from lazyapp.serving.ahead import *; import_ahead(FIRST); import sys; print(*sys.modules)"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    names = set(done.stdout.split())
    assert {"lazyapp.app", "uvicorn", "fastapi"} <= names
    assert not names & {"init", "init.app", "app"}
