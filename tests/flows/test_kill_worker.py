"""`kill -9` of one of two workers under load: what it was answering is lost, and nothing else."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from tests.lazyapp.tiny_app import PATIENCE_S, serving, write_app

APP = """
import asyncio
import os

import lazyapp

app = lazyapp.App(lazyapp.Config(name="load"))


@app.get("/facts")
async def facts() -> dict:
    await asyncio.sleep(0.002)
    return {"pid": os.getpid()}
"""
SETTINGS = {"SECRET_KEY": "k" * 32, "DRAIN_DELAY_S": "0", "LAZYAPP_MIGRATE": "auto"}
CLIENTS = 8


@dataclass
class Client:
    """One visitor with one connection, who asks and asks. `pids` holds who answered; `failed_after` who had, when it went wrong."""

    origin: str
    stop: threading.Event
    pids: list[int] = field(default_factory=list)
    failed_after: list[int | None] = field(default_factory=list)

    def run(self) -> None:
        with httpx2.Client(timeout=PATIENCE_S, limits=httpx2.Limits(max_connections=1)) as client:
            while not self.stop.wait(0.005):
                try:
                    self.pids.append(client.get(f"{self.origin}/facts").json()["pid"])
                except httpx2.HTTPError:
                    self.failed_after.append(self.pids[-1] if self.pids else None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_app(tmp_path, APP)


def test_a_killed_worker_takes_only_its_own_connections_with_it(folder: Path) -> None:
    """docs/deploy.md, "How it ends": nothing fails but the requests in flight and the idle connections it held; it is replaced."""
    with serving(folder, "--production", "--workers", "2", **SETTINGS) as server:
        origin = server.wait_until_up()
        with load(origin) as clients:
            victim = clients[0].pids[-1]
            os.kill(victim, signal.SIGKILL)
            assert f"Worker {victim} ended (SIGKILL)" in server.wait_for("starting another")
            known = {victim, *(client.pids[0] for client in clients)}
            deadline = time.monotonic() + PATIENCE_S
            while httpx2.get(f"{origin}/facts", timeout=PATIENCE_S).json()["pid"] in known:
                # Each is a new connection: the replacement gets one sooner or later.
                assert time.monotonic() < deadline
        assert server.end() == 0
    for client in clients:
        assert client.failed_after in ([], [victim]), "once, and only on a connection of the one that was killed"
        assert client.pids[-1] != victim
    assert any(client.failed_after for client in clients), "there was load on the one that was killed"


@contextlib.contextmanager
def load(origin: str) -> Iterator[list[Client]]:
    """Clients on both workers, who go on asking until the block ends."""
    stop = threading.Event()
    clients: list[Client] = []
    threads: list[threading.Thread] = []
    try:
        while len(clients) < CLIENTS or len({client.pids[0] for client in clients}) < 2:
            clients.append(Client(origin, stop))
            threads.append(threading.Thread(target=clients[-1].run, daemon=True))
            threads[-1].start()
            while not clients[-1].pids:
                time.sleep(0.01)
        yield clients
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE_S)
