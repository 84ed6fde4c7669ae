"""The harness: servers as processes on one core, load from the other, rounds interleaved, ratios taken within each round."""

import contextlib
import ctypes
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SERVER_CORE, LOAD_CORE = 0, 1
ANSWER_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Contestant:
    """One server under load.

    Args:
        name: as printed.
        command: arguments of `program`; the port is appended.
        request: the bytes of one HTTP/1.1 request on a kept-alive connection, `{port}` in its headers already filled by a callable.
        check: raises when an answer is not the right one.
    """

    name: str
    command: Sequence[str]
    request: Callable[[int], bytes]
    check: Callable[[bytes], None]
    environment: dict[str, str] = field(default_factory=dict)
    program: Sequence[str] = (sys.executable, "-m")


@dataclass(frozen=True, slots=True)
class Bar:
    """A budget: the cost of `name` divided by the cost of `against`, in the same round, at most (or at least) `limit`."""

    name: str
    against: str
    limit: float
    at_least: bool = False


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(contestant: Contestant) -> Iterator[int]:
    """Run a contestant's server on its core until the block ends."""
    port = free_port()
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PORT": str(port)} | contestant.environment
    process = subprocess.Popen(
        [*contestant.program, *contestant.command, str(port)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        preexec_fn=_on_its_core,
    )
    try:
        _await_port(port, process)
        yield port
    finally:
        process.kill()
        process.wait()


def cost(port: int, contestant: Contestant, connections: int, requests: int) -> float:
    """Seconds a request, with `connections` kept-alive connections that each have one request under way."""
    # One request a connection: in a session of the older era two requests under way must not have the same id.
    requests_of = [contestant.request(port) for _ in range(connections)]
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(connections)]
        for connection, request in zip(sockets, requests_of, strict=True):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(request)
            contestant.check(_answer(connection))
        rounds = max(1, requests // connections)
        began = time.perf_counter()
        for _ in range(rounds):
            for connection, request in zip(sockets, requests_of, strict=True):
                connection.sendall(request)
            for connection in sockets:
                _answer(connection)
        return (time.perf_counter() - began) / (rounds * connections)


def contest(
    title: str, contestants: Sequence[Contestant], bars: Sequence[Bar], *, connections: int, requests: int, rounds: int = 7
) -> bool:
    """Measure every contestant in each round, print medians, spread and bars; whether all bars hold."""
    os.sched_setaffinity(0, {LOAD_CORE})
    plural = "s" if connections > 1 else ""
    print(f"\n{title} · {connections} connection{plural} · {rounds} rounds of {requests} requests", flush=True)
    costs: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    with ExitStack() as stack:
        ports = {contestant.name: stack.enter_context(serving(contestant)) for contestant in contestants}
        for contestant in contestants:
            cost(ports[contestant.name], contestant, connections, requests // 4)
        for _ in range(rounds):
            for contestant in contestants:
                costs[contestant.name].append(cost(ports[contestant.name], contestant, connections, requests))
    return report(costs, bars)


def report(costs: dict[str, list[float]], bars: Sequence[Bar]) -> bool:
    """Print medians and spread of the seconds in `costs`, and each bar with its verdict; whether all bars hold."""
    for name, values in costs.items():
        print(f"  {name:<34} {statistics.median(values) * 1e6:9.1f} µs   ({min(values) * 1e6:.1f} to {max(values) * 1e6:.1f})")
    verdicts = [_judge(bar, costs) for bar in bars]  # every line is printed, so no short cut
    return all(verdicts)


def _judge(bar: Bar, costs: dict[str, list[float]]) -> bool:
    ratios = [mine / other for mine, other in zip(costs[bar.name], costs[bar.against], strict=True)]
    ratio = statistics.median(ratios)
    holds = ratio >= bar.limit if bar.at_least else ratio <= bar.limit
    sign = ">=" if bar.at_least else "<="
    spread = f"({min(ratios):.2f} to {max(ratios):.2f})"
    print(f"  {'PASS' if holds else 'FAIL'}  {bar.name} / {bar.against}: {ratio:.2f} {spread}, bar {sign} {bar.limit}")
    return holds


def _on_its_core() -> None:
    os.sched_setaffinity(0, {SERVER_CORE})
    # PR_SET_PDEATHSIG: a contestant ends with the harness, however that ends.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _answer(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    lower = head.lower()
    if b"content-length:" in lower:
        length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0])
        while len(body) < length:
            body += _receive(connection)
        return head + b"\r\n\r\n" + body
    while not body.endswith(b"0\r\n\r\n"):
        body += _receive(connection)
    return head + b"\r\n\r\n" + body


def _receive(connection: socket.socket) -> bytes:
    # Spinning on a core of its own: waking a sleeping client would be timed with every answer, and is nobody's cost.
    deadline = time.monotonic() + ANSWER_TIMEOUT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(BlockingIOError):
            data = connection.recv(1 << 20, socket.MSG_DONTWAIT)
            if not data:
                raise ConnectionError("the server closed the connection")
            return data
    raise TimeoutError(f"no answer within {ANSWER_TIMEOUT_S} seconds")


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"nothing answered on port {port} within 30 seconds")
