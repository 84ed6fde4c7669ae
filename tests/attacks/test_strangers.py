"""A24 to A30: what anybody may send without being known, and where a stranger's URL leads."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from lazyoauth import Limits, RegisteredClient, addresses, assertions, client_metadata, clients, fetch, http, outbound, registration
from lazyoauth import client_documents as documents
from lazyoauth.addresses import Place
from lazyoauth.client_documents import MIN_KEPT_S, ClientDocuments
from lazyoauth.fetch import Fetcher
from lazyoauth.limits import Throttle
from lazyoauth.network import FetchFailed, Network
from lazyoauth.records import Client
from tests.attacks.harness import attack, nothing_awaited, replaced, yes
from tests.lazyoauth.journey import CALLBACK, Clock
from tests.lazyoauth.publisher import Publisher, reply
from tests.lazyoauth.signing import make_rsa

ID, PATH = "https://client.example/c.json", "/client.example/c.json"
DOCUMENT = {"client_id": ID, "client_name": "Client", "redirect_uris": [CALLBACK]}
INNER = """127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255 224.0.0.1 192.0.2.1
198.18.0.1 ::1 :: fe80::1 fd00::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:7f00:1:: ff02::1 168.63.129.16""".split()
URLS = """http://client.example/c.json https://127.0.0.1/c.json https://[::1]/c.json https://2130706433/c.json https://0x7f.1/c.json
https://user@client.example/c.json https://client.example:8443/c.json https://client.example/../c.json
https://client.example/%2e%2e/c https://client.example/c.json#x https://localhost/c.json https://client.example file:///etc/passwd
https://client.example\\@evil/c https://CLIENT.example/c.json https://client.example./c.json""".split()


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    server = Publisher()
    await server.open()
    server.publish(ID, DOCUMENT, "Cache-Control: no-store")
    yield server
    await server.close()


def anything_goes(url):
    """Every URL may be asked."""
    host, _, path = url.partition("://")[2].partition("/")
    return Place(host, f"/{path}")


@attack(addresses_checked=replaced(addresses, "is_public", yes))
async def test_a24_a_name_resolves_to_our_own_network():
    """CWE-918; draft-ietf-oauth-client-id-metadata-document, section 6: refused before anything is connected to."""
    tried = []

    async def resolve(host):
        # The first address is harmless, the second is the point.
        return ["93.184.216.34", host]

    network = Network(resolve=resolve, allows=addresses.is_public)
    for address in INNER:
        with suppress(FetchFailed):
            tried += [str(request.url) for request in await outbound._requests(network, Place(address, "/c.json"))]
    return tried


def take_out_plain_urls(patch: pytest.MonkeyPatch) -> None:
    for module in (documents, fetch):
        patch.setattr(module, "place_of", anything_goes)


@attack(plain_urls_only=take_out_plain_urls)
async def test_a24_a_url_hides_where_it_leads():
    """Section 3: https at its default port, a name, a path; refused before the name is resolved."""
    asked = []

    async def resolve(host):
        asked.append(host)
        return ["10.0.0.1"]

    found = ClientDocuments(Fetcher(Clock(), Network(resolve=resolve)), Clock())
    for url in URLS:
        try:
            assert await found.find(url) is None
        except FetchFailed:
            assert asked
    return asked


async def whole_body(response, _max_bytes):
    return await response.aread()


@attack(body_checked=replaced(outbound, "_body", whole_body))
async def test_a24_a_host_answers_with_too_much_or_with_something_else(publisher):
    """Section 6: 5 kilobytes of JSON, nothing else, and not from elsewhere."""
    network, good = Network(instead=publisher.bases), json.dumps(DOCUMENT).encode()
    answers = {
        "large": reply(json.dumps(DOCUMENT | {"x": "y" * 6_000}).encode()),
        "html": reply(good, kind="text/html"),
        "redirect": reply(good, "Location: http://169.254.169.254/", status="302 Found"),
        "error": reply(good, status="404 Not Found"),
    }
    through = []
    for name, answer in answers.items():
        publisher.answers[PATH] = answer
        with suppress(FetchFailed):
            await outbound.get(network, Place("client.example", "/c.json"), 5_120)
            through.append(name)
    return through


def take_out_one_page(patch: pytest.MonkeyPatch) -> None:
    async def tell(self, client_id):
        try:
            return await find(self, client_id)
        except FetchFailed as failure:
            raise http.InvalidClient(f"no document: {failure.detail}") from failure

    find = clients.Clients.find
    patch.setattr(clients.Clients, "find", tell)


@attack(one_page=take_out_one_page)
async def test_a25_the_error_tells_what_our_network_looks_like(start, publisher):
    """Section 6: one page for each cause, which stands in the log only."""
    pages = set()
    for answer in (
        reply(b"{}", status="404 Not Found"),
        reply(b"{}", status="503 Service Unavailable"),
        reply(b"{", kind="application/json"),
        reply(b"{}", kind="text/html"),
        reply(json.dumps({**DOCUMENT, "client_id": "https://other.example/c.json"}).encode()),
    ):
        publisher.answers[PATH] = answer
        journey = start(test_documents=publisher.bases)
        page = await journey.http.get("/oauth/authorize", params=journey.request(client_id=ID))
        pages.add((page.status_code, page.text))
    return [] if len(pages) == 1 else [f"{len(pages)} different pages"]


@attack(redirect_still_listed=replaced(Client, "redirects_to", yes))
async def test_a26_a_document_changes_between_the_question_and_the_token(start, publisher):
    """What it no longer lists is no longer good; what it adds came too late for what was approved."""
    journey = start(test_documents=publisher.bases)
    journey.client_id = ID
    await journey.http.get("/oauth/authorize", params=journey.request())
    journey.clock.now += MIN_KEPT_S / 2
    code = await journey.code()
    publisher.publish(ID, {**DOCUMENT, "redirect_uris": ["https://client.example/new"]})
    journey.clock.now += MIN_KEPT_S / 2
    added = await journey.exchange(code, redirect_uri="https://client.example/new")
    kept = await journey.exchange(code)
    return ["new redirect"] * added.is_success + ["old redirect"] * kept.is_success


def take_out_rationing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(fetch, "WRONG_FOR_S", 0.0)
    patch.setattr(fetch, "AWAY_FOR_S", 0.0)
    patch.setattr(fetch, "AT_ONCE", 1_000)
    patch.setattr(fetch, "AT_ONCE_PER_HOST", 1_000)
    patch.setattr(Throttle, "hit", nothing_awaited)


@attack(rationing=take_out_rationing)
async def test_a27_strangers_make_us_ask_another_host_again_and_again(start, publisher):
    """Section 6: few at once for a host, few a minute, and not again for a while after a failure."""
    journey = start(test_documents=publisher.bases)

    async def slowly(_reader, writer):
        await asyncio.sleep(0.02)
        writer.write(reply(b"{}"))

    ids = [f"https://client.example/{number}.json" for number in range(80)]
    publisher.answers |= {url.removeprefix("https:/"): slowly for url in ids}
    publisher.remove(ID)
    await asyncio.gather(*(journey.http.get("/oauth/authorize", params=journey.request(client_id=url)) for url in ids))
    through = ["more than four at once"] * (publisher.most_at_once > 4) + ["more than the limit"] * (len(publisher.heads) > 60)
    other = start(test_documents=publisher.bases)
    before = len(publisher.heads)
    for _ in range(5):
        await other.http.get("/oauth/authorize", params=other.request(client_id=ID))
    return through + ["a failure is asked for again"] * (len(publisher.heads) > before + 1)


async def first_every_time(*_):
    return True


@attack(spent_once=replaced(assertions.MemoryAssertions, "spend", first_every_time))
async def test_a28_an_assertion_is_replayed_at_another_process(start):
    """RFC 7523, section 3, item 7: two servers with one store of assertions, as two processes on one database have."""
    clock = Clock()
    signer = make_rsa("robot", clock)
    robot = RegisteredClient(id="robot", name="Robot", grant_types=("client_credentials",), jwks=signer.jwks)
    store = assertions.MemoryAssertions(clock)
    first, second = (start(clients=(robot,), assertions=store, now=clock) for _ in range(2))
    form = {"grant_type": "client_credentials", "client_id": "robot", **signer.form()}
    assert (await first.http.post("/oauth/token", data=form)).status_code == 200
    replays = {"same": await first.http.post("/oauth/token", data=form), "other": await second.http.post("/oauth/token", data=form)}
    return [name for name, answer in replays.items() if answer.is_success]


def take_out_bounds(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(registration, "MAX_BODY_BYTES", 10**9)
    patch.setattr(registration, "MAX_REDIRECT_URIS", 10**9)
    patch.setattr(registration, "MAX_ID_LENGTH", 10**9)


@attack(bounds=take_out_bounds, limit=replaced(Throttle, "hit", nothing_awaited))
async def test_a29_registrations_without_end(start):
    """https://github.com/samanhappy/mcphub/issues/1174: small, few, and nothing of them is kept."""
    journey = start(limits=Limits(registrations="200/minute"))
    post, through = journey.http.post, []
    many = [f"https://client.example/{number}" for number in range(11)]
    if (await post("/oauth/register", json={"redirect_uris": many})).is_success:
        through.append("eleven addresses")
    if (await post("/oauth/register", json={"redirect_uris": [CALLBACK], "x": "y" * 20_000})).is_success:
        through.append("20 kilobytes")
    statuses = [(await post("/oauth/register", json={"redirect_uris": [CALLBACK]})).status_code for _ in range(250)]
    assert len(journey.server.config.refresh_token_states) == 0, "no row for a registration"
    return through + ["250 in a minute"] * (429 not in statuses)


def whatever_was_asked(metadata):
    return tuple(metadata.get("grant_types") or ("authorization_code",))


@attack(known_grants_only=replaced(client_metadata, "grant_types", whatever_was_asked))
async def test_a30_a_registration_asks_for_more_than_an_id(start):
    """RFC 7591, section 5: no secret, no scope, no grant, no trust and no lifetime comes from asking."""
    journey = start(scopes=("mcp", "admin"))
    asked = {
        "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token", "client_credentials", "password", "implicit"],
        "scope": "root",
        "token_endpoint_auth_method": "client_secret_basic",
        "client_secret": "chosen by the client",
        "client_id": "robot",
        "verified": True,
        "software_statement": "x.y.z",
        "lifetimes": {"refresh_idle_s": 10**9},
        "id_token_signed_response_alg": "none",
    }
    answer = (await journey.http.post("/oauth/register", json=asked)).json()
    assert answer["client_id"] != "robot"
    assert answer["token_endpoint_auth_method"] == "none"
    assert answer.keys().isdisjoint({"client_secret", "verified", "lifetimes"})
    journey.client_id = answer["client_id"]
    own = await journey.token(grant_type="client_credentials", scope="admin")
    through = ["its own tokens"] * own.is_success + [
        f"grant {name}" for name in answer["grant_types"] if name in asked["grant_types"][2:]
    ]
    page = await journey.browser().open("/oauth/authorize", journey.request(scope="root admin"))
    assert page.status_code == 200
    assert (await journey.login(scope="root admin")).scope == "admin"
    return through
