"""`SQLTasks` between real processes: what one leaves behind the other finds. The contract of stores is in test_task_store.py."""

import asyncio
import http.client
import signal
import subprocess
import sys
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from lazymcp.task_sql import SQLTasks
from tests.lazymcp.asgi_peer import read_answer
from tests.lazymcp.asking_peer import accept
from tests.lazymcp.task_peer import TaskPeer, record

ROOT = Path(__file__).parents[2]


class Process(TaskPeer):
    """A server in a process of its own."""

    def __init__(self, url, folder, lease_s):
        super().__init__(None)
        command = [sys.executable, "-m", "tests.lazymcp.task_server", url, str(folder), str(lease_s)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.port = 0

    async def post(self, body, headers, method="POST"):
        if not self.port:
            self.port = int(await asyncio.to_thread(self.process.stdout.readline))
        return await asyncio.to_thread(self._post, body, {name: value for name, value in headers.items() if value is not None})

    def _post(self, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("POST", "/mcp", body, headers)
            answer = connection.getresponse()
            told = [(name.lower().encode(), value.encode()) for name, value in answer.getheaders()]
            start = {"type": "http.response.start", "status": answer.status, "headers": told}
            return read_answer([start, {"type": "http.response.body", "body": answer.read()}])
        finally:
            connection.close()

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(20)
        self.process.stdout.close()


class Place:
    """Processes that share a database and a folder."""

    def __init__(self, url, folder):
        self.url, self.folder, self.processes = url, folder, []

    def start(self, lease_s=1):
        self.processes.append(Process(self.url, self.folder, lease_s))
        return self.processes[-1]

    def go(self):
        (self.folder / "go").touch()

    async def noted(self, process, what):
        """Wait until a process has written a line."""
        async with asyncio.timeout(20):
            while f"{process.process.pid} {what}\n" not in self.log():
                await asyncio.sleep(0.02)

    def log(self):
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""


@contextmanager
def opened(url, folder):
    found = Place(url, folder)
    try:
        yield found
    finally:
        for process in found.processes:
            if process.process.poll() is None:
                process.end(signal.SIGKILL)


@pytest.fixture
def place(database_url, tmp_path):
    with opened(database_url, tmp_path) as found:
        yield found


@pytest.fixture
def sqlite_place(sqlite_url, tmp_path):
    with opened(sqlite_url, tmp_path) as found:
        yield found


async def over(process, task_id):
    async with asyncio.timeout(30):
        while (found := await process.get(task_id))["status"] not in {"completed", "failed", "cancelled"}:
            await asyncio.sleep(0.05)
    return found


async def test_processes_cancel_answer_and_inherit_each_others_tasks(place):
    """Cancelled from another process; answered from another; then kill -9, and what may run again goes on elsewhere.

    News goes over the bus on PostgreSQL; on SQLite the process that runs a task finds out with its next beat.
    """
    first, second = place.start(), place.start()
    unwanted, once, again = await first.start("once"), await first.start("once"), await first.start("again")
    await place.noted(first, "once began")
    assert (await second.cancel(unwanted)).status == 200
    await place.noted(first, "once was cancelled")
    await second.wait(again, "input_required")
    await second.update(again, question_1=accept(name="Ann"))
    await place.noted(first, "again began")
    assert (await second.get(again))["status"] == "working"
    first.end(signal.SIGKILL)
    found = await over(second, once)
    assert (found["status"], found["error"]["code"]) == ("failed", -32603)
    await second.get(again)
    await place.noted(second, "again began")
    place.go()
    found = await over(second, again)
    assert found["result"]["content"][0]["text"] == f"Ann, done by {second.process.pid}"
    assert (await second.get(unwanted))["status"] == "cancelled"
    assert place.log().count("once began") == 2


async def test_a_process_that_is_told_to_end_hands_its_tasks_over_at_once(sqlite_place):
    """No lease has to run out for it."""
    place = sqlite_place
    first, second = place.start(lease_s=600), place.start(lease_s=600)
    once, again = await first.start("once"), await first.start("again")
    await first.wait(again, "input_required")
    await asyncio.to_thread(first.end)
    found = await second.get(once)
    assert (found["status"], "the server was restarted" in found["statusMessage"]) == ("failed", True)
    await second.get(again)
    await second.update(again, question_1=accept(name="Ann"))
    await place.noted(second, "again began")
    place.go()
    assert (await over(second, again))["status"] == "completed"


async def test_the_table_is_made_once_however_many_need_it(database_url):
    """Under an advisory lock on PostgreSQL, under the write lock on SQLite."""
    async with AsyncExitStack() as stack:
        stores = []
        for _ in range(8):
            engine = create_async_engine(database_url)
            stack.push_async_callback(engine.dispose)
            stores.append(SQLTasks(engine))
        await asyncio.gather(*(store.create(record(f"{number:032}")) for number, store in enumerate(stores)))
        found = await asyncio.gather(*(stores[0].find(f"{number:032}") for number in range(8)))
    assert all(found)


async def test_the_table_on_postgresql_has_its_partial_index_and_room_in_its_pages(postgres_url):
    """PostgreSQL, "Partial Indexes" and "Heap-Only Tuples"."""
    engine = create_async_engine(postgres_url)
    await SQLTasks(engine).find("t" * 32)
    async with engine.connect() as connection:
        options = await connection.exec_driver_sql("SELECT reloptions FROM pg_class WHERE relname = 'lazymcp_tasks'")
        index = await connection.exec_driver_sql("SELECT indexdef FROM pg_indexes WHERE indexname = 'lazymcp_tasks_active'")
        assert options.scalar_one() == ["fillfactor=70"]
        assert "(runner) WHERE" in index.scalar_one()
    await engine.dispose()


async def test_a_caller_that_is_cancelled_leaves_no_connection_behind(database_url):
    """What is cancelled inside a driver may leave a connection that nobody gives back."""
    engine = create_async_engine(database_url, pool_size=1, max_overflow=0, pool_timeout=5)
    store = SQLTasks(engine)
    await store.create(record())
    for delay in range(10):
        task = asyncio.create_task(store.change("t" * 32, lambda found: found))
        for _ in range(delay):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    assert (await store.find("t" * 32)).id == "t" * 32
    assert engine.pool.checkedout() == 0
    await engine.dispose()
