"""lazymcp/process_streams.py, shown by processes of their own, as a desktop client starts them."""

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# With this variable a print before serving is out before we can catch it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
SERVER = """
import asyncio, ctypes, os, signal, subprocess, sys
from lazymcp import jsonrpc, stdio

print("a banner before all")
before = sys.stdout

async def handle(message, send):
    match message["method"]:
        case "noise":
            print("noise of print")
            before.write("noise of an old sys.stdout\\n")
            os.write(1, b"noise of write\\n")
            ctypes.CDLL(None).puts(b"noise of C")
            subprocess.run([sys.executable, "-c", "import sys; print('noise of a child', repr(sys.stdin.read()))"])
            print("noise of the end", end="")
        case "big":
            return jsonrpc.result(message["id"], "x" * message["params"]["size"])
        case "length":
            return jsonrpc.result(message["id"], len(message["params"]["text"]))
        case "wait":
            await send({"jsonrpc": "2.0", "method": "begun"})
            await asyncio.Event().wait()
        case "stubborn":
            stdio.STOP_TIMEOUT_S = 0.1
            await send({"jsonrpc": "2.0", "method": "begun"})
            while True:
                try:
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    pass
    return jsonrpc.result(message.get("id"), message["params"])

async def main():
    task = asyncio.create_task(stdio.serve(handle))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled", file=sys.stderr)
    print("after")

asyncio.run(main())
"""


def start(**options):
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([sys.executable, "-c", SERVER], cwd=ROOT, env=ENVIRONMENT, **options)


def request(request_id, method="echo", **params):
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode() + b"\n"


def ask(process, request_id, method="echo", **params):
    process.stdin.write(request(request_id, method, **params))
    process.stdin.flush()


def answers(output):
    lines = output.splitlines()
    assert lines.pop() == b"after"
    return [json.loads(line) for line in lines]


def test_stdout_carries_messages_only():
    """Promised: keep stdout exclusively for newline-delimited JSON-RPC. Public reports: ha-mcp 2374, blockscout 39."""
    with start() as process:
        output, noise = process.communicate(request(1, "noise"), timeout=30)
    assert process.returncode == 0
    assert answers(output) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    for source in ("banner before all", "of print", "of an old sys.stdout", "of write", "of C", "of a child", "of the end"):
        assert source in noise.decode()
    # A child finds an empty stdin instead of the peer's messages.
    assert "of a child ''" in noise.decode()


def test_a_broken_stderr_does_not_stop_a_server():
    """A client may close what it does not want to read."""
    with start(stderr=None, preexec_fn=lambda: os.close(2)) as process:
        output, _ = process.communicate(request(1, "noise"), timeout=30)
    assert answers(output) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@pytest.mark.slow
def test_ten_thousand_calls_come_back_in_sequence():
    """Promised: desktop clients keep one process for hours."""
    with start() as process:
        for number in range(10_000):
            process.stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":"echo","params":{}}\n' % number)
            process.stdin.flush()
            assert process.stdout.readline() == b'{"jsonrpc":"2.0","id":%d,"result":{}}\n' % number
        process.stdin.close()
        assert process.wait(timeout=30) == 0
        assert b"Error" not in process.stderr.read()


@pytest.mark.slow
def test_an_answer_has_no_limit():
    """Promised: outgoing payloads have no transport size limit."""
    with start() as process:
        output, _ = process.communicate(request(1, "big", size=100_000_000) + request(2), timeout=60)
    head, _, tail = b'{"jsonrpc":"2.0","id":1,"result":"|"}\n{"jsonrpc":"2.0","id":2,"result":{}}\nafter\n'.partition(b"|")
    assert len(output) == 100_000_000 + len(head) + len(tail)
    assert output.startswith(head + b"xxx")
    assert output.endswith(b"xxx" + tail)


@pytest.mark.slow
def test_a_message_has_64_mib_and_not_one_byte_more():
    """Promised: accepts incoming messages up to 64 MiB."""
    head, tail = request(1, "length", text="").split(b'""')
    room = 64 * 1024 * 1024 + 1 - len(head) - len(tail) - 2
    with start() as process:
        for size in (room, room + 1):
            process.stdin.write(head + b'"' + b"x" * size + b'"' + tail)
        output, _ = process.communicate(request(2), timeout=60)
    fits, refused, following = answers(output)
    assert fits["result"] == room
    assert (refused["id"], refused["error"]["code"]) == (1, -32600)
    assert following["id"] == 2


def test_files_and_nothing_may_be_stdin_and_stdout(tmp_path):
    """server < requests > answers; server < /dev/null."""
    (tmp_path / "in").write_bytes(request(1) + request(2, "noise"))
    with (
        (tmp_path / "in").open("rb") as stdin,
        (tmp_path / "out").open("wb") as stdout,
        start(stdin=stdin, stdout=stdout) as process,
    ):
        process.communicate(timeout=30)
    assert [answer["id"] for answer in answers((tmp_path / "out").read_bytes())] == [1, 2]
    with start(stdin=subprocess.DEVNULL) as process:
        assert answers(process.communicate(timeout=30)[0]) == []


def test_a_terminal_may_be_stdin_and_stdout():
    """A developer tries the server by hand; the terminal's mode is not changed."""
    ours, theirs = pty.openpty()
    with start(stdin=theirs, stdout=theirs) as process:
        os.write(ours, request(1))
        seen = b""
        while b"result" not in seen:
            seen += os.read(ours, 1000)
        assert os.get_blocking(theirs)
        os.write(ours, b"\x04")  # Ctrl-D
        assert process.wait(timeout=30) == 0
        process.stderr.close()
    os.close(ours)
    os.close(theirs)


def test_sigterm_ends_a_server_that_is_at_work():
    """MCP, basic/transports/stdio: the client sends SIGTERM when closing stdin was not enough."""
    with start() as process:
        ask(process, 1, "wait")
        assert json.loads(process.stdout.readline()) == {"jsonrpc": "2.0", "method": "begun"}
        process.send_signal(signal.SIGTERM)
        output, noise = process.communicate(timeout=30)
    assert process.returncode == 0
    assert answers(output) == []
    assert b"cancelled" in noise


def test_sigterm_ends_a_server_whose_handler_ignores_it():
    """A handler has a bounded time to clean up in; `asyncio.run` itself would wait for it without end."""
    with start() as process:
        ask(process, 1, "stubborn")
        assert json.loads(process.stdout.readline()) == {"jsonrpc": "2.0", "method": "begun"}
        process.send_signal(signal.SIGTERM)
        try:
            _, noise = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0
    assert b"stubborn does not end although it is cancelled" in noise


def test_sigterm_ends_a_server_whose_answers_nobody_reads():
    """A thread that is stuck in a write must not keep the process."""
    with start() as process:
        ask(process, 1, "big", size=10_000_000)
        process.stdout.read(1000)
        process.send_signal(signal.SIGTERM)
        assert process.stderr.readline() == b"a banner before all\n"
        assert process.stderr.readline() == b"cancelled\n"
        process.kill()


def test_a_server_may_be_killed_at_any_moment():
    """Whole lines, each one message; only the last may be cut by the kill."""
    for moment in (1, 20, 150):
        with start() as process:
            for number in range(200):
                process.stdin.write(request(number, "big", size=number * 17) if number % 2 else request(number, n=number))
            process.stdin.flush()
            lines = [process.stdout.readline() for _ in range(moment)]
            process.kill()
            *whole, _ = (b"".join(lines) + process.stdout.read()).split(b"\n")
            process.communicate()
        assert len(whole) >= moment
        assert len({json.loads(line)["id"] for line in whole}) == len(whole)


@pytest.mark.parametrize("hang_up", ["stdin", "both"])
def test_a_server_goes_when_its_client_has_gone(hang_up):
    """MCP, basic/transports/stdio: the server exits when its input is closed, or its answers cannot be written."""
    with start() as process:
        ask(process, 1, "big", size=1_000_000)
        process.stdout.read(10)
        if hang_up == "both":
            process.stdout.close()
            ask(process, 2)
        process.stdin.close()
        if hang_up == "stdin":
            process.stdout.read()
        assert process.wait(timeout=30) in {0, 120}  # 120: Python could not flush the last print


async def test_the_streams_are_given_back():
    """After a normal end the process's stdin and stdout are what they were."""
    script = SERVER.replace(
        'print("after")', 'print("after", sys.stdout is before, repr(sys.stdin.read()), flush=True)\n    os.write(1, b"after")'
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    output, _ = await asyncio.wait_for(process.communicate(request(1)), 30)
    assert output.splitlines()[1:] == [b"after True ''", b"after"]
