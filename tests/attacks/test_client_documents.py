"""A24 to A27: a client's id is a URL of a stranger's choice, and this server fetches what is there."""

import asyncio
import gzip
import re
from collections.abc import AsyncIterator, Sequence

import httpx2
import pytest

from lazyoauth import Limits, authorize, fetch, outbound
from lazyoauth.addresses import Place
from lazyoauth.client_documents import MIN_KEPT_S
from lazyoauth.fetch import Fetcher
from lazyoauth.limits import Throttle
from lazyoauth.outbound import FetchFailed, Network
from lazyoauth.records import Client
from tests.attacks.harness import attack, nothing, nothing_awaited, replaced, yes
from tests.lazyoauth.publisher import Publisher, make_certificate, reply

EVIL = "https://client.example/c.json"
PATH = "/client.example/c.json"
CALLBACK = "https://client.example/callback"
DOCUMENT = {"client_id": EVIL, "client_name": "Client", "redirect_uris": [CALLBACK]}
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


class Never(Exception):
    """An exception that nobody raises."""


@attack(causes_hidden=replaced(authorize, "FetchFailed", Never))
async def test_a25_pages_tell_what_stands_in_our_network(start, publisher):
    """A host that is away, one that answers, and a name for an address of our own look the same."""
    journey = start(test_documents=publisher.bases)
    publisher.answers["/client.example/away"] = reply(b"", status="503 Away")
    publisher.answers["/client.example/page"] = reply(b"<p>", kind="text/html")
    ids = [f"https://client.example/{name}" for name in ("away", "page", "absent")]
    ids += ["https://no-such-name.invalid/c.json", "https://10.0.0.1/c.json"]
    pages = set()
    for client_id in ids:
        answer = await journey.browser().open("/oauth/authorize", journey.request(client_id=client_id))
        pages.add((answer.status_code, answer.text))
    return list(pages)[1:]


@attack(the_document_read_again=replaced(Client, "redirects_to", yes))
async def test_a26_a_document_changes_between_authorize_and_token(start, publisher, clock):
    """What it no longer names is lost, and what it names now was never approved."""
    journey = start(test_documents=publisher.bases)
    publisher.publish(EVIL, DOCUMENT, "Cache-Control: no-store")
    journey.client_id = EVIL
    await journey.browser().open("/oauth/authorize", journey.request(redirect_uri=CALLBACK))
    clock.now += MIN_KEPT_S / 2
    code = await journey.code()
    publisher.publish(EVIL, DOCUMENT | {"redirect_uris": ["https://client.example/new"]})
    clock.now += MIN_KEPT_S / 2
    answers = [await journey.exchange(code, redirect_uri=uri) for uri in ("https://client.example/new", CALLBACK)]
    return [str(answer.status_code) for answer in answers if answer.is_success]


@attack(
    fetches_counted=replaced(Throttle, "hit", nothing_awaited),
    failures_remembered=replaced(Fetcher, "_put_off", nothing),
)
async def test_a27_made_up_clients_make_this_server_flood_another(start, publisher):
    """1,000 would do as 60 do: no more requests than the limit, and none twice."""
    journey = start(test_documents=publisher.bases, limits=Limits(documents="20/minute"))
    for number in range(60):
        await journey.browser().open("/oauth/authorize", journey.request(client_id=f"https://client.example/{number // 3}"))
        await journey.browser().open("/oauth/authorize", journey.request(client_id=f"https://client.example/made-up/{number}"))
    asked = [head.split(" ")[1] for head in publisher.heads]
    return asked[20:] + sorted({path for path in asked if asked.count(path) > 1})
