"""The plain values of a login."""

from lazyoauth.records import AuthorizationRequest, Client, TokenResponse
from tests.lazyoauth.journey import CALLBACK, RESOURCE


def request(uri: str) -> AuthorizationRequest:
    return AuthorizationRequest(
        client_id="c", redirect_uri=uri, scope="mcp", asked_scope="mcp", resource=RESOURCE, code_challenge="x" * 43
    )


def test_a_client_owns_what_it_registered():
    """RFC 9700, section 4.1.3."""
    client = Client(id="c", name="", redirect_uris=(CALLBACK, "http://localhost/cb"))
    assert client.redirects_to(CALLBACK)
    assert client.redirects_to("http://localhost:5000/cb")
    assert not client.redirects_to("http://127.0.0.1/cb")


def test_a_request_knows_where_the_person_will_be_sent():
    """RFC 8252, section 8.6: any program on the machine can listen on loopback."""
    assert request(CALLBACK).redirect_host == "client.example"
    assert not request(CALLBACK).leads_to_this_machine
    assert request("http://127.0.0.1:9/cb").leads_to_this_machine


def test_an_answer_has_no_empty_members():
    """RFC 6749, section 5.1."""
    answer = TokenResponse(access_token="a", expires_in_s=3600, scope="mcp")
    assert answer.to_dict() == {"access_token": "a", "token_type": "Bearer", "expires_in": 3600, "scope": "mcp"}
