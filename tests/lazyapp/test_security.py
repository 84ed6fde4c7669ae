"""What is refused before it reaches a page, and the headers of every answer."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyapp.security import Refusal, Security

HOSTS = ("example.com", "*.shop.example", "localhost", "127.0.0.1", "::1")
SECURITY = Security(HOSTS, origin="https://example.com", docs=("/docs",), max_body_bytes=100)


def request(
    method: str = "GET", host: str = "example.com", kind: str = "http", scheme: str = "http", **headers: str
) -> dict[str, Any]:
    pairs = [(b"host", host.encode())] if host else []
    pairs += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": kind, "method": method, "scheme": scheme, "path": "/", "headers": pairs}


def status(scope: dict[str, Any], security: Security = SECURITY) -> int:
    refusal = security.refuse(scope)
    return refusal.status if refusal else 200


@pytest.mark.parametrize(
    "host",
    ["example.com", "EXAMPLE.com:8443", "a.shop.example", "a.b.shop.example:80", "localhost:3000", "127.0.0.1", "[::1]:3000"],
)
def test_a_host_that_is_ours_is_answered(host: str) -> None:
    """RFC 9110, 7.2."""
    assert status(request(host=host)) == 200
    assert status(request(host=host)) == 200


@pytest.mark.parametrize(
    "host", ["evil.test", "shop.example", "example.com.evil.test", "xexample.com", "evilshop.example", "127.0.0.2"]
)
def test_another_host_is_misdirected_and_the_answer_says_what_to_set(host: str) -> None:
    """RFC 9110, 15.5.20."""
    refusal = SECURITY.refuse(request(host=host))
    assert refusal is not None
    assert refusal.status == 421
    assert "ALLOWED_HOSTS" in refusal.message
    assert host in refusal.message


@pytest.mark.parametrize(
    "host", ["", ":80", "[::1", "exämple.com", "u@example.com", "example.com/x", "example.com:80a", "exa\tmple.com"]
)
def test_a_request_without_a_usable_host_is_bad(host: str) -> None:
    """RFC 9112, 3.2."""
    assert status(request(host=host)) == 400


@given(st.binary(max_size=40))
def test_any_host_at_all_gets_an_answer(host: bytes) -> None:
    """RFC 9112, section 3.2, and RFC 9110, section 15.5.20: 400 or 421, and never a 500."""
    scope = request(host="")
    scope["headers"].append((b"host", host))
    assert status(scope) in (200, 400, 421)


@pytest.mark.parametrize("configured", ["2001:DB8::A", "[2001:db8::a]", "2001:0db8:0:0:0:0:0:a"])
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("[2001:db8::a]", 200),
        ("[2001:DB8::A]:3000", 200),
        ("[2001:db8:0:0::a]", 200),
        ("[2001:db8::b]", 421),
        ("[::2001:db8:a]", 421),
        ("[1.2:3]", 421),
        ("2001:db8::a", 400),
        ("[fe80::1%25eth0]", 400),
    ],
)
def test_an_ipv6_address_is_ours_in_every_spelling(configured: str, host: str, expected: int) -> None:
    """RFC 3986, 3.2.2: in brackets, hexadecimal digits in either case; RFC 5952: one address has many spellings."""
    assert status(request(host=host), Security((configured,))) == expected


@pytest.mark.parametrize("configured", ["Example.COM", "*.Example.COM"])
def test_names_are_ours_in_any_case(configured: str) -> None:
    """RFC 9110, 4.2.3."""
    host = "wWw.eXample.com:8443" if configured.startswith("*") else "eXample.com:8443"
    assert status(request(host=host), Security((configured,))) == 200


def test_an_origin_is_ours_in_any_case_and_by_its_ipv6_address() -> None:
    """RFC 6454, 4: scheme and host are compared in lower case."""
    security = Security(("::1",), origin="http://[::1]:3000")
    for origin in ("http://[::1]:3000", "HTTP://[::1]:3000"):
        assert status(request("POST", host="[::1]:3000", origin=origin), security) == 200
    assert status(request("POST", host="[::1]:3000", origin="http://[::2]:3000"), security) == 403


def test_two_hosts_are_bad() -> None:
    """RFC 9112, 3.2."""
    scope = request()
    scope["headers"].append((b"host", b"example.com"))
    assert status(scope) == 400


def test_a_star_answers_for_every_host() -> None:
    """Settings: ALLOWED_HOSTS=*."""
    assert status(request(host="any.thing"), Security(("*",))) == 200


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_needs_no_origin(method: str) -> None:
    """RFC 9110, 9.2.1."""
    assert status(request(method, sec_fetch_site="cross-site", cookie="a=b")) == 200


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "cross-site", "origin": "https://example.com"}, 403),
        ({"origin": "https://example.com"}, 200),
        ({"origin": "http://example.com:3000"}, 200),
        ({"origin": "https://example.com:444"}, 403),
        ({"origin": "https://evil.test"}, 403),
        ({"origin": "null"}, 403),
        ({"cookie": "lazyapp=x"}, 403),
        ({}, 200),
        ({"authorization": "Bearer t", "sec_fetch_site": "cross-site"}, 200),
        ({"authorization": "bearer t", "cookie": "a=b"}, 200),
        ({"authorization": "Basic dTpw", "cookie": "a=b"}, 403),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_changes_come_from_our_own_pages(method: str, headers: dict[str, str], expected: int) -> None:
    """Design, section 3: security by default."""
    assert status(request(method, host="example.com:3000", **headers)) == expected


@pytest.mark.parametrize(
    ("origin", "scheme", "expected"),
    [("http://example.com", "ws", 200), ("https://example.com", "wss", 200), ("https://evil.test", "wss", 403), ("", "wss", 200)],
)
def test_a_websocket_handshake_from_another_site_is_refused(origin: str, scheme: str, expected: int) -> None:
    """RFC 6455, 10.2."""
    headers = {"origin": origin} if origin else {}
    scope = request(kind="websocket", scheme=scheme, cookie="a=b", **headers)
    del scope["method"]
    assert status(scope) == expected


@pytest.mark.parametrize(("length", "expected"), [("100", 200), ("101", 413), ("-1", 413), ("1e9", 413)])
def test_a_body_announced_too_large_is_refused_unread(length: str, expected: int) -> None:
    """RFC 9110, 15.5.14."""
    assert status(request("POST", sec_fetch_site="same-origin", content_length=length)) == expected


class Refused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


async def test_a_body_of_unannounced_length_is_refused_when_it_grows_too_large() -> None:
    """RFC 9110, 15.5.14."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * 60, "more_body": True}

    counted = SECURITY.limited(request(), receive, Refused)
    await counted()
    with pytest.raises(Refused) as caught:
        await counted()
    assert caught.value.refusal == Refusal(413, "The request's body is larger than the 100 bytes that are accepted.")


async def test_a_body_that_stops_coming_is_refused_and_a_whole_one_may_be_waited_after() -> None:
    """RFC 9110, 15.5.9. What comes after the body is that the visitor leaves, and that may take long."""
    messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    quick = Security(HOSTS, body_timeout_s=0.05)
    whole, stalled = quick.limited(request(), messages.get, Refused), quick.limited(request(), messages.get, Refused)
    messages.put_nowait({"type": "http.request", "body": b"ab", "more_body": False})
    await whole()
    left = asyncio.ensure_future(whole())
    await asyncio.sleep(0.2)
    assert not left.done()
    messages.put_nowait({"type": "http.disconnect"})
    assert await left == {"type": "http.disconnect"}
    messages.put_nowait({"type": "http.request", "body": b"a", "more_body": True})
    await stalled()
    with pytest.raises(Refused) as caught:
        await stalled()
    assert caught.value.refusal == Refusal(408, "Nothing more of the request's body arrived within 0.05 seconds.")


def test_every_answer_carries_the_headers() -> None:
    """Design, section 3."""
    headers = dict(SECURITY.headers("/", ""))
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"referrer-policy"] == b"strict-origin-when-cross-origin"
    assert headers[b"x-frame-options"] == b"DENY"
    policy = headers[b"content-security-policy"].decode()
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "nonce" not in policy


def test_a_nonce_allows_the_pages_own_scripts_and_styles() -> None:
    """CSP 3, 2.3.1."""
    policy = dict(SECURITY.headers("/", "abc"))[b"content-security-policy"].decode()
    assert "script-src 'self' 'nonce-abc'" in policy
    assert "style-src 'self' 'nonce-abc'" in policy


def test_only_documentation_pages_may_load_from_their_cdn() -> None:
    """FastAPI's /docs works."""
    assert b"cdn.jsdelivr.net" in dict(SECURITY.headers("/docs", ""))[b"content-security-policy"]
    assert b"cdn.jsdelivr.net" not in dict(Security(HOSTS).headers("/docs", ""))[b"content-security-policy"]


def test_remembered_hosts_are_bounded() -> None:
    """A stranger must not make us grow."""
    security = Security(("*.example",))
    for number in range(1000):
        assert status(request(host=f"h{number}.example"), security) == 200
    assert len(security._known) == 256


@pytest.mark.parametrize("length", ["\u00b2", "9" * 5000, "-1", "+5", "5, 5", "0x5", " "])
def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    """RFC 9110, 8.6: digits, and no others than ASCII's."""
    scope = request("POST")
    scope["headers"].append((b"content-length", length.encode("latin-1")))
    assert status(scope) == 413


@pytest.mark.parametrize(
    ("separator", "kind", "refused"), [("&", "Form", True), (";", "form", True), ("&", "json", False), ("a", "form", False)]
)
async def test_a_form_of_too_many_fields_is_refused_before_it_is_read(separator: str, kind: str, refused: bool) -> None:
    """CWE-400: fifteen megabytes of `&` take python-multipart most of a minute, in which nobody else is answered."""
    large = Security(HOSTS)
    types = {
        "form": "application/x-www-form-urlencoded",
        "Form": "Application/X-WWW-Form-Urlencoded; a=b",
        "json": "application/json",
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": separator.encode() * 6000, "more_body": True}

    limited = large.limited(request("POST", content_type=types[kind]), receive, Refused)
    await limited()
    if refused:
        with pytest.raises(Refused, match="more than the 10000 fields"):
            await limited()
    else:
        await limited()
