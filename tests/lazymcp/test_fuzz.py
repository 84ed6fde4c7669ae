"""Whatever comes in, the answer is HTTP and JSON-RPC, and never a fault of ours (design, section 10)."""

import asyncio
import json
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lazymcp.methods import METHODS
from lazymcp.protocol import CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY, VERSION_KEY
from tests.lazymcp.admin_module import AdminMCP
from tests.lazymcp.asgi_peer import ERAS, Peer, send_raw, served

SETTINGS = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
APP = served(AdminMCP()).app

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8
)
names = st.sampled_from(
    [
        *("admin.user_count", "admin_user_count", "admin.user_report", "admin.audit", "admin.greeting", "skill://index.json"),
        *("app://admin/users", "app://admin/users/x", "ui://admin/dashboard", "skill://admin", "skill://admin/oncall/SKILL.md"),
    ]
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        VERSION_KEY: st.sampled_from([*ERAS, "2099-01-01"]) | anything,
        CAPABILITIES_KEY: st.just({}) | anything,
        CLIENT_KEY: st.just({"name": "x"}) | anything,
        LOG_LEVEL_KEY: st.just("debug") | anything,
        "progressToken": anything,
    },
)
params = st.fixed_dictionaries(
    {},
    optional={
        "name": names | anything,
        "uri": names | anything,
        "arguments": st.fixed_dictionaries({}, optional={"active": anything, "since": anything}) | anything,
        "cursor": anything,
        "protocolVersion": st.sampled_from(ERAS) | anything,
        "capabilities": anything,
        "clientInfo": anything,
        "_meta": envelopes | anything,
    },
)
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | anything, "method": st.sampled_from([*METHODS, "initialize", "ping"]) | anything},
    optional={"id": st.integers() | st.text(max_size=5) | anything, "params": params | anything},
)
header_values = st.binary(max_size=30) | st.sampled_from([era.encode() for era in ERAS]) | names.map(str.encode)
headers = st.lists(
    st.tuples(
        st.sampled_from([b"mcp-protocol-version", b"mcp-method", b"mcp-name", b"mcp-session-id", b"accept", b"origin"]),
        header_values,
    ),
    max_size=4,
)
USUAL = [(b"host", b"localhost"), (b"content-type", b"application/json")]
STATUSES = {200, 202, 204, 400, 403, 404, 405, 406, 408, 413, 415, 421}


@pytest.fixture(scope="module", autouse=True)
def runner():
    """One event loop for all examples."""
    with asyncio.Runner() as running:
        yield running


@pytest.fixture(autouse=True)
def no_fault_is_logged(caplog):
    yield
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def send(runner, raw_headers, chunks, method="POST"):
    answer = runner.run(asyncio.wait_for(send_raw(APP, raw_headers, chunks, method), 5))
    assert answer.status in STATUSES
    assert all(message.get("error", {}).get("code") != -32603 for message in answer.messages)


@SETTINGS
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=3), headers)
def test_no_bytes_are_too_much(runner, chunks, more):
    send(runner, [*USUAL, *more], chunks)


@SETTINGS
@given(messages | anything, headers)
def test_no_json_is_too_much(runner, message, more):
    send(runner, [*USUAL, *more], [json.dumps(message).encode()])


@SETTINGS
@given(st.sampled_from(list(METHODS)), params, st.sampled_from(ERAS))
def test_no_params_are_too_much(runner, method, given_params, era):
    """With the envelope and the headers in order, so that the methods themselves are reached."""
    peer = Peer(APP, era)
    message = peer.message(method, {key: value for key, value in given_params.items() if key != "_meta"})
    raw = [(name.encode(), value.encode("latin-1", "replace")) for name, value in peer.headers_for(message).items()]
    send(runner, raw, [json.dumps(message).encode()])


@SETTINGS
@given(
    st.lists(
        st.tuples(st.sampled_from([b"host", b"origin", b"content-type", b"content-length", b"accept"]), st.binary(max_size=20))
    )
)
def test_no_header_is_too_much(runner, raw):
    for method in ("POST", "OPTIONS", "GET"):
        send(runner, raw, [b"{}"], method)
