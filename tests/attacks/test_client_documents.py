"""A24 and A25 on the wire, each guard of a fetch by itself; test_strangers.py has the rules, and what a login makes of them."""

import asyncio
import gzip
import re
import socket
from collections.abc import AsyncIterator, Sequence
from functools import partial

import httpx2
import pytest

from lazyoauth import addresses, fetch, outbound, server
from lazyoauth.addresses import Place
from lazyoauth.fetch import Fetcher
from lazyoauth.network import FetchFailed, Network
from tests.attacks.harness import attack, replaced, yes
from tests.lazyoauth.publisher import Publisher, make_certificate, reply
from tests.lazyoauth.signing import Signer

EVIL = "https://client.example/c.json"
PATH = "/client.example/c.json"
REAL_TIMEOUT = asyncio.timeout
KEYED = {"redirect_uris": ["https://client.example/callback"], "token_endpoint_auth_method": "private_key_jwt"}


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
    addresses_checked=replaced(addresses, "is_public", yes),
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
        return address == "127.0.0.2" or addresses.is_public(address)

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


#: Where the attacker's names lead, and how long our name service takes to say so; None for a name that does not exist.
NAMES: dict[str, tuple[str | None, float]] = {
    "open.example": ("127.0.0.1", 0.002),
    "closed.example": ("127.0.0.2", 0.11),
    "silent.example": ("127.0.0.3", 0.04),
    "metadata.example": ("169.254.169.254", 0.001),
    "no-such-name.example": (None, 0.2),
}


class Inside:
    """Our own network: a service that answers, one that takes a connection and says nothing, and nobody.

    Attributes:
        connections: how many it saw.
        ticks: the seconds that went by, as an attacker measures them.
    """

    def __init__(self) -> None:
        self.connections, self.ticks = 0, 1000.0
        self.service = Publisher()
        self.tls, self.client_tls = make_certificate("open.example")

    async def open(self) -> None:
        await self.service.open("127.0.0.1", tls=self.tls)
        self._silent = await asyncio.start_server(self._say_nothing, "127.0.0.3", self.service.port)

    async def close(self) -> None:
        self._silent.close()
        await self.service.close()

    def network(self, **public: str) -> Network:
        """The world as our server sees it; `public` is what the attacker himself publishes, by host."""
        instead = {f"https://{host}.example/": base for host, base in public.items()}
        return Network(self._resolve, addresses.is_public, self.client_tls, self.service.port, timeout_s=0.4, instead=instead)

    async def pause(self, seconds: float) -> None:
        self.ticks += seconds

    async def _resolve(self, host: str) -> Sequence[str]:
        address, seconds = NAMES[host]
        self.ticks += seconds
        if address is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [address]

    async def _say_nothing(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.close()


@attack(
    addresses_checked=replaced(addresses, "is_public", yes),
    told_on_the_beat=replaced(fetch, "BEAT_S", 1e-9),
)
async def test_a25_answers_and_their_times_draw_a_map_of_our_network(start):
    """CWE-208, CWE-918: what is open, closed, silent, the cloud's own or not there at all has one answer, at one time."""
    inside = Inside()
    await inside.open()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetch, "monotonic", lambda: inside.ticks)
        patch.setattr(server, "Network", lambda **_: inside.network())
        patch.setattr(server, "Fetcher", partial(Fetcher, pause=inside.pause))
        pages, errors, times = set(), set(), set()
        for name in NAMES:
            journey = start()
            url = f"https://{name}/c.json"
            before = inside.ticks
            page = await journey.http.get("/oauth/authorize", params=journey.request(client_id=url))
            times.add(round(inside.ticks - before, 6))
            pages.add((page.status_code, page.content, tuple(sorted(page.headers.items()))))
            form = {"grant_type": "refresh_token", "refresh_token": "x", "client_id": url}
            error = await journey.http.post("/oauth/token", data=form)
            errors.add((error.status_code, error.content, tuple(sorted(error.headers.items()))))
    await inside.close()
    seen = {"pages": len(pages), "errors": len(errors), "times": len(times)}
    through = [f"{count} {what}" for what, count in seen.items() if count > 1]
    return through + ["a connection"] * bool(inside.service.heads or inside.connections)


@attack(addresses_checked=replaced(addresses, "is_public", yes))
async def test_a25_a_document_names_keys_that_lie_in_our_network(start, publisher):
    """RFC 7517, section 5: `jwks_uri` is a second URL that a stranger chooses, and its failures are as dumb as the first's."""
    inside = Inside()
    await inside.open()
    with pytest.MonkeyPatch.context() as patch:
        base = publisher.bases["https://client.example/"]
        patch.setattr(server, "Network", lambda **_: inside.network(client=base))
        patch.setattr(server, "Fetcher", partial(Fetcher, pause=inside.pause))
        answers = set()
        for name in NAMES:
            journey = start()
            url = f"https://client.example/{name}"
            publisher.publish(url, {**KEYED, "client_id": url, "jwks_uri": f"https://{name}/jwks.json"})
            form = {"grant_type": "refresh_token", "refresh_token": "x", **Signer(url, journey.clock).form()}
            answer = await journey.http.post("/oauth/token", data=form)
            answers.add((answer.status_code, answer.content, tuple(sorted(answer.headers.items()))))
    await inside.close()
    through = [f"{len(answers)} answers"] * (len(answers) > 1)
    return through + ["a connection"] * bool(inside.service.heads or inside.connections)
