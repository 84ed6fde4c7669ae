"""Any conversation over stdio: whole lines, one answer a request, none for what was cancelled or asked nothing."""

import asyncio
import json
import logging
import socket
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazymcp.protocol import CAPABILITIES_KEY, VERSION_KEY
from tests.lazymcp.fuzzed import PATIENCE_S, SETTINGS, anything, make_scope, messages, settle
from tests.lazymcp.wire import ERAS, MODERN, judge, judge_message

SCOPE = make_scope()

calls = st.tuples(st.just("call"), st.sampled_from(ERAS), st.integers(0, 3))
cancels = st.tuples(st.just("cancel"), st.integers(0, 12) | anything, st.booleans())
noise = st.tuples(st.just("noise"), st.binary(max_size=60).map(lambda data: data.replace(b"\n", b" ")), st.none())
strange = st.tuples(st.just("strange"), messages | anything, st.none())


def call(number, era, times):
    meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}} if era == MODERN else {}
    params = {"name": "talk", "arguments": {"times": times}, "_meta": {**meta, "progressToken": f"own-{number}"}}
    return {"jsonrpc": "2.0", "id": f"own-{number}", "method": "tools/call", "params": params}


def cancel(what):
    request_id = f"own-{what}" if type(what) is int else what
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}, request_id


def written(said):
    """The lines of a conversation, the eras of our own calls, and which of them may be cancelled."""
    lines, eras, cancelled = [], {}, set()
    for number, (kind, what, more) in enumerate(said):
        match kind:
            case "call":
                message = call(number, what, more)
                eras[message["id"]] = what
            case "cancel":
                message, request_id = cancel(what)
                cancelled |= {request_id} if isinstance(request_id, str) else set()
                lines += [json.dumps(message).encode()] * more
            case "noise":
                lines.append(what)
                continue
            case _:
                message = what
        lines.append(json.dumps(message).encode())
    return lines, eras, cancelled


async def converse(lines, sizes):
    """Write the lines in pieces of these sizes, end the input, and give the lines that came back."""
    ours, theirs = socket.socketpair()
    from_server, to_server = await asyncio.open_connection(sock=ours, limit=2**24)
    reader, writer = await asyncio.open_connection(sock=theirs)
    serving = asyncio.create_task(SCOPE.serve_stdio(reader, writer))
    data = b"".join(line + b"\n" for line in lines)
    for size in sizes:
        to_server.write(data[:size])
        data = data[size:]
        await asyncio.sleep(0)
    to_server.write(data)
    to_server.write_eof()
    await serving
    assert not writer.is_closing(), "a caller's stream stays open at the end of the input"
    writer.close()
    output = await from_server.read()
    to_server.close()
    for stream in (writer, to_server):
        await stream.wait_closed()
    return output


@pytest.fixture(scope="module")
def runner():
    with asyncio.Runner() as running:
        yield running


@pytest.mark.requirement("MCP-CANCEL-5", "MCP-STDIO-1")
@SETTINGS
@given(st.lists(calls | cancels | noise | strange, max_size=12), st.lists(st.integers(1, 500), max_size=5))
def test_any_conversation_over_stdio_keeps_its_rules(runner, said, sizes):
    """MCP 2026-07-28, basic/transports/stdio and basic/patterns/cancellation."""
    lines, eras, cancelled = written(said)

    async def example():
        before = asyncio.all_tasks()
        async with asyncio.timeout(PATIENCE_S):
            output = await converse(lines, sizes)
        await settle(before)
        return output

    output = runner.run(example())
    assert output == b"" or output.endswith(b"\n")
    answered = Counter()
    for line in output.splitlines():
        message = json.loads(line.decode())
        kind = judge_message(message)
        about = message.get("id", message.get("params", {}).get("progressToken") if kind == "notification" else None)
        if isinstance(about, str) and about in eras:
            judge(eras[about], message, "tools/call")
            assert kind != "notification" or answered[about] == 0, "nothing follows the answer"
        if kind in {"result", "error"}:
            assert message.get("error", {}).get("code") != -32603
            answered[about if isinstance(about, str) else None] += 1
    for request_id in eras:
        assert answered[request_id] in ({0, 1} if request_id in cancelled else {1})


@pytest.fixture(autouse=True)
def no_fault_is_logged(caplog):
    yield
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
