"""lazyapp/this_machine.py: who is taken for the owner of this machine."""

from typing import Any

import pytest

from lazyapp.this_machine import is_from_here, is_of_this_origin, not_found


def request(*headers: tuple[str, str], peer: str | None = "127.0.0.1", host: str = "localhost:3000") -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in (("host", host), *headers)]
    return {"method": "GET", "scheme": "http", "headers": raw, "client": (peer, 5) if peer else None}


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:3000", "127.0.0.1:3000", "[::1]:3000", "[::1]"])
def test_this_machine_is_called_by_its_own_names(peer, host):
    assert is_from_here(request(peer=peer, host=host))


@pytest.mark.parametrize(
    "host",
    [
        "",
        "shop.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "127.0.0.2",
        "0.0.0.0",
        "localhost:3000:80",
        "localhost@evil",
    ],
)
def test_another_name_that_leads_here_is_not_ours(host):
    """DNS rebinding: the name is the attacker's, the address is ours, and to the browser it is one origin."""
    assert not is_from_here(request(host=host))


@pytest.mark.parametrize("peer", ["192.0.2.7", "10.0.0.1", "::ffff:192.0.2.7", None])
def test_whoever_connects_from_elsewhere_is_not(peer):
    assert not is_from_here(request(peer=peer))


@pytest.mark.parametrize(
    "name",
    [
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-real-ip",
        "cf-connecting-ip",
        "true-client-ip",
        "x-client-ip",
        "x-cluster-client-ip",
        "fastly-client-ip",
        "fly-client-ip",
        "x-azure-clientip",
        "x-forwarded",
        "x-forwarded_by",
        "forwarded-for",
        "x_forwarded_for",
        "X_Real_IP",
        "x-original-host",
        "x-original-forwarded-for",
        "tailscale-user-login",
        "ngrok-auth-user-email",
        "x-envoy-external-address",
        "x-amzn-trace-id",
        "cdn-loop",
    ],
)
def test_a_request_that_was_passed_on_is_not(name):
    """RFC 7239; RFC 9110, section 7.6.3; RFC 8586; https://tailscale.com/kb/1312/serve.

    Tunnels connect from this machine and may put localhost into Host.
    """
    assert not is_from_here(request((name, "198.51.100.7")))


def test_two_hosts_are_none():
    """RFC 9112, section 3.2."""
    assert not is_from_here(request(("host", "localhost:3000")))


@pytest.mark.parametrize("name", ["user-agent", "accept", "priority", "viewport-width", "x-requested-with", "mcp-session-id"])
def test_what_browsers_and_clients_say_of_themselves_passes_nothing_on(name):
    assert is_from_here(request((name, "via 198.51.100.7")))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("origin", ["http://evil.example", "http://localhost:3000"]),
        ("sec-fetch-site", ["cross-site", "same-origin"]),
        ("host", ["localhost:3000"]),
    ],
)
def test_what_is_told_twice_is_not_believed(name, values):
    """RFC 9112, section 3.2, for Host; a browser sends one of each, and of two another reader may take the other."""
    assert not is_of_this_origin(request(*((name, value) for value in values)))


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_our_own_page_and_the_address_bar_may_ask(site):
    assert is_of_this_origin(request(("sec-fetch-site", site)))
    assert is_of_this_origin(request(("origin", "http://localhost:3000"), ("sec-fetch-site", site)))


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "Same-Origin"])
def test_no_other_page_may(site):
    """Fetch Metadata Request Headers, section 2.4; another port is same-site, and a stranger still."""
    assert not is_of_this_origin(request(("sec-fetch-site", site)))


@pytest.mark.parametrize("origin", ["null", "http://localhost:3001", "https://localhost:3000", "http://evil.example", ""])
def test_an_origin_that_is_not_ours_may_not(origin):
    """RFC 6454, section 7."""
    assert not is_of_this_origin(request(("origin", origin)))


async def test_who_may_not_see_it_reads_the_plain_404():
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await not_found({"method": "GET"}, send)
    await not_found({"method": "HEAD"}, send)
    assert [message.get("status") or message["body"] for message in sent] == [404, b"Not Found\n", 404, b""]
