"""Which URLs are fetched for a stranger, and which addresses are asked."""

import pytest

from lazyoauth.addresses import MAX_URL_LENGTH, is_public, place_of


@pytest.mark.parametrize(
    ("url", "host", "target"),
    [
        ("https://claude.ai/oauth/claude-code-client-metadata", "claude.ai", "/oauth/claude-code-client-metadata"),
        ("https://chatgpt.com/oauth/k3Rv9/client.json", "chatgpt.com", "/oauth/k3Rv9/client.json"),
        ("https://a.b-c.example/x/.well-known/%7Ey?v=1/../2", "a.b-c.example", "/x/.well-known/%7Ey?v=1/../2"),
        ("https://xn--mnchen-3ya.example/..a/b..", "xn--mnchen-3ya.example", "/..a/b.."),
    ],
)
def test_a_url_is_taken_apart_as_it_was_written(url, host, target):
    """draft-ietf-oauth-client-id-metadata-document, section 3: compared as strings, so never rewritten."""
    assert place_of(url) == (host, target)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://client.example/c.json",
        "HTTPS://client.example/c.json",
        "ftp://client.example/c.json",
        "file:///etc/passwd",
        "https://client.example",
        "https://client.example/",
        "https://client.example?x=/c.json",
        "https://client.example:443/c.json",
        "https://client.example:8443/c.json",
        "https://client.example:/c.json",
        "https://user@client.example/c.json",
        "https://user:secret@client.example/c.json",
        "https://client.example@evil.example/c.json",
        "https://client.example/c.json#fragment",
        "https://client.example/c.json#",
        "https://client.example\\@evil.example/c.json",
        "https://client.example/a\\b",
        "https://client.example/a/../c.json",
        "https://client.example/./c.json",
        "https://client.example/a/%2e%2E/c.json",
        "https://client.example/a/.%2e",
        "https://client.example/c.json\n",
        "https://client.example/c.json\r\nX: y",
        "https://client.example/c json",
        "https://client.example/ü",
        "https://münchen.example/c.json",
        "https://Client.example/c.json",
        "https://client.example./c.json",
        "https://.client.example/c.json",
        "https://client..example/c.json",
        "https://-client.example/c.json",
        f"https://{'a' * 64}.example/c.json",
        f"https://{'a.' * 130}example/c.json",
        f"https://client.example/{'c' * MAX_URL_LENGTH}",
        "https://localhost/c.json",
        "https://metadata/c.json",
        "https://127.0.0.1/c.json",
        "https://127.1/c.json",
        "https://2130706433/c.json",
        "https://0x7f000001/c.json",
        "https://0x7f.0.0.1/c.json",
        "https://0177.0.0.01/c.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/c.json",
        "https://[::ffff:127.0.0.1]/c.json",
        "https://[fe80::1%25eth0]/c.json",
        "https:/client.example/c.json",
        "https:///client.example/c.json",
        "//client.example/c.json",
    ],
)
def test_other_urls_are_never_asked(url):
    """RFC 9700, section 4.11; the draft, section 3: https, its default port, a name, a path, and one spelling only."""
    assert place_of(url) is None


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "160.79.104.10", "192.0.1.1", "100.63.255.255", "2606:4700:4700::1111", "2a00:1450::1"]
)
def test_public_addresses_are_asked(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254"),
        *("172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1"),
        *("203.0.113.80", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
        *("::", "::1", "::ffff:127.0.0.1", "::ffff:1.1.1.1", "::127.0.0.1", "::ffff:0:127.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001::1"),
        *(
            "2001:0:53aa:64c:0:0:80ff:fffe",
            "2001:db8::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fe80::1%eth0",
        ),
        *("2606:4700:4700::1111%1", "fec0::1", "ff02::1", "ff0e::1", "100::1", "4000::1"),
        *("", "localhost", "2130706433", "0x7f000001", "127.1", "0177.0.0.1", "1.1.1.1 ", "1.1.1.1/32"),
    ],
)
def test_every_other_address_is_refused(address):
    """RFC 6890; IANA's registries: private, shared (CGNAT), loopback, link-local, mapped, NAT64, 6to4, Teredo, multicast, test."""
    assert not is_public(address)
