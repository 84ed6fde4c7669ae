"""RFC 7591, with the bodies that real clients send."""

import json
import secrets

import pytest
from authlib.oauth2.rfc7591 import ClientMetadataClaims

from lazyoauth import Limits
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, Journey, error_of

CURSOR = [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
]
BODIES = {
    "Cursor": {"client_name": "Cursor", "redirect_uris": CURSOR, "application_type": "web", "token_endpoint_auth_method": "none"},
    "Claude": {
        "client_name": "Claude",
        "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_post",
        "scope": "claudeai",
    },
    "VS Code": {
        "client_name": "Visual Studio Code",
        "redirect_uris": ["http://127.0.0.1/", "http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        "application_type": "native",
        "client_uri": "https://code.visualstudio.com",
    },
    "mcp-remote": {"client_name": "MCP CLI Proxy", "redirect_uris": ["http://localhost:3334/oauth/callback"], "software_id": "x-y"},
    "nothing but a URI": {"redirect_uris": [CALLBACK]},
}


@pytest.mark.parametrize("client", BODIES)
async def test_real_clients_register_at_first_try(journey: Journey, client):
    """RFC 7591, section 3.2.1, with Authlib as the judge (it knows no private-use URIs);
    https://github.com/erp-mafia/accounted/pull/2225.
    """
    answer = await journey.http.post("/oauth/register", json=BODIES[client])
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert body["redirect_uris"] == BODIES[client]["redirect_uris"]
    assert body["client_name"] == BODIES[client].get("client_name", "")
    assert body["grant_types"] == ["authorization_code", "refresh_token"]
    assert body["response_types"] == ["code"]
    assert body["token_endpoint_auth_method"] == "none"
    assert body["client_id_issued_at"] == 1_800_000_000
    assert "client_secret" not in body, "open registration mints no secret"
    assert None not in body.values()
    if client != "Cursor":
        ClientMetadataClaims(body, {}).validate()


async def test_one_unsupported_uri_does_not_cost_the_others(journey: Journey):
    """https://github.com/soflyy/agent-connector-for-wp/issues/111: the answer lists what is kept."""
    uris = ["javascript:alert(1)", CALLBACK, "http://client.example/cb", CALLBACK, "myapp://cb"]
    answer = await journey.http.post("/oauth/register", json={"redirect_uris": uris})
    assert answer.status_code == 201
    assert answer.json()["redirect_uris"] == [CALLBACK]


@pytest.mark.parametrize(
    "uris",
    [
        *([], None, CALLBACK, [7], [CALLBACK, None]),
        ["javascript:alert(1)", "http://client.example/cb"],
        [f"{CALLBACK}{n}" for n in range(11)],
    ],
)
async def test_a_registration_without_a_usable_uri_is_refused(journey: Journey, uris):
    """RFC 7591, section 3.2.2."""
    answer = await journey.http.post("/oauth/register", json={"redirect_uris": uris})
    assert error_of(answer) == (400, "invalid_redirect_uri")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 16_000, b"redirect_uris=x", b"null"])
async def test_what_is_no_json_object_is_refused(journey: Journey, body):
    """RFC 7591, section 3.2.2."""
    assert error_of(await journey.http.post("/oauth/register", content=body)) == (400, "invalid_client_metadata")


async def test_a_large_body_is_refused_and_nothing_is_kept(journey: Journey):
    """A flood of registrations: the body is bounded, and no row is written."""
    body = json.dumps({"redirect_uris": [CALLBACK], "client_name": "x" * 20_000})
    assert error_of(await journey.http.post("/oauth/register", content=body)) == (413, "invalid_request")
    for _ in range(50):
        await journey.register()
    assert len(journey.server.config.refresh_token_states) == 0


async def test_an_id_never_grows_too_long_for_a_url(journey: Journey):
    """Ten long random URIs do not fit into one id."""
    uris = [f"https://client.example/{secrets.token_urlsafe(600)}" for _ in range(10)]
    assert error_of(await journey.http.post("/oauth/register", json={"redirect_uris": uris})) == (400, "invalid_client_metadata")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  My\n\tClient ", "My Client"),
        ("Claude\u202egnp.exe", "Claudegnp.exe"),
        ("a\u0000b\u200bc\u2066d", "abcd"),
        ("x" * 500, "x" * 80),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        (7, ""),
        (None, ""),
    ],
)
async def test_names_are_cleaned_for_the_eyes(journey: Journey, name, shown):
    """Control and direction characters can hide what a person agrees to; markup is for the page to escape."""
    answer = await journey.http.post("/oauth/register", json={"redirect_uris": [CALLBACK], "client_name": name})
    assert answer.json()["client_name"] == shown


async def test_registration_gives_no_more_than_an_id(journey: Journey):
    """RFC 7591, section 5: no scope, no lifetime, no skipped consent, no other grant."""
    grants = ["authorization_code", "client_credentials", "password"]
    wishes = {"scope": "root", "grant_types": grants, "skip_consent": True, "trusted": 1}
    await journey.register(CALLBACK, **wishes)
    client = await journey.server._issuers[0].clients.find(journey.client_id)
    assert client is not None
    assert client.grant_types == ("authorization_code",)
    assert not client.verified
    answer = await journey.http.post("/oauth/register", json={"redirect_uris": [CALLBACK], "grant_types": ["client_credentials"]})
    assert error_of(answer) == (400, "invalid_client_metadata")


async def test_registrations_are_limited_by_network(start: Start):
    """RFC 6585, section 4, in JSON."""
    journey = start(limits=Limits(registrations="2/minute"))
    await journey.register()
    await journey.register()
    answer = await journey.http.post("/oauth/register", json={"redirect_uris": [CALLBACK]})
    assert error_of(answer) == (429, "temporarily_unavailable")
    assert int(answer.headers["retry-after"]) > 0


async def test_a_whole_platform_may_register_from_one_address(journey: Journey):
    """https://github.com/jagduvi1/Cellarion/pull/785."""
    for _ in range(100):
        await journey.register()
