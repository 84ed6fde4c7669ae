"""lazymcp/jsonrpc.py: JSON-RPC 2.0 as every MCP revision narrows it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazymcp import jsonrpc
from lazymcp.errors import InvalidParams, InvalidRequest, MethodNotFound, ParseError
from lazymcp.jsonrpc import Message

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}


class TwiceError(Exception):
    pass


class TooLargeError(Exception):
    pass


def exact(text: str):
    """The slow and certain reading that parse() must agree with."""

    def pairs(members):
        if len({name for name, _ in members}) != len(members):
            raise TwiceError
        return dict(members)

    def finite(number):
        if math.isinf(float(number)):
            raise TooLargeError
        return float(number)

    return json.loads(text, object_pairs_hook=pairs, parse_float=finite)


# Few keys, so that they collide, and colons everywhere, so that they disturb the count.
words = st.text(alphabet=':a\\"u03é{,', max_size=4)


@st.composite
def string_texts(draw):
    """A JSON string, some of its characters spelled as escapes."""
    spelled = (draw(st.sampled_from([json.dumps(c)[1:-1], f"\\u{ord(c):04x}", f"\\u{ord(c):04X}"])) for c in draw(words))
    return '"' + "".join(spelled) + '"'


scalars = st.one_of(string_texts(), st.integers().map(str), st.sampled_from(["null", "true", "false", "1.5", "-0", "2e3", "1e999"]))
spaces = st.sampled_from(["", "", " ", "\n", "\t "])


def containers(children):
    members = st.lists(st.tuples(string_texts(), spaces, spaces, children), max_size=4)
    objects = members.map(lambda pairs: "{" + ",".join(f"{a}{key}{b}:{a}{value}{b}" for key, a, b, value in pairs) + "}")
    return st.one_of(objects, st.lists(children, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"))


@given(st.recursive(scalars, containers, max_leaves=12))
def test_parse_agrees_with_the_slow_and_certain_reading(text):
    """RFC 8259, section 4: names within an object should be unique; here they must be."""
    try:
        expected = exact(text)
    except (TwiceError, TooLargeError):
        with pytest.raises(ParseError, match=r"twice|too large"):
            jsonrpc.parse(text.encode())
    else:
        assert jsonrpc.parse(text.encode()) == expected


def compact(names, values):
    """Members as most clients write them, some of them twice."""
    pairs = st.lists(st.tuples(names, values), max_size=3)
    return pairs.map(lambda members: "{" + ",".join(f"{name}:{value}" for name, value in members) + "}")


plain_strings = words.map(lambda text: json.dumps(text, ensure_ascii=False))


@given(st.recursive(plain_strings, lambda inner: compact(plain_strings, inner), max_leaves=12))
def test_what_is_written_compactly_is_compared_and_nothing_more(text):
    """The texts that most clients send: the same bytes come out again exactly when no key stands twice."""
    looks = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonrpc, "_compare", lambda *_: looks.append(text))
        jsonrpc.parse(text.encode())
    try:
        exact(text)
    except TwiceError:
        assert looks
    else:
        assert not looks


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=20,
)


@given(json_values)
def test_parse_reads_what_dump_writes(value):
    """RFC 8259."""
    line = jsonrpc.dump(value)
    assert b"\n" not in line
    assert jsonrpc.parse(line) == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[1,]",
        b'{"a":01}',
        b"{} {}",
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b'{"a":[-1e999]}',
        b"1" * 5000,
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf{}",
        b'"\\ud800"',
        b'{"\\udc00":1}',
        b'"\\ud800\\u0041"',
        b"[" * 300 + b"]" * 300,
        b'{"a":' * 100_000,
        b'"\n"',
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'{"a":{"b":1,"b":":"}}',
        b'{"a":"\\u003a","a":1}',
        b'{"a:":1,"a\\u003A":1}',
        '{"a":1}'.encode("utf-16"),
    ],
)
def test_what_two_parsers_could_read_differently_is_refused(data):
    """RFC 8259, sections 4, 6 and 8.1; RFC 7493, section 2."""
    with pytest.raises(ParseError):
        jsonrpc.parse(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":"::"}',
        b'{":":{":":1}}',
        b'{"a":"\\u003a"}',
        b'{"a":"\\\\u003a"}',
        b'["Infinity"]',
        b"[" * 150 + b"]" * 150,
        b"1" * 4000,
    ],
)
def test_what_looks_suspicious_but_is_not_passes(data):
    """RFC 8259."""
    assert jsonrpc.parse(data) == json.loads(data)


def test_a_parse_error_tells_the_id_when_it_is_certain():
    """MCP 2026-07-28, basic/index: errors echo the request id whenever it could be read."""
    with pytest.raises(ParseError) as caught:
        jsonrpc.parse(b'{"id":"seven","params":{"a":1,"a":2}}')
    assert caught.value.request_id == "seven"
    with pytest.raises(ParseError) as caught:
        jsonrpc.parse(b'{"id":7,"params":{"a":1e999}}')
    assert caught.value.request_id == 7
    with pytest.raises(ParseError) as caught:
        jsonrpc.parse(b'{"id":7,"id":8}')
    assert caught.value.request_id is None


def test_numbers_and_broken_strings_never_stop_an_answer():
    """RFC 8259, section 6: no NaN; section 8.1: UTF-8."""
    assert jsonrpc.dump([float("nan"), float("inf"), "é"]) == '[null,null,"é"]'.encode()
    assert jsonrpc.dump({"a": "\ud800b\n"}) == b'{"a":"?b\\n"}'
    assert jsonrpc.dump({"a": "\ud800", "b": float("nan")}) == b'{"a":"?","b":null}'


@pytest.mark.parametrize("request_id", [0, -1, 2**80, "", "a", "1"])
def test_ids_are_kept_as_given(request_id):
    """Promised of stdio: preserves numeric and string request ids."""
    message = jsonrpc.check_request(CALL | {"id": request_id})
    assert message == Message("request", request_id, "tools/call", {"name": "x"})
    assert type(message.id) is type(request_id)


@pytest.mark.parametrize("request_id", [None, 1.0, 1.5, True, False, [], {}])
def test_other_ids_are_refused(request_id):
    """MCP, basic/index: the id must be a string or integer and must not be null."""
    with pytest.raises(InvalidRequest, match="id must be") as caught:
        jsonrpc.check_request(CALL | {"id": request_id})
    assert caught.value.request_id is None


def test_a_message_without_id_is_a_notification():
    """JSON-RPC 2.0, section 4.1."""
    assert jsonrpc.check_request({"jsonrpc": "2.0", "method": "n"}) == Message("notification", None, "n", {})


@pytest.mark.parametrize("payload", [{"result": {}}, {"error": {"code": 1, "message": ""}}, {"result": None}])
def test_a_message_without_method_is_a_response(payload):
    """JSON-RPC 2.0, section 5."""
    assert jsonrpc.check_request({"jsonrpc": "2.0", "id": "r"} | payload) == Message("response", "r", "", payload)


def test_an_error_about_an_unreadable_message_has_a_null_id():
    """JSON-RPC 2.0, section 5."""
    assert jsonrpc.check_request({"jsonrpc": "2.0", "id": None, "error": {}}).kind == "response"


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "method": "x"},
        {"jsonrpc": "1.0", "id": 1, "method": "x"},
        {"jsonrpc": 2.0, "id": 1, "method": "x"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": None},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": 1, "method": ["x"]},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
    ],
)
def test_malformed_messages_are_refused_with_their_id(message):
    """JSON-RPC 2.0, section 4; MCP, basic/index: the id is echoed."""
    with pytest.raises(InvalidRequest) as caught:
        jsonrpc.check_request(message)
    assert caught.value.request_id == 1


@pytest.mark.parametrize("message", [[CALL], [], "x", 1, 1.5, None, True, {"jsonrpc": "2.0", "result": {}}])
def test_what_is_no_single_message_is_refused(message):
    """MCP since 2025-06-18: no batches."""
    with pytest.raises(InvalidRequest):
        jsonrpc.check_request(message)


@pytest.mark.parametrize("params", [[], [1], None, "x", 1])
def test_params_must_be_an_object(params):
    """MCP schema: params is an object."""
    with pytest.raises(InvalidParams) as caught:
        jsonrpc.check_request(CALL | {"params": params})
    assert caught.value.request_id == 1


def test_answers_have_the_wire_form():
    """JSON-RPC 2.0, section 5."""
    assert jsonrpc.result("a", {"x": 1}) == {"jsonrpc": "2.0", "id": "a", "result": {"x": 1}}
    refused = jsonrpc.error(3, MethodNotFound("no method x"))
    assert refused == {"jsonrpc": "2.0", "id": 3, "error": {"code": -32601, "message": "no method x"}}
    assert jsonrpc.error(None, ParseError("bad", request_id=9))["id"] == 9
    assert jsonrpc.error(None, ParseError("bad"))["id"] is None


def test_the_id_of_a_broken_message_is_read_when_there_is_one():
    """MCP, basic/index."""
    assert jsonrpc.readable_id({"id": 4}) == 4
    assert [jsonrpc.readable_id(m) for m in ({"id": True}, {"id": None}, {}, [], "x")] == [None] * 5
