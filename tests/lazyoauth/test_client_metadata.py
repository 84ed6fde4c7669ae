"""What clients say about themselves, as registrations and documents share it."""

import pytest

from lazyoauth import client_metadata
from lazyoauth.errors import InvalidClientMetadata, InvalidRedirectURI

CALLBACK = "https://client.example/callback"


def test_redirect_uris_that_we_do_not_accept_are_left_out():
    """https://github.com/soflyy/agent-connector-for-wp/issues/111: one bad entry must not cost the good ones."""
    given = {"redirect_uris": ["javascript:alert(1)", CALLBACK, CALLBACK, "http://localhost/callback", "data:,x"]}
    assert client_metadata.redirect_uris(given, 5) == (CALLBACK, "http://localhost/callback")
    with pytest.raises(InvalidRedirectURI):
        client_metadata.redirect_uris(given, 4)


@pytest.mark.parametrize("value", [None, [], "https://client.example/", {}, [1], ["javascript:alert(1)"]])
def test_without_a_redirect_uri_there_is_no_client(value):
    """RFC 7591, section 2."""
    with pytest.raises(InvalidRedirectURI):
        client_metadata.redirect_uris({"redirect_uris": value}, 5)


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        (None, ("authorization_code", "refresh_token")),
        ([], ("authorization_code", "refresh_token")),
        ("authorization_code", ("authorization_code", "refresh_token")),
        (["refresh_token", "urn:x", "authorization_code"], ("authorization_code", "refresh_token")),
        (["authorization_code"], ("authorization_code",)),
    ],
)
def test_grant_types_that_we_do_not_know_are_left_out(asked, granted):
    """https://github.com/anthropics/claude-ai-mcp/issues/42: who names none may stay connected."""
    assert client_metadata.grant_types({"grant_types": asked}) == granted


def test_a_client_that_people_cannot_sign_in_to_is_refused():
    with pytest.raises(InvalidClientMetadata):
        client_metadata.grant_types({"grant_types": ["client_credentials"]})


def test_names_and_home_pages_are_made_safe():
    """What is shown to people: one line, and links that are http or https only."""
    assert client_metadata.name({"client_name": "A\u202e\nB"}) == "A B"
    assert client_metadata.name({"client_name": 1}) == client_metadata.name({}) == ""
    assert client_metadata.uri({"client_uri": "https://client.example/"}) == "https://client.example/"
    for value in (
        "javascript:alert(1)",
        "//client.example",
        'https://client.example/"',
        "https://client.example/" + "x" * 300,
        None,
    ):
        assert client_metadata.uri({"client_uri": value}) == ""
