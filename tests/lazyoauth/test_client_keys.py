"""Keys that clients publish. RFC 7517; RFC 7591, section 2: jwks_uri."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from lazyoauth import RegisteredClient
from lazyoauth.client_keys import BACK_OFF_S, FRESH_S, STALE_S
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, Clock, Journey, error_of, tokens_of
from tests.lazyoauth.signing import Signer, make_rsa

ADDRESS = "https://keys.example/jwks.json"


class Host:
    """A host that publishes whatever it is told to, and counts who asks."""

    def __init__(self) -> None:
        self.body: Any = {"keys": []}
        self.other_bodies: dict[str, Any] = {}
        self.status = 200
        self.asked = 0
        self.port = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        self.asked += 1
        body = json.dumps(self.other_bodies.get(path, self.body)).encode()
        headers = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close"
        head = f"HTTP/1.1 {self.status} X\r\n{headers}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    publishing = Host()
    server = await asyncio.start_server(publishing, "127.0.0.1", 0)
    publishing.port = server.sockets[0].getsockname()[1]
    async with server:
        yield publishing


@pytest.fixture
def signer(clock: Clock) -> Signer:
    return Signer("robot", clock)


@pytest.fixture
def served(start: Start, host: Host) -> Journey:
    client = RegisteredClient(id="robot", name="Robot", grant_types=("client_credentials",), jwks_uri=ADDRESS)
    return start(clients=(client,), test_documents={"https://keys.example/": f"http://127.0.0.1:{host.port}/"})


async def ask(journey: Journey, signer: Signer) -> Any:
    return await journey.http.post("/oauth/token", data={"grant_type": "client_credentials", **signer.form()})


async def test_keys_are_fetched_once_and_kept(served, signer, host):
    """RFC 7591, section 2: jwks_uri."""
    host.body = signer.jwks
    await asyncio.gather(*(ask(served, signer) for _ in range(5)))
    tokens_of(await ask(served, signer))
    assert host.asked == 1


async def test_a_new_key_works_at_once_and_a_withdrawn_one_soon_no_more(served, signer, host, clock):
    """RFC 7517, section 4.5: `kid` tells that keys were rolled over."""
    host.body = signer.jwks
    tokens_of(await ask(served, signer))
    following = make_rsa("robot", clock)
    host.body = following.jwks
    clock.now += BACK_OFF_S
    tokens_of(await ask(served, following))
    assert host.asked == 2
    assert error_of(await ask(served, signer)) == (401, "invalid_client")


async def test_made_up_keys_send_no_flood(served, signer, host, clock):
    """A stranger who signs with unknown keys makes this server ask once a minute at most."""
    host.body = signer.jwks
    stranger = Signer("robot", clock, kid="made up")
    for _ in range(10):
        assert error_of(await ask(served, stranger)) == (401, "invalid_client")
    assert host.asked == 1
    clock.now += BACK_OFF_S
    for _ in range(10):
        assert error_of(await ask(served, stranger)) == (401, "invalid_client")
    assert host.asked == 2
    tokens_of(await ask(served, signer))


async def test_a_withdrawn_key_ends_without_anyone_signing_with_a_new_one(served, signer, host, clock):
    """RFC 7517, section 5."""
    host.body = signer.jwks
    tokens_of(await ask(served, signer))
    host.body = {"keys": []}
    clock.now += FRESH_S
    assert error_of(await ask(served, signer)) == (401, "invalid_client")


async def test_a_host_that_is_away_ends_no_client_for_an_hour(served, signer, host, clock):
    """Nobody loses a connection to another company's outage; afterwards nothing is known, which is no refusal either."""
    host.body = signer.jwks
    tokens_of(await ask(served, signer))
    host.status = 503
    clock.now += FRESH_S
    tokens_of(await ask(served, signer))
    clock.now += STALE_S
    refused = await ask(served, signer)
    assert error_of(refused) == (503, "temporarily_unavailable")
    assert "keys.example" not in refused.text


@pytest.mark.parametrize(
    "body", [[], {}, {"keys": "x"}, {"keys": ["x"]}, {"keys": [{}] * 33}, {"keys": [{"kid": "k1"}]}, {"keys": []}]
)
async def test_what_is_no_key_set_proves_nothing(served, signer, host, body):
    """RFC 7517, section 5."""
    host.body = body
    assert error_of(await ask(served, signer)) == (401, "invalid_client")


async def test_a_host_that_has_no_keys_is_an_answer(served, signer, host):
    """RFC 6749, section 5.2: invalid_client; the text tells nothing of what this machine can reach."""
    host.status = 404
    refused = await ask(served, signer)
    assert error_of(refused) == (401, "invalid_client")
    assert "404" not in refused.text


async def test_keys_are_never_fetched_from_an_inner_address(start, signer):
    """RFC 9700, section 4.10 asks the like of the client; A28: the guard of client documents holds for keys too."""
    for url in ("https://127.0.0.1/jwks", "https://localhost/jwks", "https://169.254.169.254/jwks", "https://[::1]/jwks"):
        client = RegisteredClient(id="robot", name="Robot", grant_types=("client_credentials",), jwks_uri=url)
        refused = await ask(start(clients=(client,)), signer)
        assert error_of(refused) == (401, "invalid_client"), url


CHAT = "https://keys.example/oauth/42/client.json"


@pytest.fixture
def chat(served: Journey, host: Host, clock: Clock) -> Signer:
    """A client with a document of its own, which lists two ways: it may sign, and it may come as it is. As ChatGPT does."""
    signer = make_rsa(CHAT, clock)
    host.body = signer.jwks
    host.other_bodies["/oauth/42/client.json"] = {
        "client_id": CHAT,
        "client_name": "Chat",
        "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg": "RS256",
        "jwks_uri": ADDRESS,
    }
    served.client_id = CHAT
    return signer


@pytest.mark.parametrize("signs", [True, False])
async def test_a_client_with_a_document_may_sign_and_may_come_as_it_is(served, chat, signs):
    """https://github.com/cloudflare/workers-oauth-provider/issues/293: a login at the code and at each refresh, either way."""
    proof = chat.form if signs else dict
    login = tokens_of(await served.exchange(await served.code(), **proof()))
    for _ in range(2):
        login = tokens_of(await served.refresh(login.refresh_token, **proof()))
    assert (await served.call(login.access_token)).status_code == 200


async def test_a_proof_that_fails_is_not_taken_for_none(served, chat, clock):
    """RFC 6749, section 2.3: who shows a proof is judged by it. The code is not used up."""
    code = await served.code()
    used = chat.form()
    tokens_of(await served.exchange(await served.code(), **used))
    stranger = make_rsa(CHAT, clock)
    for proof in (used, stranger.form(), chat.form(chat.sign(aud="https://other.example"))):
        assert error_of(await served.exchange(code, **proof)) == (401, "invalid_client")
    tokens_of(await served.exchange(code, **chat.form()))


async def test_a_client_that_wrote_its_own_document_gets_no_token_for_itself(served, chat):
    """RFC 6749, section 4.4; RFC 7662, section 2.1: anybody can publish a key, which makes nobody known here."""
    refused = await served.token(grant_type="client_credentials", **chat.form())
    assert error_of(refused) == (400, "unauthorized_client")
    refused = await served.http.post("/oauth/introspect", data={"token": "x", **chat.form()})
    assert error_of(refused) == (401, "invalid_client")
