"""The development server as a process: what changes, what is served then, and what is left behind."""

import asyncio
import contextlib
import os
import signal
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
from tests.lazyapp.serving.reloading import AGAIN, APP, READY, WAITING, Site, save, until_served
from tests.lazyapp.tiny_app import PATIENCE_S, TINY_APP, Serving, facts, serving, wait_until_gone, write_app
from tests.lazymcp.asgi_peer import Peer

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


SECRET = "correct-horse-battery"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_app(tmp_path)


@pytest.fixture(scope="module")
def sites() -> Iterator[list[Site]]:
    """The server of the last test that shared one."""
    kept: list[Site] = []
    try:
        yield kept
        assert [site.server.end() for site in kept] == [0] * len(kept)
    finally:
        for site in kept:
            site.server.close()


@pytest.fixture
def site(sites: list[Site], tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The server that the tests before have left well, or a new one."""
    while sites and not sites[0].is_well():
        sites.pop().server.close()
    if not sites:
        folder = write_app(tmp_path_factory.mktemp("site"), APP)
        server = Serving(folder, LAZYAUTH_DEFAULT_PASS=SECRET)
        try:
            sites.append(Site(folder, server))
        except BaseException:
            server.close()
            raise
    sites[0].server.lines.clear()
    return sites[0]


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


def test_open_streams_end_properly_and_no_request_is_lost(site: Site) -> None:
    """docs/development.md; https://github.com/Kludex/uvicorn/issues/2943: pages and an AI client that listen hold up nobody, see an
    end and no fault, and may connect again. A request that is sent while nobody serves is answered by the new code."""
    peer = Peer(None)
    message = peer.message("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    headers = {name: str(value) for name, value in peer.headers_for(message).items() if name.lower() != "host"}
    with contextlib.ExitStack() as stack:
        pages = [stack.enter_context(listener(site.origin, "GET", "/stream")) for _ in range(3)]
        listening = stack.enter_context(listener(site.origin, "POST", "/mcp", headers=headers, json=message))
        version = site.save()
        site.server.wait_for(AGAIN)
        # The process of before may still answer what reached it; nothing in between is refused.
        until_served(site.origin, version)
        stack.close()
        assert {read[-1] for read in (*pages, listening)} == {"end"}
        assert any('"resultType":"complete"' in line for line in listening)
    site.until_served(version)


def test_of_many_saves_the_last_one_is_served(folder: Path) -> None:
    """Whoever saves while a process starts wants the code of now: that process is not waited for."""
    text = TINY_APP.replace("VERSION = 1", "VERSION = 1\nopen(f'imported-{VERSION}', 'w').close()")
    with serving(folder) as server:
        origin = server.wait_until_up()
        for version in (2, 3):
            save(folder, version, text)
            until(folder / f"imported-{version}")
        save(folder, 4, text)
        until_served(origin, 4)
        assert server.end() == 0
    assert not any("Traceback" in line for line in server.lines)


def test_the_same_second_and_size_is_another_source_all_the_same(site: Site) -> None:
    """Python knows what it has compiled by the second and the size of its source: PEP 3147, and py_compile's default."""
    module = site.folder / "init" / "prices.py"
    now = time.time()

    def write(price: int) -> None:
        passing = module.with_name("prices.py.tmp")
        passing.write_text(f"PRICE = {price:05}\n".replace("= 0", "= 1"))
        os.utime(passing, (now, now))
        passing.replace(module)

    write(1)
    site.save(APP.replace("VERSION = 1", "from init.prices import PRICE as VERSION"))
    site.until_served(10001)
    for price in (2, 3):
        write(price)
        site.until_served(10000 + price)
    site.until_served(site.save())


def test_a_checkout_is_one_restart(site: Site) -> None:
    """Git holds its lock until the last file is written; a start in the middle would find half of them."""
    pid = facts(site.origin)["pid"]
    lock = site.folder / ".git" / "index.lock"
    lock.parent.mkdir()
    lock.touch()
    version = site.save(APP + "\nfrom init import part199\n")
    site.server.wait_for(AGAIN)
    for number in range(200):
        if number % 50 == 0:
            time.sleep(0.3)  # long enough for a start that does not wait to miss the last one
        (site.folder / "init" / f"part{number}.py").write_text("x = 1\n")
    lock.unlink()
    assert site.until_served(version) != pid
    assert sum(AGAIN in line for line in site.server.lines) == 1
    assert not any(WAITING in line for line in site.server.lines)


def test_a_syntax_error_is_told_to_all_and_its_fix_recovers(site: Site) -> None:
    """docs/development.md: a page instead of a dead port; RFC 9457; JSON-RPC 2.0, section 5. No secret is in any of them."""
    origin = site.origin
    site.save(f'import os\nraise RuntimeError("no {SECRET}; postgresql://ada:hush@db/x")\n')
    site.server.wait_for(WAITING)
    forms = [httpx2.get(origin, headers={"accept": kind}) for kind in ("text/html", "text/markdown", "application/json")]
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
    forms.append(httpx2.post(f"{origin}/mcp", json=call))
    assert [form.status_code for form in forms] == [503] * 4
    for form in forms:
        assert "RuntimeError" in form.text
        assert SECRET not in form.text
        assert "hush" not in form.text
    assert forms[3].json()["id"] == 7
    site.save("VERSION = = 1\n")
    site.server.wait_for(WAITING)
    assert "init/app.py:1" in httpx2.get(origin).text
    site.until_served(site.save())


def test_a_view_that_kept_the_start_from_succeeding_is_mended_where_it_is(folder: Path) -> None:
    """Views are no reason to start again, unless a start failed for one of them."""
    view = folder / "app" / "views" / "home" / "index.html.j2"
    view.parent.mkdir(parents=True)
    view.write_text("{% if %}")
    text = TINY_APP.replace('name="tiny"', 'name="tiny", views=Path("app/views").absolute()').replace(
        "import os\n", "import os\nfrom pathlib import Path\n", 1
    )
    with serving(write_app(folder, text)) as server:
        server.wait_for(WAITING)
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


def descriptors(server: Serving) -> int:
    """How many files and sockets the supervisor has open."""
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="does not apply: only Linux tells a process's children")
@pytest.mark.parametrize("reloads", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_reloads_leave_no_process_and_no_descriptor(folder: Path, reloads: int) -> None:
    """docs/development.md: reloads leak no process. One serves and one waits to be the next, whatever came before."""
    with serving(folder) as server:
        origin = server.wait_until_up()
        held, pids = [], set()
        for version in range(2, reloads + 2):
            with contextlib.suppress(httpx2.HTTPError), httpx2.stream("GET", f"{origin}/stream", timeout=PATIENCE_S) as stream:
                next(stream.iter_raw())
                save(folder, version)
                pids.add(until_served(origin, version))
            server.wait_for(READY)
            deadline = time.monotonic() + PATIENCE_S
            while len(children(server)) != 2:
                assert time.monotonic() < deadline, children(server)
                time.sleep(0.02)
            held.append(descriptors(server))
        left = children(server)
        # One that is on its way out at this moment is no leak; one that stays is.
        deadline = time.monotonic() + PATIENCE_S
        while (last := descriptors(server)) > min(held):
            assert time.monotonic() < deadline, [*held, last]
            time.sleep(0.02)
        assert server.end() == 0
    assert len(pids) == reloads
    for pid in {*pids, *left}:
        wait_until_gone(pid)


def test_a_spare_process_that_was_killed_is_replaced(site: Site) -> None:
    """Nothing hangs on it: the next change is served by another one."""
    serving_pid = int(str(facts(site.origin)["pid"]))
    deadline = time.monotonic() + PATIENCE_S
    while not (spares := children(site.server) - {serving_pid}):
        assert time.monotonic() < deadline
    for spare in spares:
        os.kill(spare, signal.SIGKILL)
    site.until_served(site.save())
