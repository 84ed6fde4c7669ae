"""Clients that stand in the settings. RFC 6749, section 2."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from lazyoauth import ConfigError, RegisteredClient
from lazyoauth.registered import Registry, check
from tests.lazyoauth.journey import CALLBACK

SECRET = "a-secret-that-nobody-guesses"


def make_client(**changes: Any) -> RegisteredClient:
    return RegisteredClient(**{"id": "desk", "name": "Desk", "redirect_uris": (CALLBACK,), **changes})


def test_a_secret_is_kept_as_its_digest_only():
    """RFC 6749, section 10.1: whoever sees what the process holds cannot play the client."""
    client = make_client(secret=SECRET)
    assert client.secrets == (f"sha256:{sha256(SECRET.encode()).hexdigest()}",)
    assert SECRET not in f"{client!r} {client.secret} {client.to_client()!r}"
    assert "sha256" not in repr(client)
    assert replace(client, name="Other").secrets == client.secrets
    assert make_client(secrets=client.secrets) == client


def test_two_secrets_work_while_one_replaces_the_other():
    """RFC 6749, section 2.3.1."""
    registry = Registry([make_client(secrets=("the-old-secret-of-the-desk", SECRET)), make_client(id="other")])
    assert registry.knows_secret("desk", SECRET)
    assert registry.knows_secret("desk", "the-old-secret-of-the-desk")
    for wrong in ("", SECRET[:-1], SECRET + "x", make_client(secret=SECRET).secrets[0], "ü" * 30):
        assert not registry.knows_secret("desk", wrong)
    assert not registry.knows_secret("other", SECRET)
    assert not registry.knows_secret("nobody", SECRET)


@pytest.mark.parametrize(
    ("changes", "method"),
    [
        ({}, "none"),
        ({"secret": SECRET}, "client_secret"),
        ({"jwks": {"keys": [{"kty": "EC"}]}}, "private_key_jwt"),
        ({"jwks_uri": "https://desk.example/jwks"}, "private_key_jwt"),
    ],
)
def test_what_a_client_was_given_says_how_it_proves_itself(changes, method):
    """RFC 7591, section 2: token_endpoint_auth_method."""
    client = make_client(**changes)
    check([client], ["mcp"])
    assert client.to_client().auth_method == method
    assert client.to_client().kind == "registered"
    assert client.to_client().verified


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": ""}, "id of 1 to 255"),
        ({"id": "a:b"}, "without colon"),
        ({"id": "dyn1_abc"}, "register themselves"),
        ({"name": ""}, "no name"),
        ({"secret": SECRET, "jwks_uri": "https://desk.example/jwks"}, "choose one"),
        ({"jwks_uri": "http://desk.example/jwks"}, "no https URL"),
        ({"jwks": {}}, "no JWK Set"),
        ({"jwks": {"keys": ["x"]}}, "no JWK Set"),
        ({"jwks": {"keys": [{"kty": "EC", "d": "x"}]}}, "private key"),
        ({"jwks": {"keys": [{"kty": "oct", "k": "x"}]}}, "private key"),
        ({"uri": "javascript:alert(1)"}, "neither http nor https"),
        ({"grant_types": ()}, "grant_types among"),
        ({"grant_types": ("password",)}, "grant_types among"),
        ({"grant_types": ("client_credentials",), "redirect_uris": ()}, "for client_credentials"),
        ({"grant_types": ("client_credentials",), "secret": SECRET}, "only then"),
        ({"grant_types": ("refresh_token",), "redirect_uris": ()}, "without authorization_code"),
        ({"redirect_uris": ()}, "needs redirect_uris"),
        ({"redirect_uris": ("http://desk.example/",)}, "cannot be used"),
        ({"scopes": ("mcp", "admin")}, "lacks: admin"),
        ({"claims": {"mcps": ["*"]}}, "claims without client_credentials"),
    ],
)
def test_a_registration_that_cannot_work_is_refused_at_start(changes, words):
    """The sentence names the client and what is wrong."""
    with pytest.raises(ConfigError, match="RegisteredClient") as refused:
        check([make_client(**changes)], ["mcp"])
    assert words in str(refused.value)
    assert SECRET not in str(refused.value)


def test_two_clients_with_one_id_are_refused():
    """RFC 6749, section 2.2: an id is unique."""
    with pytest.raises(ConfigError, match="another client has"):
        check([make_client(), make_client()], ["mcp"])


def test_a_secret_that_can_be_guessed_is_refused():
    """RFC 6749, section 10.10."""
    with pytest.raises(ConfigError, match="22 or more") as refused:
        make_client(secret="hunter2")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("digest", ["sha256:" + "A" * 64, "sha256:" + "a" * 63, "sha256:" + "a" * 64 + " "])
def test_a_mistyped_digest_is_not_taken_for_a_secret(digest):
    """What stands in the settings would be the secret itself."""
    with pytest.raises(ConfigError, match="64 lower-case"):
        make_client(secrets=(digest,))
