"""lazymcp/gate.py: DNS rebinding and cross-site calls (2026-07-28, basic/transports/streamable-http, "Security")."""

import pytest

from lazymcp.gate import Gate, Refusal, check_single
from lazymcp.options import Options


def passes(host, origin=None, scheme="", **options):
    headers = {b"host": host.encode()} if host is not None else {}
    if origin is not None:
        headers[b"origin"] = origin.encode()
    gate = Gate(Options(**options))
    for _ in range(2):  # the second time from memory
        try:
            gate.check(headers, scheme)
        except Refusal as refusal:
            verdict = refusal.status
        else:
            verdict = 200
    return verdict


@pytest.mark.parametrize("host", ["localhost", "localhost:3000", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:3000"])
def test_a_local_server_answers_to_loopback_names(host):
    assert passes(host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example.com",
        "evil.example.com:3000",
        "localhost.evil.com",
        "localhost:80.evil.com",
        "127.0.0.1.nip.io",
        "",
        None,
        "::1",
    ],
)
def test_a_local_server_answers_to_no_other_name(host):
    """421 Misdirected Request, RFC 9110, section 15.5.20."""
    assert passes(host) == 421


@pytest.mark.parametrize(
    ("allowed", "host", "status"),
    [
        ("example.com", "example.com", 200),
        ("example.com", "Example.com:8443", 200),
        ("example.com", "a.example.com", 421),
        ("example.com", "localhost", 421),
        ("example.com:8443", "example.com:8443", 200),
        ("example.com:8443", "example.com", 421),
        ("*.example.com", "a.example.com:1", 200),
        ("*.example.com", "a.b.example.com", 200),
        ("*.example.com", "example.com", 421),
        ("*.example.com", "evilexample.com", 421),
        ("*", "anything", 200),
    ],
)
def test_a_public_server_answers_to_the_names_it_is_given(allowed, host, status):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1798."""
    assert passes(host, allowed_hosts=(allowed,)) == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:6274", 403),
        ("http://127.0.0.1", 403),
        ("https://example.com", 200),
        ("https://example.com:443", 200),
        ("https://example.com:8443", 403),
        ("https://example.com/", 403),
        ("https://EXAMPLE.com", 200),
        ("https://claude.ai", 200),
        ("https://claude.ai:443", 200),
        ("http://claude.ai", 403),
        ("https://evil.example.com", 403),
        ("http://localhost.evil.com", 403),
        ("null", 403),
        ("", 403),
        ("file://localhost", 403),
        ("http://[::1", 403),
        ("chrome-extension://abc", 403),
    ],
)
def test_a_page_may_call_from_this_host_and_from_where_it_is_allowed(origin, status):
    """2025-11-25 and later: a bad Origin is 403."""
    assert passes("example.com", origin, allowed_hosts=("example.com",), allowed_origins=("https://claude.ai/",)) == status


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:3000", "[::1]:3000"])
@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:6274", 200),
        ("HTTP://LOCALHOST:6274", 200),
        ("https://127.0.0.1", 200),
        ("http://[::1]:5173", 200),
        ("http://evil.com\\@localhost", 403),
        ("https://localhost@evil.com", 403),
        ("http://evil.com#@localhost", 403),
        ("http://localhost:6274/", 403),
        ("http://localhost:", 403),
        ("http://localhost:99999", 403),
        ("file://localhost", 403),
        ("http://", 403),
    ],
)
def test_pages_of_this_machine_may_call_a_server_on_this_machine(host, origin, status):
    """RFC 6454, section 6.2: an origin is scheme://host or scheme://host:port, and nothing else is read as one."""
    assert passes(host, origin) == status


@pytest.mark.parametrize(
    ("origin", "scheme", "status"),
    [
        ("https://example.com", "http", 200),
        ("http://example.com", "http", 403),
        ("https://other.example", "http", 200),
        ("http://other.example", "http", 200),
        ("http://other.example", "https", 403),
        ("https://other.example", "https", 200),
    ],
)
def test_a_page_that_came_in_clear_is_not_this_host(origin, scheme, status):
    """RFC 6454, section 5: another scheme is another origin. A proxy that ended TLS may hide ours, unless the endpoint names it."""
    allowed = {"allowed_hosts": ("example.com", "other.example"), "endpoint": "https://example.com/mcp"}
    assert passes(origin.partition("://")[2], origin, scheme, **allowed) == status


def test_pages_of_the_endpoint_may_call_under_any_name():
    """An own name behind a proxy that rewrites the Host."""
    allowed = {"allowed_hosts": ("internal",), "endpoint": "https://example.com:8443/mcp"}
    assert passes("internal", "https://example.com:8443", **allowed) == 200
    assert passes("internal", "https://example.com", **allowed) == 403


def test_all_origins_can_be_allowed():
    assert passes("localhost", "https://anything.example", allowed_origins=("*",)) == 200
    assert passes("localhost", "null", allowed_origins=("*",)) == 403
    assert passes("localhost", "null", allowed_origins=("null",)) == 200


def test_the_refusal_says_which_option_to_set():
    with pytest.raises(Refusal, match=r"'evil\.example'.*Options\.allowed_hosts"):
        Gate(Options()).check({b"host": b"evil.example"})


@pytest.mark.parametrize("name", [b"host", b"origin", b"content-type", b"content-length"])
def test_a_header_that_counts_once_stands_once(name):
    """RFC 9112, section 3.2: two readers could each believe another one."""
    check_single([(name, b"a"), (b"accept", b"a"), (b"accept", b"b")])
    with pytest.raises(Refusal) as caught:
        check_single([(name, b"a"), (name, b"a")])
    assert caught.value.status == 400


def test_a_verdict_is_remembered_in_bounds():
    gate = Gate(Options(allowed_hosts=("*",)))
    for number in range(1000):
        gate.check({b"host": f"host{number}".encode()})
    assert gate._serves.cache_info().currsize <= 256


@pytest.mark.parametrize(
    ("accept", "accepted"),
    [
        ("application/json;q=0, text/event-stream", (False, True)),
        ("text/event-stream;q=0.000, application/json", (True, False)),
        ("application/json; Q=0, */*", (False, True)),
        ("application/*;q=0, application/json;q=0.001, text/html", (True, False)),
        ("*/*;q=0, text/*;q=1", (False, True)),
        ("application/json; charset=utf-8; q=0.5", (True, False)),
        ("", (True, True)),
        ("application/json;q=0", None),
        ("*/*;q=0", None),
    ],
)
def test_a_weight_of_zero_is_a_refusal(accept, accepted):
    """RFC 9110, sections 12.4.2 and 12.5.1."""
    headers = {b"accept": accept.encode()}
    if accepted is not None:
        assert Gate(Options()).accepted(headers) == accepted
        return
    with pytest.raises(Refusal) as caught:
        Gate(Options()).accepted(headers)
    assert caught.value.status == 406
