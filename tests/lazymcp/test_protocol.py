"""lazymcp/protocol.py: the words of MCP 2026-07-28."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.version import LATEST_MODERN_VERSION

from lazymcp.errors import InvalidParams, UnsupportedVersion
from lazymcp.jsonrpc import dump
from lazymcp.no_link import NoLink
from lazymcp.protocol import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    NO_ENDING,
    VERSION,
    VERSION_KEY,
    Ending,
    Prepared,
    Structured,
    check_version,
    complete,
    open_envelope,
    whole,
)


def test_the_version_is_the_newest():
    assert VERSION == LATEST_MODERN_VERSION


def test_an_envelope_becomes_a_context():
    meta = {VERSION_KEY: VERSION, CAPABILITIES_KEY: {"elicitation": {}}, CLIENT_KEY: {"name": "x"}, "progressToken": 1}
    ctx = open_envelope({"_meta": meta}, NoLink(None))
    assert (ctx.meta, ctx.client, ctx.capabilities) == (meta, {"name": "x"}, {"elicitation": {}})
    with pytest.raises(InvalidParams, match=r"must hold .*clientCapabilities"):
        open_envelope({"_meta": {VERSION_KEY: VERSION}}, NoLink(None))


def test_only_one_version_is_spoken():
    check_version(VERSION)
    for other in ("2025-11-25", "", "2099-01-01"):
        with pytest.raises(UnsupportedVersion):
            check_version(other)


def test_a_result_is_completed_beside_what_it_holds():
    server = {"server": {"name": "s"}}
    assert complete({"a": 1}, server, None, "private") == {"a": 1, "resultType": "complete", "_meta": server}
    done = complete({"_meta": {"mine": 1}}, server, 5, "public")
    assert done == {"resultType": "complete", "ttlMs": 5, "cacheScope": "public", "_meta": {"mine": 1, **server}}


def test_a_prepared_result_knows_its_bytes():
    prepared = Prepared({"a": [1]})
    assert prepared == {"a": [1]}
    assert prepared.data == b'{"a":[1]}'


@given(
    st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.text())),
    st.sampled_from([{}, {"resultType": "complete"}, {"resultType": "complete", "_meta": {"a": 1}}]),
    st.sampled_from([NO_ENDING, Ending({"z": 1, "y": "é"})]),
)
def test_the_everyday_result_is_written_as_any_other_would_be(value, more, ending):
    """MCP 2026-07-28, server/tools, "Structured content": the JSON also stands in a text block."""
    result = Structured(dump(value), value, lambda value, **_: value)
    result |= more
    result.ending = ending
    told = whole(result)
    assert json.loads(result.to_json()) == told
    assert json.loads(told.pop("content")[0]["text"]) == told.pop("structuredContent") == value
    assert told == {**more, **ending.members}
