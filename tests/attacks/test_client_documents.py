"""A24 on the wire, each guard of a fetch by itself; test_strangers.py has the rules, and what a login makes of them."""

import asyncio
import gzip
import re
from collections.abc import AsyncIterator, Sequence

import httpx2
import pytest

from lazyoauth import fetch, outbound
from lazyoauth.addresses import Place
from lazyoauth.fetch import Fetcher
from lazyoauth.outbound import FetchFailed, Network
from tests.attacks.harness import attack, replaced, yes
from tests.lazyoauth.publisher import Publisher, make_certificate, reply

EVIL = "https://client.example/c.json"
PATH = "/client.example/c.json"
REAL_TIMEOUT = asyncio.timeout


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    server = Publisher()
    await server.open()
    yield server
    await server.close()


async def is_fetched(fetcher: Fetcher, url: str = EVIL) -> bool:
    try:
        await fetcher.get_json(url)
    except FetchFailed:
        return False
    return True


def any_place(url: str) -> Place:
    """Any URL, taken apart by its slashes."""
    host, _, path = url.partition("://")[2].partition("/")
    return Place(host, f"/{path}")


def by_name(network: Network, place: Place, _: str) -> httpx2.Request:
    """A request by name: it is resolved again, and here leads to this machine."""
    url = f"https://127.0.0.1:{network.port}{place.target}"
    return httpx2.Request("GET", url, headers={"Host": place.host}, extensions={"sni_hostname": place.host})


@attack(
    addresses_checked=replaced(outbound, "is_public", yes),
    urls_checked=replaced(fetch, "place_of", any_place),
    the_checked_address_asked=replaced(outbound, "_request", by_name),
)
async def test_a24_a_client_id_leads_into_our_own_network(clock):
    """By its name, by an address in its place, and by a name that leads elsewhere when it is asked for again."""
    server_tls, client_tls = make_certificate("client.example")
    inside = Publisher()
    await inside.open("127.0.0.1", tls=server_tls)
    inside.answers["/c.json"] = reply(b"{}")

    async def resolve(host: str) -> Sequence[str]:
        return ["127.0.0.2"] if host == "rebinding.example" else ["127.0.0.1"]

    def allows(address: str) -> bool:
        # 127.0.0.2, where nobody listens, plays a public address.
        return address == "127.0.0.2" or outbound.is_public(address)

    def without_names(address: str) -> bool:
        return allows(address) or address_was_given

    client_tls.check_hostname = False
    through = []
    for url in (EVIL, "https://rebinding.example/c.json", "https://127.0.0.1/c.json", "https://localhost/c.json"):
        # What was given as an address is not resolved, so only the rule about URLs stands before it.
        address_was_given = not url.endswith(".example/c.json")
        network = Network(resolve=resolve, allows=without_names, tls=client_tls, port=inside.port)
        seen = len(inside.heads)
        await is_fetched(Fetcher(clock, network), url)
        through += [url] * (len(inside.heads) > seen)
    await inside.close()
    return through


class Following(httpx2.AsyncClient):
    """A client that goes wherever it is sent."""

    def __init__(self, **options) -> None:
        super().__init__(**options | {"follow_redirects": True})


async def whole_body(response: httpx2.Response, _: int) -> bytes:
    """Everything that comes, decompressed."""
    return await response.aread()


@attack(
    redirects_refused=replaced(httpx2, "AsyncClient", Following),
    types_checked=replaced(outbound, "_JSON_TYPE", re.compile(".*", re.DOTALL)),
    bodies_bounded=replaced(outbound, "_body", whole_body),
    time_bounded=replaced(asyncio, "timeout", lambda _: REAL_TIMEOUT(60)),
)
async def test_a24_a_host_answers_with_what_it_should_not(publisher, clock):
    """A redirect into the network, a page, a body without end, a compressed one, and one that drips."""

    async def drip(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n")
        for _ in range(20):
            writer.write(b"1")
            await writer.drain()
            await asyncio.sleep(0.04)

    publisher.answers["/secret"] = reply(b"{}")
    answers = {
        "redirect": reply(b"", f"Location: http://127.0.0.1:{publisher.port}/secret", status="302 Found"),
        "page": reply(b"[]", kind="text/html"),
        "large": reply(b" " * 1_000_000 + b"[]"),
        "bomb": reply(gzip.compress(b" " * 10_000_000 + b"[]"), "Content-Encoding: gzip"),
        "drip": drip,
    }
    through = []
    for name, answer in answers.items():
        publisher.answers[PATH] = answer
        limit_s = 0.4 if name == "drip" else 30.0
        if await is_fetched(Fetcher(clock, Network(instead=publisher.bases, timeout_s=limit_s))):
            through.append(name)
    return through
