"""lazymcp/routing.py: MCP 2026-07-28, basic/transports/streamable-http, "Header validation"."""

import base64

import pytest

from lazymcp import Base, resource, tool
from lazymcp.routing import check_duplicates, decode, encode
from tests.lazymcp.asgi_peer import ERAS, OLDER, send_raw, served


class Names(Base):
    name = ""

    @tool
    async def greet(self) -> str:
        """Greet."""
        return "hello"

    @resource("app://é")
    async def e(self) -> str:
        """One letter."""
        return "é"


@pytest.fixture
def peer():
    return served(Names())


def encoded(text):
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize("header", ["mcp-protocol-version", "mcp-method", "mcp-name"])
@pytest.mark.parametrize("value", [None, "", "other", "GREET", "Tools/Call"])
async def test_a_header_that_is_missing_or_different_is_refused(peer, header, value):
    answer = await peer.ask("tools/call", {"name": "greet"}, headers={header: value})
    assert (answer.status, answer.error["code"], answer.messages[0]["id"]) == (400, -32020, 7)


@pytest.mark.parametrize("header", ["mcp-protocol-version", "mcp-method", "mcp-name"])
async def test_blanks_around_a_value_are_not_part_of_it(peer, header):
    """RFC 9110, section 5.5; some servers leave them in."""
    usual = peer.headers_for(peer.message("tools/call", {"name": "greet"}))
    assert (await peer.ask("tools/call", {"name": "greet"}, headers={header: f" \t{usual[header]}\t "})).status == 200


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (encoded("greet"), 200),
        ("=?base64?Z3JlZXQ?=", 400),  # no padding
        ("=?base64?Z3J lZXQ=?=", 400),
        ("=?base64?Z3JlZXR=?=", 400),  # stray bits
        ("=?BASE64?Z3JlZXQ=?=", 400),
        ("=?base64?Z3JlZXQ=", 400),
        ("=?base64?/w==?=", 400),  # not UTF-8
        ("=?base64?=", 400),
    ],
)
async def test_a_name_may_be_base64(peer, value, status):
    assert (await peer.ask("tools/call", {"name": "greet"}, headers={"mcp-name": value})).status == status


async def test_a_name_beyond_ascii_is_base64(peer):
    assert (await peer.ask("resources/read", {"uri": "app://é"}, headers={"mcp-name": encoded("app://é")})).result["contents"]


async def test_a_name_that_looks_encoded_is_encoded_itself(peer):
    name = encoded("greet")
    answer = await peer.ask("tools/call", {"name": name}, headers={"mcp-name": name})
    assert answer.error["code"] == -32020
    answer = await peer.ask("tools/call", {"name": name}, headers={"mcp-name": encoded(name)})
    assert answer.error["code"] == -32602


async def test_a_body_without_a_name_must_not_be_given_one_by_a_header(peer):
    assert (await peer.ask("tools/call", {}, headers={"mcp-name": "greet"})).error["code"] == -32020
    assert (await peer.ask("tools/call", {})).error["code"] == -32602


async def test_routing_headers_stand_once(peer):
    message = peer.message("tools/call", {"name": "greet"})
    headers = [(name.encode(), value.encode()) for name, value in peer.headers_for(message).items()]
    import json

    answer = await send_raw(peer.app, [*headers, (b"mcp-name", b"greet")], [json.dumps(message).encode()])
    assert (answer.status, answer.error["code"]) == (400, -32020)
    check_duplicates([(b"accept", b"a"), (b"accept", b"b"), (b"mcp-name", b"a")])


@pytest.mark.parametrize("era", ERAS)
async def test_unknown_methods_are_compared_too(era):
    """The order of the ladder: headers first, then the method."""
    peer = served(Names(), era=era)
    answer = await peer.ask("nothing/here", headers={"mcp-method": "other"})
    assert answer.error["code"] == (-32601 if era in OLDER else -32020)


@pytest.mark.parametrize(
    ("text", "header"),
    [("plain", "plain"), ("ü", "=?base64?w7w=?="), (" a", "=?base64?IGE=?="), ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?=")],
)
def test_a_text_that_no_header_can_hold_goes_in_base64(text, header):
    assert encode(text) == header
    assert decode(header.encode(), "Mcp-Name") == text.encode()
