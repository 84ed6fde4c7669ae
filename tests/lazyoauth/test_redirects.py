"""RFC 9700, section 4.1.3; RFC 8252, sections 7.1 to 7.3 and 8.4."""

import pytest

from lazyoauth.redirects import fault_of, host_of, is_loopback, match

REAL = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://chatgpt.com/connector/oauth/abc123",
    "https://vscode.dev/redirect",
    "http://127.0.0.1/",
    "http://127.0.0.1:33418/",
    "http://127.0.0.1:1455/callback/xyz",
    "http://localhost/callback",
    "http://localhost:8787/callback",
    "http://[::1]:3000/cb",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "https://xn--bcher-kva.example/cb?tenant=1",
]

REFUSED = [
    "", "callback", "/callback", "//evil.example/cb", "https:/evil.example/cb", "https:evil.example", "https://", "https:///cb",
    "http://client.example/cb", "http://localhost.evil/cb", "http://127.0.0.1.evil/cb", "http://2130706433/cb", "http://127.1/cb",
    "http://0x7f000001/cb", "http://127.0.0.2/cb", "http://[::ffff:127.0.0.1]/cb", "http://LOCALHOST@evil.example/", "ftp://localhost/cb",
    "https://user@client.example/cb", "https://user:pw@client.example/cb", "https://good.example@evil.example/cb",
    "https://client.example\\@evil.example/cb", "https://client.example\\cb", "https:\\\\client.example/cb", "http://localhost\\.evil/",
    "https://client.example/cb#fragment", "https://client.example/cb#", "http://localhost/cb#x",
    "https://client.example/a/../b", "https://client.example/a/%2e%2e/b", "https://client.example/./b", "https://client.example/a/%2E./b",
    "https://client.example/..", "https://client.example/cb\r\nSet-Cookie: a=b", "https://client.example/c b", "https://client.example/cb\t",
    "\x00https://client.example/cb", "https://client.example/cb\x7f", "https://cliënt.example/cb", "https://xn--a.example/\u202ecb",
    "https://client.example:99999/cb", "https://client.example:/cb", "https://client.example:8o/cb", "http://localhost:70000/cb",
    "https://client.example/a\\b", "http://localhost/\\evil.example",
    "javascript:alert(1)", "javascript://localhost/%0aalert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "blob:https://x/y",
    "cursor://anysphere.cursor-mcp/oauth/callback/", "cursor://evil/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback?x=1",
    "com.example.app:/cb", "myapp://callback", "urn:ietf:wg:oauth:2.0:oob", "https://*.client.example/cb", "https://client.example*/cb",
    "https://client.example/cb?code=1", "https://client.example/cb?iss=https://evil.example", "https://client.example/cb?a=1&state=",
    "https://client.example/" + "a" * 1100,
]  # fmt: skip


@pytest.mark.parametrize("uri", REAL)
def test_the_redirect_uris_of_real_clients_are_accepted(uri):
    """https://github.com/erp-mafia/accounted/pull/2225, https://github.com/contextstream/mcp-server/issues/57."""
    assert fault_of(uri) is None
    assert match(uri, uri)


@pytest.mark.parametrize("uri", REFUSED)
def test_a_redirect_uri_that_can_mislead_is_refused(uri):
    """RFC 9700, section 4.1.3; RFC 8252, section 8.4."""
    assert fault_of(uri)


@pytest.mark.parametrize(
    ("registered", "requested"),
    [
        ("http://localhost/callback", "http://localhost:51234/callback"),
        ("http://localhost:8787/callback", "http://localhost:9999/callback"),
        ("http://127.0.0.1:33418/", "http://127.0.0.1:50000/"),
        ("http://127.0.0.1", "http://127.0.0.1:50000/"),
        ("http://[::1]/cb", "http://[::1]:8080/cb"),
        ("http://localhost:1/cb?a=1", "http://localhost:2/cb?a=1"),
    ],
)
def test_on_loopback_the_port_is_free(registered, requested):
    """RFC 8252, section 7.3; https://github.com/anthropics/claude-code/issues/37747."""
    assert match(registered, requested)


@pytest.mark.parametrize(
    ("registered", "requested"),
    [
        ("http://localhost/callback", "http://127.0.0.1/callback"),
        ("http://127.0.0.1/callback", "http://[::1]/callback"),
        ("http://localhost/callback", "http://localhost/callback/"),
        ("http://localhost/callback", "http://localhost/other"),
        ("http://localhost/callback", "http://localhost/callback?x=1"),
        ("http://localhost/callback", "https://localhost/callback"),
        ("http://localhost/callback", "http://localhost:99999/callback"),
        ("http://localhost/callback", "http://localhost/callback#x"),
        ("http://localhost/a", "http://localhost/a\n"),
        ("https://client.example/cb", "https://client.example:8443/cb"),
        ("https://client.example/cb", "https://client.example/cb/"),
        ("https://client.example/cb", "https://client.example/cb?x"),
        ("https://client.example/cb", "https://sub.client.example/cb"),
        ("https://client.example/cb", "https://CLIENT.example/cb"),
        ("https://client.example/cb", ""),
    ],
)
def test_everything_else_must_be_the_same_string(registered, requested):
    """RFC 9700, section 4.1.3."""
    assert not match(registered, requested)


def test_people_are_shown_the_host_that_gets_the_answer():
    """RFC 9700, section 4.1.3; punycode stays as it was compared."""
    assert host_of("https://xn--bcher-kva.example:8443/cb") == "xn--bcher-kva.example"
    assert host_of("http://localhost:1/cb") == "localhost"
    assert host_of("cursor://anysphere.cursor-mcp/oauth/callback") == "cursor://anysphere.cursor-mcp"
    assert is_loopback("http://[::1]:3/")
    assert not is_loopback("https://localhost/")


@pytest.mark.parametrize(
    ("uri", "word"),
    [
        ("https://client.example/cb#x", "fragment"),
        ("https://client.example/a\\b", "backslash"),
        ("https://client.example/a/../b", "dot segments"),
        ("http://client.example/cb", "https"),
        ("https://client.example/cb?code=1", "response"),
        ("https://client.example/" + "a" * 1100, "1024"),
    ],
)
def test_the_rule_that_was_broken_is_named(uri, word):
    """RFC 7591, section 3.2.2: the developer of the client reads it."""
    assert word in str(fault_of(uri))
