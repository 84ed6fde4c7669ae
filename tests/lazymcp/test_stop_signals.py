"""`StopSignals`: open streams never hold up a server that is asked to stop; with real uvicorns and real signals."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import uvicorn

from lazymcp import Scope
from lazymcp.stop_signals import StopSignals
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import Peer
from tests.lazymcp.listening import LISTS

ROOT = Path(__file__).parents[2]
STOP = [signal.SIGTERM, signal.SIGINT]

PROGRAM = """\
from fastapi import FastAPI
from lazymcp import Scope
from tests.lazymcp.admin_module import AdminMCP

scope = Scope()
scope.register(AdminMCP())
alone = scope.asgi()
fastapi = FastAPI()
fastapi.add_route("/mcp", alone)
"""


@pytest.fixture
def survivor(monkeypatch):
    """This process survives what a uvicorn inside it raises again when it has stopped; gives what it heard."""
    heard = []
    former = {number: signal.signal(number, lambda number, _: heard.append(number)) for number in STOP}
    yield heard
    for number, handler in former.items():
        signal.signal(number, handler)


async def stream(port):
    """A connection whose `subscriptions/listen` has been acknowledged."""
    peer = Peer(None)
    message = peer.message("subscriptions/listen", {"notifications": LISTS})
    body = json.dumps(message).encode()
    headers = peer.headers_for(message) | {"content-length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    async with asyncio.timeout(30):
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                break
            except OSError:
                await asyncio.sleep(0.05)
        writer.write(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        await reader.readuntil(b"notifications/subscriptions/acknowledged")
    return reader, writer


async def last_words(reader, writer):
    """The last event of a stream, once it is closed properly."""
    rest = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    assert rest.endswith(b"\r\n0\r\n\r\n"), "the body ends as HTTP says"
    return json.loads(rest.split(b"data: ")[-1].split(b"\n")[0])


@pytest.mark.parametrize(
    ("app", "number", "options"),
    [("alone", signal.SIGTERM, ()), ("fastapi", signal.SIGINT, ("--http", "h11", "--loop", "asyncio"))],
)
async def test_a_bare_uvicorn_stops_at_once_with_streams_open(tmp_path, app, number, options):
    """No lifespan is wired and no grace is set: `uvicorn module:app` waits for open answers without end."""
    (tmp_path / "served.py").write_text(PROGRAM)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", f"served:{app}", "--port", str(port), "--app-dir", str(tmp_path), *options]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env={"PYTHONPATH": str(ROOT)})
    try:
        streams = [await stream(port) for _ in range(3)]
        process.send_signal(number)
        for opened in streams:
            assert (await last_words(*opened))["result"]["resultType"] == "complete"
        said = (await asyncio.wait_for(asyncio.to_thread(process.communicate), 10))[1].decode()
    finally:
        process.kill()
    assert "Finished server process" in said
    assert "Traceback" not in said
    assert "ERROR" not in said


async def serve(app):
    """A uvicorn in this process, and its port."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    return task, server.servers[0].sockets[0].getsockname()[1]


async def test_a_server_may_start_again_in_the_same_process(survivor):
    """https://github.com/modelcontextprotocol/python-sdk/issues/3494: nothing stays set when a server has stopped."""
    scope = Scope()
    scope.register(AdminMCP())
    before = [signal.getsignal(number) for number in STOP]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
        task, port = await serve(scope.asgi())
        opened = await stream(port)
        signal.raise_signal(number)
        assert "result" in await last_words(*opened)
        await asyncio.wait_for(task, 10)
        assert [signal.getsignal(number) for number in STOP] == before
    assert survivor == [signal.SIGTERM, signal.SIGINT, signal.SIGTERM]


async def test_the_servers_own_handlers_are_back_with_the_last_stream(survivor):
    scope = Scope()
    scope.register(AdminMCP())
    task, port = await serve(scope.asgi())
    own = signal.getsignal(signal.SIGTERM)
    streams = [await stream(port) for _ in range(2)]
    assert signal.getsignal(signal.SIGTERM) != own
    for _, writer in streams:
        assert signal.getsignal(signal.SIGTERM) != own
        writer.close()
        await asyncio.sleep(0.05)
    async with asyncio.timeout(5):
        while signal.getsignal(signal.SIGTERM) != own:
            await asyncio.sleep(0.01)
    signal.raise_signal(signal.SIGTERM)
    await asyncio.wait_for(task, 10)


async def test_a_server_without_streams_keeps_its_handlers(survivor):
    scope = Scope()
    scope.register(AdminMCP())
    before = signal.getsignal(signal.SIGTERM)
    await Peer(scope.asgi()).ask("tools/list")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_handler_that_somebody_put_before_ours_stays(survivor):
    told = []
    ours = StopSignals(lambda: told.append("ours"))
    ours.watch()
    second = signal.getsignal(signal.SIGTERM)
    theirs = lambda number, frame: (told.append("theirs"), second(number, frame))  # noqa: E731
    signal.signal(signal.SIGTERM, theirs)
    signal.raise_signal(signal.SIGTERM)
    ours.unwatch()
    assert signal.getsignal(signal.SIGTERM) is theirs
    signal.raise_signal(signal.SIGTERM)
    assert told == ["theirs", "ours", "theirs"]
    assert survivor == [signal.SIGTERM, signal.SIGTERM]


def test_scopes_share_a_place_and_leave_in_any_order(survivor):
    before, told = signal.getsignal(signal.SIGTERM), []
    one, two = (StopSignals(lambda name=name: told.append(name)) for name in ("one", "two"))
    for _ in range(3):
        one.watch()
        two.watch()
        one.unwatch()
        one.watch()
        two.unwatch()
        signal.raise_signal(signal.SIGTERM)
        one.unwatch()
        assert signal.getsignal(signal.SIGTERM) is before
    assert told == ["one"] * 3
    assert survivor == [signal.SIGTERM] * 3


@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler])
def test_a_process_that_has_no_handler_gets_none(survivor, handler):
    """It ends at once by itself, or does not want to."""
    signal.signal(signal.SIGINT, handler)
    ours = StopSignals(lambda: None)
    ours.watch()
    assert signal.getsignal(signal.SIGINT) == handler
    ours.unwatch()
    assert signal.getsignal(signal.SIGINT) == handler


def test_a_thread_leaves_the_handlers_alone(survivor):
    """Python sets signal handlers in its main thread only; a server in another one has none."""
    before = signal.getsignal(signal.SIGTERM)
    ours = StopSignals(lambda: None)
    thread = threading.Thread(target=ours.watch)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is before
