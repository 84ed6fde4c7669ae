"""The way in: what a challenge says, and where documents are looked for."""

import pytest

from lazyapp.doctor.probe import Answer
from lazyapp.doctor.visit import challenge_of, server_places, strings


@pytest.mark.parametrize(
    ("header", "parameters"),
    [
        ('Bearer resource_metadata="https://a/b", scope="mcp admin"', {"resource_metadata": "https://a/b", "scope": "mcp admin"}),
        ("bearer error=invalid_token", {"error": "invalid_token"}),
        ('Basic realm="x", Bearer error="invalid_token"', {"error": "invalid_token"}),
        ('Basic realm="Bearer"', {}),
        ("", {}),
    ],
)
def test_a_challenge_is_read_as_it_is_written(header: str, parameters: dict[str, str]) -> None:
    """RFC 9110, section 11.6.1; RFC 6750, section 3."""
    assert challenge_of(Answer("https://a", 401, {"www-authenticate": header})) == parameters


def test_documents_are_looked_for_where_clients_look() -> None:
    """RFC 8414, section 3.1; OpenID Connect Discovery, section 4."""
    assert server_places("https://a.example") == [
        "https://a.example/.well-known/oauth-authorization-server",
        "https://a.example/.well-known/openid-configuration",
    ]
    assert server_places("https://a.example/tenant/") == [
        "https://a.example/.well-known/oauth-authorization-server/tenant",
        "https://a.example/.well-known/openid-configuration/tenant",
        "https://a.example/tenant/.well-known/openid-configuration",
    ]


def test_a_list_of_strings_is_one_or_empty() -> None:
    assert strings(["a", 1, None, "b"]) == ["a", "b"]
    assert strings("a") == strings(None) == []
