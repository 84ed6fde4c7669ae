"""One guarded GET, against real local servers that mean harm. A24 and A25 of the attacks on authorization servers."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from lazyoauth.addresses import place_of
from lazyoauth.network import Answer, FetchFailed, Network
from lazyoauth.outbound import get
from tests.lazyoauth.publisher import Publisher, make_certificate, reply

URL = "https://client.example/c.json"
PATH = "/client.example/c.json"
MAX_BYTES = 5_120


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    server = Publisher()
    await server.open()
    yield server
    await server.close()


@pytest.fixture
def network(publisher) -> Network:
    """The publisher in place of every host, as LAZYOAUTH_TEST_DOCUMENTS does it: only the address check is lifted."""
    return Network(instead=publisher.bases)


async def fetch(network: Network, url: str = URL) -> Answer:
    place = place_of(url)
    assert place is not None
    return await get(network, place, MAX_BYTES)


async def failure(network: Network, url: str = URL) -> FetchFailed:
    with pytest.raises(FetchFailed) as caught:
        await fetch(network, url)
    return caught.value


def resolving(*addresses: str, asked: list[str] | None = None):
    async def resolve(host: str) -> Sequence[str]:
        if asked is not None:
            asked.append(host)
        return addresses

    return resolve


async def test_a_document_is_read_with_a_plain_request(publisher, network):
    """draft-ietf-oauth-client-id-metadata-document, section 4: GET, application/json; no cookie, nothing compressed."""
    publisher.answers[f"{PATH}?v=%7E1"] = reply(b'{"a": 1}', "Set-Cookie: seen=1", kind="application/json; charset=utf-8")
    for _ in range(2):
        assert (await fetch(network, f"{URL}?v=%7E1")).value == {"a": 1}
    head = publisher.heads[1].lower()
    assert "accept-encoding: identity" in head
    assert "cookie" not in head


@pytest.mark.parametrize(
    ("headers", "max_age_s"),
    [
        ([], None),
        (["Cache-Control: public, Max-Age=3600"], 3600),
        (['Cache-Control: max-age="60"', "Age: 20"], 40),
        (["Cache-Control: no-store"], 0),
        (["Cache-Control: no-cache, max-age=60"], 0),
        (["Cache-Control: max-age=-5"], None),
        (["Cache-Control: max-age=1e9"], None),
        ([f"Cache-Control: max-age={'9' * 400}"], None),
        (["Cache-Control: max-age=100", "Age: soon"], 100),
    ],
)
async def test_the_host_says_how_long_a_document_may_be_kept(publisher, network, headers, max_age_s):
    """RFC 9111, sections 4.2.3 and 5.2.2."""
    publisher.answers[PATH] = reply(b"{}", *headers)
    assert (await fetch(network)).max_age_s == max_age_s


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(b"{}", "Location: http://169.254.169.254/latest/meta-data/", status="302 Found"), "status 302"),
        (reply(b"{}", "Location: /client.example/other.json", status="301 Moved Permanently"), "status 301"),
        (reply(b"{}", status="404 Not Found"), "status 404"),
        (reply(b"{}", status="206 Partial Content"), "status 206"),
        (reply(b"{}", kind="text/html"), "content type 'text/html'"),
        (reply(b"{}", kind="application/jsonp"), "content type"),
        (reply(b"{}", kind="text/json"), "content type"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "content type ''"),
        (reply(b"{", kind="application/json"), "no JSON"),
        (reply(b"[" * 5_000), "no JSON"),
        (reply(b'{"a": "\xff"}'), "no JSON"),
        (reply(b" " * (MAX_BYTES + 1)), "more than 5120 bytes"),
        (reply(gzip.compress(b" " * 10_000_000), "Content-Encoding: gzip")[:4_096], "compressed"),
    ],
)
async def test_what_a_host_answers_wrongly_is_refused(publisher, network, answer, reason):
    """A24: no redirect is followed, nothing is decompressed, only a small JSON document counts."""
    publisher.answers[PATH] = answer
    publisher.answers["/client.example/other.json"] = reply(b"{}")
    refused = await failure(network)
    assert reason in refused.detail
    assert refused.is_answer
    assert len(publisher.heads) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(b"{}", status="500 Internal Server Error"), "status 500"),
        (reply(b"{}", status="429 Too Many Requests"), "status 429"),
        (b"", "RemoteProtocolError"),
        (b"SSH-2.0-OpenSSH_9.9\r\n", "RemoteProtocolError"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{}", "RemoteProtocolError"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000, "RemoteProtocolError"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "RemoteProtocolError"),
    ],
)
async def test_a_host_in_trouble_may_be_well_again_in_a_minute(publisher, network, answer, reason):
    publisher.answers[PATH] = answer
    refused = await failure(network)
    assert reason in refused.detail
    assert not refused.is_answer


async def test_a_slow_drip_ends_when_the_time_for_all_of_it_is_up(publisher, network):
    """A24: each byte comes soon after the one before, so a limit for each read would never be reached."""
    gone = asyncio.Event()

    async def drip(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n")
        try:
            while not reader.at_eof():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        finally:
            gone.set()

    publisher.answers[PATH] = drip
    refused = await failure(replace(network, timeout_s=1.0))
    assert "not complete" in refused.detail
    await gone.wait()


@pytest.mark.parametrize("length", [b"Content-Length: 1000000000\r\n", b""])
async def test_a_gigabyte_is_cut_off_after_kilobytes(publisher, network, length):
    """A24: what the server could send before the connection was closed fits into the buffers between."""
    sent, gone = 0, asyncio.Event()

    async def flood(_, writer):
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + length + b"\r\n")
        try:
            while sent < 1_000_000_000:
                writer.write(b" " * 65_536)
                await writer.drain()
                sent += 65_536
        finally:
            gone.set()

    publisher.answers[PATH] = flood
    assert "more than 5120 bytes" in (await failure(network)).detail
    await gone.wait()
    assert sent < 100_000_000


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["169.254.169.254"], ["10.0.0.1", "1.1.1.1"], ["1.1.1.1", "127.0.0.1"], []],
)
async def test_a_name_for_an_address_of_our_own_network_is_not_asked(publisher, addresses):
    """A24: one foreign address among several is enough."""
    refused = await failure(Network(resolve=resolving(*addresses), port=publisher.port))
    assert "has no public address" in refused.detail
    assert not refused.is_answer
    assert not publisher.heads


async def test_without_the_address_check_the_attack_succeeds(publisher):
    """A24: the guard above is what stops it; the request reaches the port of this machine, if only to fail at TLS."""
    network = Network(resolve=resolving("127.0.0.1"), port=publisher.port, allows=lambda _: True, timeout_s=0.4)
    assert "has no public address" not in (await failure(network)).detail


async def test_a_host_that_never_shakes_hands_keeps_no_socket(publisher):
    """A24: it would have one more of ours for each made-up URL."""
    gone = asyncio.Event()

    async def mute(reader, writer):
        await reader.read()
        writer.close()
        gone.set()

    silent = await asyncio.start_server(mute, "127.0.0.1")
    async with silent:
        port = silent.sockets[0].getsockname()[1]
        network = Network(resolve=resolving("127.0.0.1"), port=port, allows=lambda _: True, timeout_s=0.4)
        assert not (await failure(network)).is_answer
        await gone.wait()


@pytest.fixture(scope="module")
def certificates() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return make_certificate("client.example")


@pytest.fixture
async def secure(certificates) -> AsyncIterator[Publisher]:
    """https://client.example, on an address of its own."""
    server = Publisher()
    names: list[str] = []
    certificates[0].sni_callback = lambda _socket, name, _context: names.append(name)
    await server.open("127.0.0.2", tls=certificates[0])
    server.names = names  # type: ignore[attr-defined]
    yield server
    await server.close()


async def test_the_connection_goes_to_the_address_that_was_checked(secure, publisher, certificates):
    """A24, DNS rebinding: the name leads elsewhere a moment later, but nobody asks again, and TLS and Host still name the host."""
    asked: list[str] = []
    victim = Publisher()
    await victim.open("127.0.0.1")

    async def rebinding(host: str) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.2"] if len(asked) == 1 else ["127.0.0.1"]

    checked: list[str] = []

    def allows(address: str) -> bool:
        checked.append(address)
        return True

    secure.answers["/c.json"] = reply(b'{"a": 1}')
    network = Network(resolve=rebinding, allows=allows, tls=certificates[1], port=secure.port)
    assert (await fetch(network)).value == {"a": 1}
    assert asked == ["client.example"]
    assert checked == ["127.0.0.2"]
    assert secure.names == ["client.example"]
    assert "\r\nHost: client.example\r\n" in secure.heads[0]
    assert not victim.heads
    await victim.close()


async def test_a_certificate_for_another_name_is_refused(secure, certificates):
    """RFC 9525: checked against the name, though the connection went to an address."""
    secure.answers["/c.json"] = reply(b"{}")
    network = Network(resolve=resolving("127.0.0.2"), allows=lambda _: True, tls=certificates[1], port=secure.port)
    assert "ConnectError" in (await failure(network, "https://other.example/c.json")).detail
    assert "ConnectError" in (await failure(replace(network, tls=None))).detail
    assert not secure.heads


async def test_the_next_address_is_tried_when_one_cannot_be_reached(secure, certificates):
    """A machine without IPv6 is told of IPv6 addresses too."""
    secure.answers["/c.json"] = reply(b"{}")
    addresses = resolving("127.0.0.3", "::1", "127.0.0.2")
    network = Network(resolve=addresses, allows=lambda _: True, tls=certificates[1], port=secure.port)
    assert (await fetch(network)).value == {}


async def test_no_proxy_of_the_environment_is_asked(secure, certificates, publisher, monkeypatch):
    """A24: a proxy would resolve the name itself, without any check."""
    for variable in ("HTTPS_PROXY", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(variable, f"http://127.0.0.1:{publisher.port}")
    secure.answers["/c.json"] = reply(b"{}")
    network = Network(resolve=resolving("127.0.0.2"), allows=lambda _: True, tls=certificates[1], port=secure.port)
    assert (await fetch(network)).value == {}
    assert not publisher.heads


async def test_every_failure_has_the_same_words_for_a_stranger(publisher, network):
    """A25: what cannot be told apart from outside tells nothing of our network."""
    publisher.answers[PATH] = reply(b"{}", kind="text/html")
    closed = Network(resolve=resolving("127.0.0.1"), allows=lambda _: True, port=1)
    failures = [
        await failure(network),
        await failure(network, "https://client.example/absent.json"),
        await failure(Network(resolve=resolving("10.0.0.1"))),
        await failure(closed),
    ]
    assert len({str(one) for one in failures}) == 1
    assert len({one.detail for one in failures}) == len(failures)
    assert all(one.detail not in str(one.to_dict()) for one in failures)
