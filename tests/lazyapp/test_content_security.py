"""The content security policy."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import lazyapp
from lazyapp.content_security import ContentSecurity
from lazyapp.errors import ConfigurationError
from lazyapp.security import Security
from lazyapp.settings import Settings


def directive(name: str, more: Mapping[str, Sequence[str]] | None = None, nonce: str = "") -> str:
    security = ContentSecurity(more)
    policy = (security.with_nonce(nonce) if nonce else security.plain).decode()
    found = [line.partition(" ")[2] for line in policy.split("; ") if line.partition(" ")[0] == name]
    assert len(found) <= 1, "W3C CSP 3, 2.2.1: of two directives of a name the second is ignored"
    return found[0] if found else ""


def test_by_itself_a_page_loads_what_the_application_serves() -> None:
    """Design, section 3."""
    assert directive("default-src") == directive("script-src") == directive("form-action") == "'self'"
    assert directive("frame-ancestors") == directive("object-src") == "'none'"
    assert directive("script-src", nonce="abc") == directive("style-src", nonce="abc") == "'self' 'nonce-abc'"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"img-src": ["https://cdn.example.com"]}, "'self' data: https://cdn.example.com"),
        (
            {"connect-src": ["https://api.example.com", "wss://api.example.com"]},
            "'self' https://api.example.com wss://api.example.com",
        ),
        ({"font-src": ("data:",), "default-src": ["https://cdn.example.com"]}, "'self' https://cdn.example.com data:"),
        ({"object-src": ["'self'"]}, "'self'"),
        ({"frame-ancestors": ["https://portal.example.com"]}, "https://portal.example.com"),
        ({"img-src": ["data:", "https://a.example", "https://a.example"]}, "'self' data: https://a.example"),
        ({"report-uri": ["/csp"]}, "/csp"),
        (
            {"script-src": ["'wasm-unsafe-eval'", "https://*.example.com:8443/lib/"]},
            "'self' 'wasm-unsafe-eval' https://*.example.com:8443/lib/",
        ),
    ],
)
def test_an_application_adds_sources_to_ours(more: Mapping[str, Sequence[str]], expected: str) -> None:
    """W3C CSP 3, 6: a directive that is named stands for itself, so it begins with what stood for it before."""
    assert directive(next(iter(more)), more) == expected


def test_added_sources_and_the_nonce_stand_side_by_side() -> None:
    """W3C CSP 3, 2.3.1."""
    assert directive("script-src", {"script-src": ["https://a.example"]}, "abc") == "'self' https://a.example 'nonce-abc'"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"image-src": ["https://a.example"]}, "'image-src', which is no directive; write img-src"),
        ({"upgrade": []}, "write one of base-uri, connect-src"),
        ({"img-src": "https://a.example"}, "gives img-src a text; write a list: ['https://a.example']"),
        ({"img-src": ["self"]}, "needs quotes of its own: \"'self'\""),
        ({"script-src": ["sha256-abc="]}, "needs quotes of its own"),
        ({"img-src": ["'none'"]}, "'none' beside others means nothing"),
        ({"img-src": ["https://a.example https://b.example"]}, "list each by itself"),
        ({"img-src": ["https://a.example;script-src *"]}, "list each by itself"),
        ({"img-src": ["https://a.example,b"]}, "list each by itself"),
        ({"img-src": ["https://a.example\r\nx: y"]}, "list each by itself"),
        ({"img-src": ["https://{nonce}.example"]}, "list each by itself"),
        ({"img-src": [""]}, "list each by itself"),
    ],
)
def test_what_browsers_would_pass_over_is_refused_where_it_was_written(more: Mapping[str, Sequence[str]], message: str) -> None:
    """A policy that is not what was meant fails in front of visitors, or, worse, nowhere."""
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        lazyapp.Config(name="example.com", content_security=more)


def test_who_may_frame_the_pages_is_not_contradicted() -> None:
    """RFC 7034, 2.1: X-Frame-Options can name no other site, and older browsers would heed it."""
    assert b"x-frame-options" in dict(Security(["a"]).headers("/", ""))
    framed = Security(["a"], content=ContentSecurity({"frame-ancestors": ["https://portal.example.com"]}))
    assert b"x-frame-options" not in dict(framed.headers("/", ""))


@pytest.mark.parametrize(
    ("env", "url", "said"),
    [
        ("production", "https://example.com", True),
        ("production", "http://localhost", False),
        ("test", "https://example.com", False),
    ],
)
def test_browsers_are_told_to_keep_to_https_where_it_is_meant_to_stay(tmp_path: Path, env: str, url: str, said: bool) -> None:
    """RFC 6797, 6.1 and 7.2: in production with a public https address; on files, pages and errors alike."""
    public = tmp_path / "public"
    public.mkdir()
    (public / "robots.txt").write_text("x")
    settings = Settings(env=env, root=tmp_path, given_public_url=url, secret_key="s" * 40)
    more = {"img-src": ["https://cdn.example.com"]}
    app = lazyapp.App(lazyapp.Config(name="example.com", public=public, content_security=more), settings=settings)
    with TestClient(app, base_url=url) as client:
        for path in ("/robots.txt", "/missing"):
            headers = client.get(path).headers
            assert headers.get("strict-transport-security") == ("max-age=31536000" if said else None)
            assert "img-src 'self' data: https://cdn.example.com;" in headers["content-security-policy"]
