"""RFC 8414 and RFC 9728."""

import pytest
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

from lazyoauth import ConfigError, RegisteredClient
from lazyoauth.metadata import server_document, validate
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import CALLBACK, ISSUER, RESOURCE, Journey, arriving

SERVER_PATHS = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
]
RESOURCE_PATHS = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]


@pytest.mark.parametrize("path", SERVER_PATHS)
async def test_the_servers_document_is_at_every_form_of_its_address(journey: Journey, path):
    """RFC 8414, sections 2, 3.1 and 3.3; RFC 9207, section 3; Authlib is the judge."""
    answer = await journey.http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "public, max-age=300"
    document = answer.json()
    AuthorizationServerMetadata(document).validate()
    assert document["issuer"] == ISSUER
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["authorization_response_iss_parameter_supported"] is True
    assert "none" in document["token_endpoint_auth_methods_supported"]
    assert document["scopes_supported"] == ["mcp", "offline_access"]
    assert None not in document.values()
    assert not any("id_token" in name for name in document), "OpenID Connect is not offered"


async def test_every_endpoint_in_the_document_answers(journey: Journey):
    """RFC 8414, section 2."""
    document = (await journey.http.get(SERVER_PATHS[0])).json()
    for name, url in document.items():
        if name.endswith(("_endpoint", "_uri")):
            assert url.startswith(f"{ISSUER}/")
            assert (await journey.http.get(url)).status_code != 404, name


SECRET = "a-secret-that-nobody-guesses"
OWN = ("client_credentials",)
WITH_A_SECRET = RegisteredClient(id="one", name="One", redirect_uris=(CALLBACK,), secret=SECRET)
WITH_A_KEY = RegisteredClient(id="two", name="Two", grant_types=OWN, jwks={"keys": [{"kty": "EC"}]})
WITH_NOTHING = RegisteredClient(id="three", name="Three", redirect_uris=(CALLBACK,))
ALWAYS = ["none", "private_key_jwt"]
SECRETS = ["client_secret_basic", "client_secret_post"]


@pytest.mark.parametrize(
    ("clients", "methods", "introspection", "grants"),
    [
        ((), ALWAYS, None, []),
        ((WITH_NOTHING,), ALWAYS, None, []),
        ((WITH_A_SECRET,), ALWAYS + SECRETS, ["private_key_jwt", *SECRETS], []),
        ((WITH_A_KEY,), ALWAYS, ["private_key_jwt"], list(OWN)),
        ((WITH_A_KEY, WITH_A_SECRET), ALWAYS + SECRETS, ["private_key_jwt", *SECRETS], list(OWN)),
    ],
)
async def test_the_document_says_how_clients_may_prove_themselves(start: Start, clients, methods, introspection, grants):
    """RFC 8414, section 2: what is offered, and the algorithms wherever private_key_jwt is; Authlib is the judge."""
    document = (await start(clients=clients).http.get(SERVER_PATHS[0])).json()
    AuthorizationServerMetadata(document).validate()
    for endpoint in ("token", "revocation"):
        assert document[f"{endpoint}_endpoint_auth_methods_supported"] == methods
        assert document[f"{endpoint}_endpoint_auth_signing_alg_values_supported"] == ["RS256", "ES256"]
    assert document.get("introspection_endpoint") == (f"{ISSUER}/oauth/introspect" if introspection else None)
    assert document.get("introspection_endpoint_auth_methods_supported") == introspection
    assert document["grant_types_supported"] == ["authorization_code", "refresh_token", *grants]
    assert SECRET not in str(document)


@pytest.mark.parametrize("path", RESOURCE_PATHS)
async def test_the_resources_document_is_the_same_at_both_addresses(start: Start, path):
    """RFC 9728, sections 2 and 3.1; https://github.com/google-gemini/gemini-cli/issues/15754; SEP-2207 for offline_access."""
    answer = await start(name="Example").http.get(path)
    assert answer.json() == {
        "resource": RESOURCE,
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["mcp"],
        "resource_name": "Example",
    }
    assert "resource_name" not in (await start().http.get(path)).json()


async def test_the_key_set_is_public_and_complete(start: Start):
    """RFC 7517, section 5: tokens of the secret before this one can still be verified."""
    journey = start(secret_fallbacks=("f" * 32,))
    keys = (await journey.http.get("/oauth/jwks")).json()["keys"]
    assert len(keys) == 2
    assert not any("d" in key for key in keys)


FORGED = {
    "host": "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
    "forwarded": "host=evil.example",
}


@pytest.mark.parametrize("path", [*SERVER_PATHS, *RESOURCE_PATHS])
async def test_a_forged_host_gets_into_no_document(start: Start, path):
    """The issuer comes from configuration, never from Host or X-Forwarded headers."""
    journey = start(local_issuers=("http://localhost:3000", "http://127.0.0.1:3000"))
    plain = (await journey.http.get(path)).text
    assert (await journey.http.get(path, headers=FORGED)).text == plain
    assert "evil" not in plain


async def test_a_forged_host_gets_into_no_challenge_and_no_answer(start: Start):
    """RFC 9728, section 5.1; RFC 9207, section 2: neither into what a client follows next."""
    journey = start(local_issuers=("http://localhost:3000",))
    await journey.register()
    challenge = await journey.http.post("/mcp", headers=FORGED)
    assert f'resource_metadata="{ISSUER}/' in challenge.headers["www-authenticate"]
    answer = await journey.http.get("/oauth/authorize", params=journey.request(response_type="token"), headers=FORGED)
    assert arriving(answer)["iss"] == ISSUER
    page = await journey.http.get("/oauth/authorize", params=journey.request(), headers=FORGED)
    for seen in (challenge, answer, page):
        assert "evil" not in f"{seen.headers} {seen.text}"


@pytest.mark.parametrize("name", ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"])
async def test_in_development_the_name_that_was_asked_is_the_issuer(start: Start, name):
    """RFC 8414, section 3.3: clients compare the issuer with the address they used."""
    names = ("http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000")
    journey = start(issuer=names[0], local_issuers=names)
    document = (await journey.http.get(SERVER_PATHS[0], headers={"host": name})).json()
    assert document["issuer"] == f"http://{name}"
    assert document["token_endpoint"] == f"http://{name}/oauth/token"
    resource = (await journey.http.get(RESOURCE_PATHS[1], headers={"host": name})).json()
    assert resource["resource"] == f"http://{name}/mcp"
    assert resource["authorization_servers"] == [f"http://{name}"]


def test_a_document_that_breaks_the_standard_is_refused_at_start():
    """RFC 8414, section 2, with Authlib as the judge."""
    validate(server_document("http://localhost:3000", ["mcp"]))
    for broken in ({"scopes_supported": "mcp"}, {"response_types_supported": None}, {"jwks_uri": "http://elsewhere.example/"}):
        with pytest.raises(ConfigError, match="RFC 8414"):
            validate(server_document(ISSUER, ["mcp"]) | broken)
