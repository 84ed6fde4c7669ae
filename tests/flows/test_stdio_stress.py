"""A local server under load and under the knife: no torn line, no orphan process (the promise "Standalone stdio transport")."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from lazymcp import Base, Scope, tool
from tests.flows.local_process import PATIENCE_S, SERVER, LocalProcess, local_process, wait_until_gone
from tests.flows.serving import ROOT, environment_for
from tests.lazymcp.wire import MODERN, OLDER

MIB = 1024 * 1024
# A process takes its time to start, so there are few examples; what is shrunk is only a number.
KILLS = settings(max_examples=4, deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
CLIENT = """
import subprocess, sys
server = subprocess.Popen([sys.executable, "server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(server.pid, flush=True)
server.stdin.write(sys.stdin.buffer.read())
server.stdin.flush()
while line := server.stdout.readline():
    print(len(line), flush=True)
"""


def mixed(server: LocalProcess, count: int) -> list[bytes]:
    """Calls of both eras, small and large."""
    lines = []
    for number in range(count):
        era = (MODERN, *OLDER)[number % 4]
        big = number % 3 == 0
        lines.append(server.call(number, "big", era, size=number * 331) if big else server.call(number, "echo", era, number=number))
    return lines


@pytest.mark.requirement("MCP-STDIO-1")
async def test_a_hundred_calls_of_both_eras_share_one_connection(tmp_path):
    """MCP 2026-07-28, basic/transports/stdio: many at work at a time, each answered in its own revision and once."""
    async with local_process(tmp_path) as server:
        await server.send(
            *(server.call(number, "meet", (MODERN, *OLDER)[number % 4], count=100, number=number) for number in range(100))
        )
        answers = [await server.read() for _ in range(100)]
        found = {answer["id"]: answer["result"]["structuredContent"]["result"] for answer in answers}
        assert found == {number: number for number in range(100)}
        assert await server.end() == 0


async def test_ten_thousand_calls_in_sequence(tmp_path):
    """Desktop clients keep one process for hours: answers come in the order of the calls that wait for nothing."""
    async with local_process(tmp_path) as server:

        async def ask() -> None:
            for start in range(0, 10_000, 100):
                await server.send(*(server.call(number, "echo", number=number) for number in range(start, start + 100)))

        asking = asyncio.create_task(ask())
        for number in range(10_000):
            line = await asyncio.wait_for(server.process.stdout.readuntil(b"\n"), PATIENCE_S)
            answer = server.judged(line) if number % 100 == 0 else json.loads(line)
            assert (answer["id"], answer["result"]["structuredContent"]) == (number, {"result": number})
        await asking
        assert await server.end() == 0


async def test_large_messages_and_one_that_is_too_large(tmp_path):
    """Promised: 64 MiB coming in, any size going out. A line beyond is refused, and the process goes on."""
    async with local_process(tmp_path) as server:
        await server.send(server.call(1, "length", text="x" * (60 * MIB)))
        assert (await server.read())["result"]["structuredContent"] == {"result": 60 * MIB}
        await server.send(server.call(2, "length", text="x" * (65 * MIB)))
        refused = await server.read()
        assert (refused["id"], refused["error"]["code"]) == (2, -32600)
        await server.send(server.call(3, "big", size=100_000_000))
        line = await asyncio.wait_for(server.process.stdout.readuntil(b"\n"), PATIENCE_S)
        # A judge would take longer than the server.
        assert line.startswith(b'{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"\\nxxx')
        assert 100_000_000 < len(line) < 100_001_000
        await server.send(server.call(4, "echo", number=5))
        assert (await server.read())["result"]["structuredContent"] == {"result": 5}
        assert await server.end() == 0


async def test_a_cancelled_call_is_silent_and_the_others_of_both_eras_go_on(tmp_path):
    """basic/patterns/cancellation, in both eras on one connection."""
    async with local_process(tmp_path) as server:
        for number, era in enumerate((MODERN, *OLDER)):
            await server.send(server.call(f"w{number}", "wait", era, token=number))
            assert (await server.read(era))["params"]["progressToken"] == number
        for number in range(4):
            notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"w{number}"}}
            await server.send(json.dumps(notice).encode() + b"\n", server.call(number, "echo", number=number))
            assert (await server.read())["id"] == number
        assert await server.end() == 0


async def test_sigterm_ends_a_process_that_is_at_work(tmp_path):
    """basic/transports/stdio, "Shutdown": what a client sends when closing the input was not enough."""
    async with local_process(tmp_path) as server:
        await server.send(server.call(1, "wait", token="t"))
        await server.read()
        server.process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(server.process.wait(), PATIENCE_S) in {0, -signal.SIGTERM}
        assert await server.process.stdout.read() == b""


@KILLS
@given(moment=st.integers(0, 300_000))
@example(moment=300_000)
def test_a_server_that_is_killed_leaves_whole_lines(tmp_path, moment):
    """Whenever it happens, at most the last line is cut, and every other is a message of its revision."""
    (tmp_path / "server.py").write_text(SERVER)
    asked = LocalProcess(None)
    lines = b"".join(mixed(asked, 60))
    with subprocess.Popen(
        [sys.executable, "server.py"],
        cwd=tmp_path,
        env=environment_for({"PYTHONPATH": str(ROOT)}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        server.stdin.write(lines)
        server.stdin.flush()
        output = b""
        # What is not answered yet may come, so it is waited for; after the last answer nothing comes.
        while len(output) < moment and output.count(b"\n") < 60:
            output += server.stdout.read1(moment - len(output))
        server.kill()
        output += server.stdout.read()
        assert server.wait(PATIENCE_S) == -signal.SIGKILL
    *whole, _ = output.split(b"\n")
    seen = [asked.judged(line)["id"] for line in whole]
    assert len(set(seen)) == len(seen)


@KILLS
@given(answers=st.integers(0, 60))
@example(answers=60)
def test_a_server_whose_client_is_killed_ends_by_itself(tmp_path, answers):
    """No orphan: its input ends, or its output breaks, whatever it is doing."""
    (tmp_path / "server.py").write_text(SERVER)
    asked = LocalProcess(None)
    lines = b"".join([*mixed(asked, 60), asked.call("w", "wait", token=1)])
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT],
        cwd=tmp_path,
        env=environment_for({"PYTHONPATH": str(ROOT)}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as client:
        client.stdin.write(lines)
        client.stdin.close()
        pid = int(client.stdout.readline())
        for _ in range(answers):
            client.stdout.readline()
        client.kill()
        assert client.wait(PATIENCE_S) == -signal.SIGKILL
    wait_until_gone(pid)


class Pair:
    """A caller's own pipes, with the client's ends."""

    def __init__(self) -> None:
        reading, self.to_server = os.pipe()
        self.from_server, writing = os.pipe()
        self.reader, self.writer = os.fdopen(reading, "rb"), os.fdopen(writing, "wb")

    def close(self) -> None:
        for end in (self.to_server, self.from_server):
            os.close(end)
        for file in (self.reader, self.writer):
            file.close()


class Idle(Base):
    name = ""

    def __init__(self) -> None:
        self.started = asyncio.Event()

    @tool
    async def wait(self) -> None:
        """Wait for ever."""
        self.started.set()
        await asyncio.Event().wait()


@pytest.fixture
def pair():
    made = Pair()
    yield made
    made.close()


def scope_of(module: Base) -> Scope:
    scope = Scope()
    scope.register(module)
    return scope


async def test_a_callers_own_streams_stay_open_at_the_end_of_the_input(pair):
    """Promised: streams stay open on a normal end."""
    os.write(pair.to_server, LocalProcess(None).call(1, "wait", text="unknown argument"))
    os.close(pair.to_server)
    await asyncio.wait_for(scope_of(Idle()).serve_stdio(pair.reader, pair.writer), PATIENCE_S)
    pair.to_server = os.dup(pair.from_server)
    assert not pair.reader.closed
    assert not pair.writer.closed
    assert json.loads(os.read(pair.from_server, 65536))["id"] == 1


async def test_a_callers_own_streams_are_closed_by_cancellation(pair):
    """Promised: cancellation closes them, so that whoever reads gets free."""
    module = Idle()
    task = asyncio.create_task(scope_of(module).serve_stdio(pair.reader, pair.writer))
    os.write(pair.to_server, LocalProcess(None).call(1, "wait"))
    await asyncio.wait_for(module.started.wait(), PATIENCE_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert pair.reader.closed
    assert pair.writer.closed
    assert os.read(pair.from_server, 1) == b""
