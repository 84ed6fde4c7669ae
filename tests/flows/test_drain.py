"""SIGTERM while everything is in use: what runs finishes, what would not end is ended, and the exit code is 0."""

import json
import os
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.flows.serving import free_port
from tests.lazyapp.tiny_app import PATIENCE_S, Serving, serving, wait_until_gone, write_app
from tests.lazymcp.asgi_peer import Peer

#: A page and a tool that are at work until there is a file `go`, and a stream of events without an end.
BUSY_APP = '''
import asyncio
import os
from pathlib import Path

import lazyapp
import lazymcp
from fastapi.responses import StreamingResponse


class Ledger:
    pass


async def open_ledger():
    yield Ledger()
    print("ledger closed", flush=True)


async def work() -> str:
    print("at work", flush=True)
    while not Path("go").exists():
        await asyncio.sleep(0.02)
    return "done"


class BusyMCP(lazymcp.Base):
    name = "busy"

    @lazymcp.tool
    async def work(self) -> str:
        """Work."""
        return await work()


app = lazyapp.App(
    lazyapp.Config(
        name="busy",
        dependencies=lambda services: services.add(Ledger, open_ledger),
        mcp=lambda ctx, scope: scope.register(BusyMCP()),
    )
)


@app.get("/work")
async def page() -> str:
    return await work()


@app.get("/facts")
async def facts() -> dict:
    return {"pid": os.getpid()}


@app.get("/events")
async def events() -> StreamingResponse:
    async def tell():
        yield "data: hello\\n\\n"
        await asyncio.Event().wait()

    return StreamingResponse(tell(), media_type="text/event-stream")
'''
SETTINGS = {
    "SECRET_KEY": "k" * 32,
    "DATABASE_URL": "sqlite+aiosqlite:///app.db",
    "LAZYAPP_MIGRATE": "auto",
    "DRAIN_DELAY_S": "0",
    "SHUTDOWN_TIMEOUT_S": str(PATIENCE_S),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_app(tmp_path, BUSY_APP)


def request(origin: str, method: str, params: dict[str, object]) -> dict[str, Any]:
    """What httpx posts to /mcp for this."""
    peer = Peer(None)
    message = peer.message(method, params)
    headers = {name: str(value) for name, value in peer.headers_for(message).items()}
    return {"url": f"{origin}/mcp", "json": message, "headers": headers | {"host": origin.removeprefix("http://")}}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_sigterm_ends_streams_properly_and_lets_a_request_and_a_tool_finish(folder: Path, workers: str) -> None:
    """docs/deploy.md, "How it ends": both finish, streams end properly, no traceback. CONTROL_PLANE_ADDR tells how it goes."""
    control = f"127.0.0.1:{free_port()}"
    settings = SETTINGS | {"CONTROL_PLANE_ADDR": control, "DRAIN_DELAY_S": "4"}
    with (
        serving(folder, "--production", "--workers", workers, **settings) as server,
        ThreadPoolExecutor(4) as pool,
        httpx2.Client(timeout=PATIENCE_S) as client,
    ):
        origin = server.wait_until_up()
        assert client.get(f"http://{control}/readyz").json() == {"status": "ready", "failing": []}
        page = pool.submit(httpx2.get, f"{origin}/work", timeout=PATIENCE_S)
        tool = pool.submit(httpx2.post, timeout=PATIENCE_S, **request(origin, "tools/call", {"name": "busy.work", "arguments": {}}))
        server.wait_for("at work")
        server.wait_for("at work")
        listen = request(origin, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        with client.stream("GET", f"{origin}/events") as events, client.stream("POST", **listen) as news:
            pieces, lines = events.iter_text(), news.iter_lines()
            assert next(pieces) == "data: hello\n\n"
            while "acknowledged" not in next(lines):
                pass
            assert 'lazyapp_open_streams{kind="mcp"} 1\n' in client.get(f"http://{control}/metrics").text

            server.process.send_signal(signal.SIGTERM)
            answers_on(origin, control)
            assert list(pieces) == [], "no reset, and no incomplete body"
            told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
            assert told[-1]["result"]["resultType"] == "complete"
        until_refused(int(origin.rpartition(":")[2]))
        assert [each.done() for each in (page, tool)] == [False, False]
        assert client.get(f"http://{control}/livez").status_code == 200
        (folder / "go").touch()
        assert page.result().json() == "done"
        assert tool.result().json()["result"]["content"][0]["text"] == "done"
        assert server.wait() == 0
    said = "\n".join(server.lines)
    assert said.count("ledger closed") == int(workers)
    for word in ("Traceback", "destroyed", "ERROR", "never awaited"):
        assert word not in said


#: It says which of the two speaks HTTP.
WITHOUT_HTTPTOOLS_APP = BUSY_APP.replace("import os\n", "import os\nimport sys\n", 1).replace(
    '{"pid": os.getpid()}', '{"modules": [name for name in ("h11", "httptools") if name in sys.modules]}'
)


def test_it_ends_in_the_same_order_without_httptools(tmp_path: Path) -> None:
    """docs/deploy.md, "How it ends"; pyproject.toml: httptools is uvicorn's, and not made for every machine. h11 speaks then."""
    folder = write_app(tmp_path, WITHOUT_HTTPTOOLS_APP)
    (folder / "without").mkdir()
    (folder / "without" / "httptools.py").write_text("raise ImportError('there is none')\n")
    path = os.pathsep.join(filter(None, (str(folder / "without"), os.environ.get("PYTHONPATH"))))
    with serving(folder, "--production", PYTHONPATH=path, **SETTINGS) as server, ThreadPoolExecutor(2) as pool:
        origin = server.wait_until_up()
        assert httpx2.get(f"{origin}/facts", timeout=PATIENCE_S).json() == {"modules": ["h11"]}
        page = pool.submit(httpx2.get, f"{origin}/work", timeout=PATIENCE_S)
        tool = pool.submit(httpx2.post, timeout=PATIENCE_S, **request(origin, "tools/call", {"name": "busy.work", "arguments": {}}))
        server.wait_for("at work")
        server.wait_for("at work")
        server.process.send_signal(signal.SIGTERM)
        until_refused(int(origin.rpartition(":")[2]))
        assert [each.done() for each in (page, tool)] == [False, False]
        (folder / "go").touch()
        assert page.result().json() == "done"
        assert tool.result().json()["result"]["content"][0]["text"] == "done"
        assert server.wait() == 0
    said = "\n".join(server.lines)
    assert "ledger closed" in said
    assert "Traceback" not in said


def answers_on(origin: str, control: str) -> None:
    """It says that it is not ready, and answers all the same who is still sent here."""
    draining = httpx2.get(f"http://{control}/readyz", timeout=PATIENCE_S)
    assert (draining.status_code, draining.json()["status"]) == (503, "draining")
    assert httpx2.get(f"{origin}/facts", timeout=PATIENCE_S).status_code == 200


def until_refused(port: int) -> None:
    """Return when nobody listens any more; a connection that is still taken up is closed or answered, never left hanging."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S):
                pass
        except ConnectionRefusedError:
            return
        time.sleep(0.02)
    raise AssertionError("somebody still listens")


def test_what_runs_on_after_the_deadline_is_cut_off_and_the_services_are_closed(folder: Path) -> None:
    """The exit code is 0 all the same: to end in time is what was asked for."""
    with serving(folder, "--production", **SETTINGS | {"SHUTDOWN_TIMEOUT_S": "0.2"}) as server:
        origin = server.wait_until_up()
        with ThreadPoolExecutor(1) as pool:
            page = pool.submit(httpx2.get, f"{origin}/work", timeout=PATIENCE_S)
            server.wait_for("at work")
            assert server.end() == 0
            answer = page.exception() or page.result().status_code
            assert answer == 500 or isinstance(answer, httpx2.HTTPError)
    said = "\n".join(server.lines)
    assert "1 requests ran on after 0.2 s and were cut off; see SHUTDOWN_TIMEOUT_S." in said
    assert "ledger closed" in said
    assert "Traceback" not in said


def test_asked_twice_it_ends_at_once(folder: Path) -> None:
    """Ctrl-C once waits for what runs; twice is said by somebody who does not want to."""
    with serving(folder, "--production", **SETTINGS) as server, ThreadPoolExecutor(1) as pool:
        origin = server.wait_until_up()
        pid = httpx2.get(f"{origin}/facts", timeout=PATIENCE_S).json()["pid"]
        page = pool.submit(httpx2.get, f"{origin}/work", timeout=PATIENCE_S)
        server.wait_for("at work")
        server.process.send_signal(signal.SIGINT)
        until_refused(int(origin.rpartition(":")[2]))
        assert not page.done()
        assert server.end(signal.SIGINT) == 0
        assert isinstance(page.exception(), httpx2.HTTPError)
        wait_until_gone(pid)


def test_a_taken_control_plane_address_is_one_sentence(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        addr = f"127.0.0.1:{taken.getsockname()[1]}"
        with serving(folder, "--production", CONTROL_PLANE_ADDR=addr, **SETTINGS) as server:
            assert server.wait() == 2
    assert server.lines == [f"CONTROL_PLANE_ADDR {addr} is in use; name another, such as 127.0.0.1:9090."]


def test_a_bare_uvicorn_ends_event_streams_too(folder: Path) -> None:
    """`uvicorn init.app:app` works, and leaves by the signal, as it does for every application."""
    command = (sys.executable, "-m", "uvicorn", "init.app:app", "--port", "0")
    with serving(folder, command=command, LAZYAPP_ENV="development") as server:
        origin = bare_origin(server)
        assert httpx2.get(f"{origin}/readyz", timeout=PATIENCE_S).json()["status"] == "ready"
        with httpx2.stream("GET", f"{origin}/events", timeout=PATIENCE_S) as events:
            pieces = events.iter_text()
            next(pieces)
            server.process.send_signal(signal.SIGTERM)
            assert list(pieces) == []
        assert server.wait() == -signal.SIGTERM
    assert "ledger closed" in server.lines
    assert not any("Traceback" in line for line in server.lines)


def bare_origin(server: Serving) -> str:
    return next(word for word in server.wait_for("Uvicorn running on").split() if word.startswith("http://"))
