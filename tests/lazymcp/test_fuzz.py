"""Whatever comes in, the answer is HTTP and JSON-RPC, and never a fault of ours (design, section 10)."""

import asyncio
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazymcp.methods import METHODS
from lazymcp.protocol import CAPABILITIES_KEY, TASKS_EXTENSION
from tests.lazymcp.asgi_peer import ERAS, MODERN, OLDER, Peer
from tests.lazymcp.fuzzed import (
    SETTINGS,
    USUAL,
    answers,
    anything,
    capabilities,
    drive,
    header_names,
    header_values,
    headers,
    make_scope,
    messages,
    params,
    settle,
    verbs,
)

APP = make_scope().asgi()
ASKING = {CAPABILITIES_KEY: {"elicitation": {"form": {}}, "roots": {}, "extensions": {TASKS_EXTENSION: {}}}}


@pytest.fixture(scope="module", autouse=True)
def runner():
    """One event loop for all examples."""
    with asyncio.Runner() as running:
        yield running


@pytest.fixture(autouse=True)
def no_fault_is_logged(caplog, monkeypatch):
    # There is one process, which knows at once that it does not have a stream.
    monkeypatch.setattr("lazymcp.legacy_streams.FOUND_S", 0.01)
    yield
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def raw(headers):
    return [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items() if value is not None]


async def send(peer, message, leaves_early=False):
    body = json.dumps(message).encode()
    await drive(peer.app, raw(peer.headers_for(message)), [body], leaves_early=leaves_early, is_heard=True)


@SETTINGS
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=4), headers, st.booleans())
def test_no_bytes_are_too_much(runner, chunks, more, leaves_early):
    """In any pieces, and however far the client comes before it leaves."""
    runner.run(drive(APP, [*USUAL, *more], chunks, leaves_early=leaves_early))


@SETTINGS
@given(messages | anything, headers, st.integers(1, 50), st.booleans())
def test_no_json_is_too_much(runner, message, more, size, leaves_early):
    """In pieces of any size."""
    body = json.dumps(message).encode()
    chunks = [body[start : start + max(size, len(body) // 20)] for start in range(0, len(body), max(size, len(body) // 20))]
    runner.run(drive(APP, [*USUAL, *more], chunks, leaves_early=leaves_early))


@SETTINGS
@given(st.sampled_from([*METHODS, "initialize"]), params, st.sampled_from(ERAS), capabilities)
def test_no_params_are_too_much(runner, method, given_params, era, can):
    """With the envelope and the headers in order, so that the methods themselves are reached."""
    peer = Peer(APP, era)
    given_params = {key: value for key, value in given_params.items() if key != "_meta"}
    message = peer.message(method, given_params, **({CAPABILITIES_KEY: can} if era == MODERN else {}))
    runner.run(send(peer, message))


@SETTINGS
@given(st.lists(st.tuples(header_names, header_values | st.binary(max_size=20)), max_size=6), verbs)
def test_no_header_and_no_verb_is_too_much(runner, given_headers, verb):
    runner.run(drive(APP, given_headers, [b"{}"], verb))
    runner.run(drive(APP, [(b"host", b"localhost"), *given_headers], [b""], verb, leaves_early=True))


def changed(value, where, by):
    """A text, or the text with one character changed."""
    if by is None or not value:
        return value
    where %= len(value)
    return value[:where] + by + value[where + 1 :]


damage = st.tuples(st.integers(0, 10_000), st.none() | st.characters(codec="ascii", exclude_categories=["Cc"]))


@SETTINGS
@given(
    damage,
    st.dictionaries(st.text(max_size=8), answers | anything, max_size=2),
    st.dictionaries(st.sampled_from(["name", "arguments", "x"]), anything, max_size=1),
    st.integers(0, 2),
)
def test_no_answer_to_a_question_is_too_much(runner, harm, given_answers, more, known):
    """MCP 2026-07-28, basic/patterns/mrtr: requestState is an attacker's, and so is everything beside it."""

    async def ask_twice():
        peer = Peer(APP)
        asked = (await peer.ask("tools/call", {"name": "ask"}, **ASKING)).result
        replies = {key: {"action": "accept", "content": {"name": "a"}} for key in list(asked["inputRequests"])[:known]}
        retry = {"name": "ask", "inputResponses": replies | given_answers, "requestState": changed(asked["requestState"], *harm)}
        await send(peer, peer.message("tools/call", retry | more, **ASKING))

    runner.run(ask_twice())


@SETTINGS
@given(
    st.sampled_from(["tasks/get", "tasks/update", "tasks/cancel", "subscriptions/listen"]),
    damage,
    st.dictionaries(st.text(max_size=8), answers | anything, max_size=2) | anything,
)
def test_no_word_about_a_task_is_too_much(runner, method, harm, given_answers):
    """SEP-2663, with an id that is right or nearly right."""

    async def tell():
        peer = Peer(APP)
        before = asyncio.all_tasks()
        made = (await peer.ask("tools/call", {"name": "interview"}, **ASKING)).result
        task_id = changed(made["taskId"], *harm)
        about = {"notifications": {"taskIds": [task_id]}} if method == "subscriptions/listen" else {"taskId": task_id}
        message = peer.message(method, about | {"inputResponses": given_answers}, **ASKING)
        await drive_beside_a_task(peer, message, task_id)
        await peer.ask("tasks/cancel", {"taskId": made["taskId"]}, headers={"mcp-name": made["taskId"]}, **ASKING)
        await settle(before)

    async def drive_beside_a_task(peer, message, task_id):
        fields = {**peer.headers_for(message), **({} if method == "subscriptions/listen" else {"mcp-name": task_id})}
        await drive(peer.app, raw(fields), [json.dumps(message).encode()])

    runner.run(tell())


@SETTINGS
@given(st.sampled_from(OLDER), st.sampled_from(["GET", "DELETE", "POST"]), damage, st.binary(max_size=20), st.booleans())
def test_no_session_and_no_event_id_is_too_much(runner, era, verb, harm, event_id, leaves_early):
    """MCP 2025-11-25, basic/transports: ids that are right, nearly right, and nothing of the kind."""

    async def visit():
        peer = Peer(APP, era)
        await peer.initialize()
        peer.headers["mcp-session-id"] = changed(peer.headers["mcp-session-id"], *harm)
        fields = raw(peer.headers_for({"method": "ping", "params": {}}))
        fields += [(b"last-event-id", event_id)] if event_id else []
        await drive(APP, fields, [b'{"jsonrpc":"2.0","id":1,"method":"ping"}'], verb, leaves_early=leaves_early)

    runner.run(visit())
