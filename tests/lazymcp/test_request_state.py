"""lazymcp/request_state.py: what a client carries between two sends of one request, and can neither read nor change."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyauth import Claims, User
from lazyauth.current import signed_in
from lazymcp.errors import InvalidParams
from lazymcp.protocol import CAPABILITIES_KEY
from lazymcp.request_state import LIFETIME_S, MAX_BYTES, Record, RequestStates, binding
from tests.lazymcp.asgi_peer import MODERN, Peer
from tests.lazymcp.test_package import loaded
from tests.lazymcp.wire import judge

ROOT = Path(__file__).parents[2]
RECORD = Record({"name": ("m1", {"action": "accept", "content": {"name": "É"}})}, {"age": "m2"})
HERE = binding("tools/call", {"name": "t", "arguments": {"a": 1}})


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def states(clock):
    return RequestStates("a" * 32, now=clock)


def test_what_was_sealed_is_opened(states):
    assert states.open(states.seal(RECORD, HERE), HERE) == RECORD


def test_every_process_with_the_secret_opens_it(states, clock):
    """MCP 2026-07-28, basic/patterns/mrtr: a retry may reach another process."""
    assert RequestStates("a" * 32, now=clock).open(states.seal(RECORD, HERE), HERE) == RECORD


def test_a_secret_that_is_being_replaced_opens_what_it_sealed(states, clock):
    """Design, section 5: `SECRET_KEY_FALLBACKS` while rotating."""
    token = states.seal(RECORD, HERE)
    assert RequestStates("b" * 32, ("", "a" * 32), now=clock).open(token, HERE) == RECORD
    for others in (RequestStates("b" * 32, now=clock), RequestStates("b" * 32, ("",), now=clock)):
        with pytest.raises(InvalidParams):
            others.open(token, HERE)


def test_nobody_reads_it(states):
    """MCP 2026-07-28, basic/patterns/mrtr, "Security considerations"."""
    token = states.seal(RECORD, HERE)
    raw = base64.urlsafe_b64decode(token + "==")
    assert b"accept" not in raw
    assert b"name" not in raw
    assert token != states.seal(RECORD, HERE)


def test_it_ends(states, clock):
    """MCP 2026-07-28, basic/patterns/mrtr, "Security considerations": it should expire."""
    token = states.seal(RECORD, HERE)
    clock.now += LIFETIME_S - 1
    assert states.open(token, HERE) == RECORD
    clock.now += 1
    with pytest.raises(InvalidParams):
        states.open(token, HERE)


@pytest.mark.parametrize(
    "other",
    [
        ("prompts/get", {"name": "t", "arguments": {"a": 1}}),
        ("tools/call", {"name": "u", "arguments": {"a": 1}}),
        ("tools/call", {"name": "t", "arguments": {"a": 2}}),
        ("tools/call", {"name": "t", "arguments": {"a": "1"}}),
        ("tools/call", {"name": "t", "arguments": {"a": True}}),
        ("tools/call", {"name": "t"}),
        ("resources/read", {"uri": "t"}),
        ("tools/call", {"uri": "t", "arguments": {"a": 1}}),
    ],
)
def test_it_belongs_to_one_request(states, other):
    """MCP 2026-07-28, basic/patterns/mrtr, "Security considerations": bound to the request."""
    with pytest.raises(InvalidParams):
        states.open(states.seal(RECORD, HERE), binding(*other))


def test_the_order_of_arguments_and_the_envelope_do_not_matter():
    """JSON objects have no order (RFC 8259, section 4); `_meta` and id are the retry's own."""
    one = binding("tools/call", {"name": "t", "arguments": {"a": 1, "b": {"c": 2, "d": 3}}, "_meta": {"x": 1}})
    assert one == binding("tools/call", {"arguments": {"b": {"d": 3, "c": 2}, "a": 1}, "name": "t", "requestState": "x"})
    assert binding("tools/call", {"name": "t"}) == binding("tools/call", {"name": "t", "arguments": {}})


def test_it_belongs_to_one_user(states):
    """MCP 2026-07-28, basic/patterns/mrtr, "Security considerations": bound to the principal."""
    params = {"name": "t"}
    seen = {binding("tools/call", params)}
    people = [("ada", None), ("bob", None), ("ada", {"sub": "ada"}), ("ada", {"sub": "bob"}), ("ada", {})]
    people += [("ada", {"client_id": "robot"}), ("ada", {"client_id": "other"}), ("ada", {"sub": "client:robot"})]
    for user, claims in people:
        with signed_in(User(user), None if claims is None else Claims(claims)):
            seen.add(binding("tools/call", params))
    assert len(seen) == 9
    with signed_in(User("ada"), Claims({"sub": "ada", "jti": "1"})):
        token = states.seal(RECORD, binding("tools/call", params))
    with signed_in(User("ada"), Claims({"sub": "ada", "jti": "2"})):  # a renewed token is the same user's
        assert states.open(token, binding("tools/call", params)) == RECORD


STRANGE = [None, 5, "", "x", "-", "é" * 50, "\ud800", "A" * 40, "A" * (MAX_BYTES * 2), [], {}, True, "====", "a b"]


@pytest.mark.parametrize("token", STRANGE, ids=range(len(STRANGE)))
def test_what_is_no_state_is_refused(states, token):
    """MCP 2026-07-28, basic/patterns/mrtr: it comes from an attacker."""
    with pytest.raises(InvalidParams) as refused:
        states.open(token, HERE)
    assert "send the request again without it" in refused.value.message


@given(place=st.integers(0, 10**6), flip=st.integers(1, 255))
def test_a_change_anywhere_is_found(place, flip):
    """SEP-2322, `sep-2322-reject-tampered-state`."""
    states = RequestStates("a" * 32)
    raw = bytearray(base64.urlsafe_b64decode(states.seal(RECORD, HERE) + "=="))
    place %= len(raw)
    raw[place] ^= flip
    for changed in (raw, raw[:place], raw[place + 1 :], raw + b"x"):
        with pytest.raises(InvalidParams):
            states.open(base64.urlsafe_b64encode(changed).rstrip(b"=").decode(), HERE)


def test_answers_that_are_too_large_are_not_carried(states):
    """MCP 2026-07-28, basic/patterns/mrtr: the state goes to and fro with each round."""
    largest = Record({"a": ("m", {"text": "x" * (MAX_BYTES - 100)})}, {})
    assert states.open(states.seal(largest, HERE), HERE) == largest
    with pytest.raises(InvalidParams, match="bytes"):
        states.seal(Record({"a": ("m", {"text": "x" * MAX_BYTES})}, {}), HERE)


def test_the_key_is_its_own():
    """RFC 5869, section 3.2: a label for each use of one secret."""
    from lazymcp.sessions import Sessions

    minted = Sessions("a" * 32).mint("2025-11-25", {}, {}).decode()
    with pytest.raises(InvalidParams):
        RequestStates("a" * 32).open(minted, HERE)


def test_no_cipher_is_loaded_before_the_first_question():
    """Design, section 8: heavy imports happen where they are needed."""
    assert "cryptography" not in loaded("import lazymcp.request_state as r; s = r.RequestStates('x'); r.binding('tools/call', {})")


SERVER = """
import asyncio, json, sys
from lazymcp import Options, Scope
from tests.lazymcp.booking_module import Booking

scope = Scope(Options(secret=sys.argv[1]))
scope.register(Booking())

async def receive():
    return {"type": "http.request", "body": sys.argv[2].encode()}

async def send(message):
    print(message.get("body", b"").decode())

headers = [(name.encode(), value.encode()) for name, value in json.loads(sys.argv[3]).items()]
asyncio.run(scope.asgi()({"type": "http", "method": "POST", "headers": headers}, receive, send))
"""


def in_another_process(params, secret):
    peer = Peer(None)
    message = peer.message("tools/call", params, **{CAPABILITIES_KEY: {"elicitation": {}}})
    command = [sys.executable, "-c", SERVER, secret, json.dumps(message), json.dumps(peer.headers_for(message))]
    told = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout)
    judge(MODERN, told, "tools/call")
    return told


def test_a_retry_is_answered_by_another_process_with_the_same_secret():
    """MCP 2026-07-28, basic/patterns/mrtr: nothing is kept between the rounds."""
    params = {"name": "book"}
    state = in_another_process(params, "s" * 32)["result"]["requestState"]
    answers = {"question_1": {"action": "accept", "content": {"value": "Oslo"}}}
    more = {**params, "requestState": state, "inputResponses": answers}
    assert in_another_process(more, "s" * 32)["result"]["inputRequests"].keys() == {"question_2"}
    assert in_another_process(more, "t" * 32)["error"]["code"] == -32602
