"""Clients with a metadata document, in whole logins: as Claude, Claude Code, ChatGPT and VS Code come, and as attackers do.

A24 to A27 of the attacks on authorization servers, as far as they are about documents; test_outbound.py and test_fetch.py have the
guards of the request itself.
"""

import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from lazyoauth import Limits
from lazyoauth.client_documents import MAX_KEPT_S, MIN_KEPT_S, USUALLY_KEPT_S, client_of
from lazyoauth.errors import InvalidClientMetadata, InvalidRedirectURI
from tests.lazyoauth.journey import Journey, error_of, tokens_of
from tests.lazyoauth.publisher import CHATGPT, CLAUDE, CLAUDE_CODE, DOCUMENTS, VSCODE, Publisher, documents, reply

EVIL = "https://client.example/c.json"
CALLBACK = "https://client.example/callback"


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    server = Publisher()
    await server.open()
    yield documents(server)
    await server.close()


@pytest.fixture
def journey(start, publisher) -> Journey:
    """A server whose client documents come from the publisher."""
    return start(test_documents=publisher.bases)


def document(**changes: Any) -> dict[str, Any]:
    made = {"client_id": EVIL, "client_name": "Client", "redirect_uris": [CALLBACK], **changes}
    return {name: value for name, value in made.items() if value is not None}


async def page(journey: Journey, client_id: str, redirect_uri: str = CALLBACK) -> tuple[int, str]:
    """The page that an authorization request leads to."""
    answer = await journey.browser().open("/oauth/authorize", journey.request(client_id=client_id, redirect_uri=redirect_uri))
    assert "location" not in answer.headers
    return answer.status_code, answer.text


@pytest.mark.parametrize(
    ("client_id", "redirect_uri", "shown"),
    [
        (CLAUDE, "https://claude.ai/api/mcp/auth_callback", "claude.ai"),
        (CLAUDE, "https://claude.com/api/mcp/auth_callback", "claude.com"),
        (CLAUDE_CODE, "http://localhost:49152/callback", "on this computer"),
        (CLAUDE_CODE, "http://127.0.0.1:3118/callback", "on this computer"),
        (CHATGPT, "https://chatgpt.com/connector/oauth/k3Rv9XqTzPw1", "chatgpt.com"),
        (VSCODE, "https://vscode.dev/redirect", "vscode.dev"),
        (VSCODE, "http://127.0.0.1:33418/", "on this computer"),
        (VSCODE, "http://127.0.0.1:51123/", "on this computer"),
    ],
)
async def test_a_client_with_a_document_logs_in_refreshes_and_calls(journey, publisher, client_id, redirect_uri, shown):
    """MCP 2026-07-28, authorization: from discovery to the call, without registration and with one request for the document."""
    metadata = (await journey.http.get("/.well-known/oauth-authorization-server")).json()
    assert metadata["client_id_metadata_document_supported"] is True
    assert "none" in metadata["token_endpoint_auth_methods_supported"]
    journey.client_id = client_id
    browser = journey.browser()
    await browser.open("/oauth/authorize", journey.request(redirect_uri=redirect_uri))
    consent = await browser.log_in()
    assert DOCUMENTS[client_id]["client_name"] in consent.text
    assert shown in consent.text
    code = (await browser.decide("allow"))["code"]
    first = tokens_of(await journey.exchange(code, redirect_uri=redirect_uri))
    second = tokens_of(await journey.refresh(first.refresh_token))
    assert (await journey.call(second.access_token)).text == "ada admin"
    assert len(publisher.heads) == 1


async def test_without_documents_such_clients_are_unknown_and_not_invited(start, publisher):
    """`Config.client_documents = False`."""
    journey = start(test_documents=publisher.bases, client_documents=False)
    metadata = (await journey.http.get("/.well-known/oauth-authorization-server")).json()
    assert "client_id_metadata_document_supported" not in metadata
    assert (await page(journey, CLAUDE, "https://claude.ai/api/mcp/auth_callback"))[0] == 400
    assert not publisher.heads


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "https://claude.ai/api/mcp/auth_callback/",
        "https://claude.ai.evil.example/api/mcp/auth_callback",
        "http://localhost:5000/callback",
        "",
    ],
)
async def test_a_redirect_uri_that_is_not_in_the_document_gets_a_page(journey, redirect_uri):
    """RFC 6749, section 4.1.2.1; MCP 2026-07-28: the requested one must be in the document."""
    assert (await page(journey, CLAUDE, redirect_uri))[0] == 400


async def test_redirect_uris_are_judged_like_those_of_a_registration(journey, publisher):
    """RFC 9700, section 4.1: bad ones are dropped, good ones beside them are kept."""
    bad = ["javascript:alert(1)", "http://client.example/callback", "https://u@client.example/", "cursor://evil/callback", CALLBACK]
    publisher.publish(EVIL, document(redirect_uris=bad))
    assert (await page(journey, EVIL))[0] == 200
    for uri in bad[:-1]:
        assert (await page(journey, EVIL, uri))[0] == 400


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"client_id": None}, InvalidClientMetadata),
        ({"client_id": EVIL + "/"}, InvalidClientMetadata),
        ({"client_id": EVIL.upper()}, InvalidClientMetadata),
        ({"client_id": EVIL.replace("c.json", "%63.json")}, InvalidClientMetadata),
        ({"client_id": CLAUDE}, InvalidClientMetadata),
        ({"client_id": [EVIL]}, InvalidClientMetadata),
        ({"client_secret": "s"}, InvalidClientMetadata),
        ({"client_secret_expires_at": 0}, InvalidClientMetadata),
        ({"token_endpoint_auth_method": "client_secret_basic"}, InvalidClientMetadata),
        ({"token_endpoint_auth_method": "private_key_jwt"}, InvalidClientMetadata),
        ({"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "http://127.0.0.1/jwks"}, InvalidClientMetadata),
        ({"jwks": {"keys": [{"kty": "EC", "d": "secret"}]}}, InvalidClientMetadata),
        ({"jwks": {"keys": [{"kty": "oct", "k": "secret"}]}}, InvalidClientMetadata),
        ({"jwks": {"keys": ["key"]}}, InvalidClientMetadata),
        ({"grant_types": ["client_credentials"]}, InvalidClientMetadata),
        ({"redirect_uris": None}, InvalidRedirectURI),
        ({"redirect_uris": []}, InvalidRedirectURI),
        ({"redirect_uris": CALLBACK}, InvalidRedirectURI),
        ({"redirect_uris": ["javascript:alert(1)"]}, InvalidRedirectURI),
        ({"redirect_uris": [CALLBACK, 1]}, InvalidRedirectURI),
    ],
)
async def test_a_document_that_describes_no_client_of_ours_is_refused(journey, publisher, changes, error):
    """draft-ietf-oauth-client-id-metadata-document, section 4.1; it is asked for once, however often it is tried."""
    with pytest.raises(error):
        client_of(EVIL, document(**changes))
    publisher.publish(EVIL, document(**changes))
    assert [(await page(journey, EVIL))[0] for _ in range(3)] == [400] * 3
    assert len(publisher.heads) == 1


@pytest.mark.parametrize("value", [[], None, "text", 1, {}])
def test_what_is_no_object_describes_nobody(value):
    with pytest.raises(InvalidClientMetadata):
        client_of(EVIL, value)


@pytest.mark.parametrize(
    ("members", "chosen"),
    [
        ({}, ("none", True)),
        ({"token_endpoint_auth_method": "none"}, ("none", True)),
        ({"token_endpoint_auth_method": "private_key_jwt"}, ("private_key_jwt", False)),
        (
            {"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"]},
            ("private_key_jwt", True),
        ),
        ({"token_endpoint_auth_method": ["client_secret_post", "none"]}, ("none", True)),
        ({"token_endpoint_auth_methods": ["none", "private_key_jwt"]}, ("private_key_jwt", True)),
        ({"token_endpoint_auth_method": None, "token_endpoint_auth_methods_supported": "none"}, ("none", True)),
    ],
)
def test_of_several_authentication_methods_one_that_we_support_is_chosen(members, chosen):
    """https://github.com/cloudflare/workers-oauth-provider/issues/293: ChatGPT prefers one and lists two."""
    client = client_of(EVIL, {**document(), "jwks_uri": "https://client.example/jwks.json"} | members)
    assert (client.auth_method, client.public) == chosen
    assert client.jwks_uri == "https://client.example/jwks.json"


def test_keys_may_stand_in_the_document():
    """RFC 7591, section 2."""
    jwks = {"keys": [{"kty": "EC", "crv": "P-256", "x": "x", "y": "y"}]}
    client = client_of(EVIL, document(token_endpoint_auth_method="private_key_jwt", jwks=jwks))
    assert (client.auth_method, client.public, client.jwks, client.jwks_uri) == ("private_key_jwt", False, jwks, "")


def test_what_a_document_says_is_made_safe_for_people():
    """Control and direction characters, length, schemes; and nobody vouches for the name."""
    client = client_of(EVIL, document(client_name=" Cl\u202eient\n\x00" + "x" * 500, client_uri="javascript:alert(1)"))
    assert client.name.startswith("Client x")
    assert len(client.name) <= 80
    assert client.uri == ""
    assert (client.kind, client.verified) == ("document", False)
    assert client.grant_types == ("authorization_code", "refresh_token")
    assert client_of(EVIL, document(client_uri="https://client.example/home")).uri == "https://client.example/home"
    for uri in ('https://x.example/">', "https://x.example/a b", "https://x.example/ü", f"https://x.example/{'y' * 300}", 1):
        assert client_of(EVIL, document(client_uri=uri)).uri == ""


async def test_every_failure_is_the_same_page_for_a_stranger(journey, publisher, caplog):
    """A25: a name that does not exist, an address of our own, a wrong type, a redirect, another's document: one page for all."""
    caplog.set_level(logging.INFO, "lazyoauth")
    publisher.answers["/client.example/html"] = reply(b"<p>", kind="text/html")
    publisher.answers["/client.example/moved"] = reply(b"", "Location: http://169.254.169.254/", status="302 Found")
    publisher.answers["/client.example/away"] = reply(b"", status="503 Away")
    publisher.publish("https://client.example/other", DOCUMENTS[CLAUDE])
    inside = [f"https://{name}/c.json" for name in ("localhost.localdomain", "no-such-name.invalid", "127.0.0.1", "a.b:8443")]
    outside = [f"https://client.example/{name}" for name in ("html", "moved", "away", "other", "absent")]
    answers = {await page(journey, url) for url in (*inside, *outside)}
    assert len(answers) == 1
    assert "content type 'text/html'" in caplog.text
    assert "169.254" not in next(iter(answers))[1]


async def test_at_the_token_endpoint_a_document_that_cannot_be_read_ends_no_login(journey, publisher, clock):
    """503 while a host is away and nothing is known of it; 401 when there is no such client."""
    publisher.answers["/client.example/c.json"] = reply(b"", status="503 Away")
    journey.client_id = EVIL
    answer = await journey.refresh("x")
    assert error_of(answer) == (503, "temporarily_unavailable")
    assert answer.headers["retry-after"]
    publisher.remove(EVIL)
    clock.now += 61
    assert error_of(await journey.refresh("x")) == (401, "invalid_client")
    journey.client_id = "https://10.0.0.1/c.json"
    assert error_of(await journey.refresh("x")) == (401, "invalid_client")


async def test_a_known_client_goes_on_while_its_host_is_away_for_a_day(journey, publisher, clock):
    publisher.publish(EVIL, document())
    journey.client_id = EVIL
    tokens = await journey.login()
    publisher.answers["/client.example/c.json"] = reply(b"", status="503 Away")
    clock.now += MAX_KEPT_S - 60
    tokens = tokens_of(await journey.refresh(tokens.refresh_token))
    clock.now += 120
    assert error_of(await journey.refresh(tokens.refresh_token)) == (503, "temporarily_unavailable")
    publisher.publish(EVIL, document())
    clock.now += 60
    assert tokens_of(await journey.refresh(tokens.refresh_token))


@pytest.mark.parametrize(
    ("header", "kept_s"),
    [
        ((), USUALLY_KEPT_S),
        (("Cache-Control: no-store",), MIN_KEPT_S),
        (("Cache-Control: max-age=1",), MIN_KEPT_S),
        (("Cache-Control: max-age=3600",), 3_600),
        (("Cache-Control: max-age=999999999",), MAX_KEPT_S),
    ],
)
async def test_a_document_is_kept_as_long_as_its_host_says_between_a_minute_and_a_day(journey, publisher, clock, header, kept_s):
    """The draft, section 4.3; RFC 9111, section 5.2.2.1."""
    publisher.publish(EVIL, document(), *header)
    await page(journey, EVIL)
    clock.now += kept_s - 1
    await page(journey, EVIL)
    assert len(publisher.heads) == 1
    clock.now += 2
    await page(journey, EVIL)
    assert len(publisher.heads) == 2


async def test_a_code_is_lost_when_the_document_no_longer_names_its_redirect_uri(journey, publisher, clock):
    """A26."""
    publisher.publish(EVIL, document(), "Cache-Control: no-store")
    await page(journey, EVIL)
    journey.client_id = EVIL
    clock.now += MIN_KEPT_S / 2
    code = await journey.code()
    publisher.publish(EVIL, document(redirect_uris=["https://client.example/new"]))
    clock.now += MIN_KEPT_S / 2
    assert error_of(await journey.exchange(code)) == (400, "invalid_grant")
    assert error_of(await journey.exchange(code, redirect_uri="https://client.example/new")) == (400, "invalid_grant")


async def test_a_later_document_can_take_a_login_away_and_give_it_nothing(journey, publisher, clock):
    """A26: fewer grants, another way to authenticate, no document: each ends or stops the login; more is not had by asking."""
    publisher.publish(EVIL, document())
    journey.client_id = EVIL
    tokens = await journey.login(scope="mcp")
    later = [
        document(grant_types=["authorization_code"]),
        document(token_endpoint_auth_method="private_key_jwt", jwks_uri="https://client.example/jwks.json"),
        document(client_id=CLAUDE),
    ]
    errors = []
    for changed in later:
        publisher.publish(EVIL, changed)
        clock.now += USUALLY_KEPT_S
        errors.append(error_of(await journey.refresh(tokens.refresh_token))[1])
    assert errors == ["unauthorized_client", "invalid_client", "invalid_client"]
    publisher.publish(EVIL, document(scope="mcp admin"))
    clock.now += USUALLY_KEPT_S
    assert tokens_of(await journey.refresh(tokens.refresh_token)).scope == tokens.scope


async def test_a_document_may_want_no_refresh_token(journey, publisher):
    """RFC 7591, section 2: grant_types."""
    publisher.publish(EVIL, document(grant_types=["authorization_code"]))
    journey.client_id = EVIL
    assert not (await journey.login()).refresh_token


async def test_a_code_belongs_to_the_document_that_it_was_given_for(journey, publisher):
    """A5: another document with the same redirect URI is another client."""
    other = "https://client.example/other.json"
    publisher.publish(EVIL, document())
    publisher.publish(other, document(client_id=other))
    journey.client_id = EVIL
    code = await journey.code()
    assert error_of(await journey.exchange(code, client_id=other)) == (400, "invalid_grant")
    assert tokens_of(await journey.exchange(code))


async def test_a_thousand_documents_are_no_more_requests_than_the_limit(start, publisher):
    """A27: `documents` of LAZYOAUTH_LIMITS, by host; the document that people use is kept meanwhile."""
    journey = start(test_documents=publisher.bases, limits=Limits(documents="20/minute"))
    claude = "https://claude.ai/api/mcp/auth_callback"
    assert (await page(journey, CLAUDE, claude))[0] == 200
    statuses = [(await page(journey, f"https://claude.ai/{number}", claude))[0] for number in range(100)]
    assert statuses.count(400) == 19
    assert statuses.count(429) == 81
    assert len(publisher.heads) == 20
    assert (await page(journey, CLAUDE, claude))[0] == 200


def test_the_documents_of_this_test_fit_into_five_kilobytes():
    assert all(len(json.dumps(known)) < 5_120 for known in DOCUMENTS.values())
