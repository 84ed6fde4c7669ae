"""Any bytes on a real connection, on both HTTP parsers: no 500, no hang, no fault in the log, and the next client is served."""

import asyncio
import json
import logging
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lazymcp.asgi_peer import ERAS, Peer
from tests.lazymcp.fuzzed import SETTINGS, STATUSES, make_scope, settle
from tests.lazymcp.socket_peer import PARSERS, Line, ask, serving

FEW = settings(SETTINGS, max_examples=25)
# Besides ours, what the parsers refuse by themselves.
ALLOWED = STATUSES | {100, 431, 501, 505}
REQUESTS = [
    ("tools/list", {}),
    ("tools/call", {"name": "talk", "arguments": {"times": 3}}),
    ("server/discover", {}),
    ("initialize", {}),
]

edits = st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 3), st.binary(max_size=6)), max_size=4)
cuts = st.lists(st.integers(1, 400), max_size=6)


def written(era, method, params):
    """A proper request, as bytes."""
    peer = Peer(None, era)
    message = peer.message(method, params, progressToken=1)
    body = json.dumps(message).encode()
    fields = {**peer.headers_for(message), "content-length": str(len(body))}
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body


def changed(data, harm):
    for where, size, by in harm:
        where %= len(data)
        data = data[:where] + by + data[where + size :]
    return data


@pytest.fixture(scope="module", params=PARSERS)
def connected(request):
    """A server that serves all examples, and the loop it runs in."""
    scope = make_scope()
    with asyncio.Runner() as runner:
        serve = serving(scope.asgi(), request.param, timeout_graceful_shutdown=1)
        server = runner.run(serve.__aenter__())
        yield runner, server
        scope.end_streams()
        runner.run(serve.__aexit__(None, None, None))


@pytest.fixture(autouse=True)
def no_fault_is_logged(caplog):
    yield
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def speak(server, data, pieces, *, resets):
    """Write the bytes in these pieces, and hang up; gives what came back."""
    line = await Line.open(server)
    for size in pieces:
        line.writer.write(data[:size])
        data = data[size:]
        await asyncio.sleep(0)
    line.writer.write(data)
    answer = b""
    try:
        async with asyncio.timeout(0.02):
            answer = await line.reader.read(65536)
    except (TimeoutError, ConnectionError):
        pass
    if resets:
        line.writer.transport.abort()
        return answer
    try:
        line.writer.write_eof()
        async with asyncio.timeout(10):
            answer += await line.reader.read()
    except (OSError, RuntimeError):
        pass
    await line.close()
    return answer


async def converse(server, data, pieces, resets):
    before = asyncio.all_tasks()
    answer = await speak(server, data, pieces, resets=resets)
    for status in re.findall(rb"^HTTP/1\.1 (\d+)", answer, re.MULTILINE):
        assert int(status) in ALLOWED, answer
    served = await ask(server, Peer(None), "tools/list")
    assert served.status == 200
    await settle(before)


@FEW
@given(data=st.binary(max_size=300), pieces=cuts, resets=st.booleans())
def test_no_bytes_on_a_socket_are_too_much(connected, data, pieces, resets):
    runner, server = connected
    runner.run(converse(server, data, pieces, resets))


@FEW
@given(
    era=st.sampled_from(ERAS),
    asked=st.lists(st.sampled_from(REQUESTS), min_size=1, max_size=3),
    harm=edits,
    pieces=cuts,
    resets=st.booleans(),
)
def test_no_damage_to_a_request_is_too_much(connected, era, asked, harm, pieces, resets):
    """Several on one connection, changed anywhere, in any pieces, cut off or read to the end."""
    runner, server = connected
    data = b"".join(written(era, method, params) for method, params in asked)
    runner.run(converse(server, changed(data, harm), pieces, resets))
