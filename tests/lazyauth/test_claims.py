import pytest

from lazyauth import Claims

VALUES = {"sub": "ada", "client_id": "c1", "scope": "mcp offline_access", "mcps": ["admin", "shop"], "tenant": {"id": 7}}


def test_claims_are_read_by_name():
    claims = Claims(VALUES)
    assert (claims.subject, claims.client_id, claims.mcps) == ("ada", "c1", ("admin", "shop"))
    assert claims.scopes == {"mcp", "offline_access"}
    assert claims.get("tenant") == {"id": 7}
    assert claims.get("absent") is None
    assert claims.get("absent", 5) == 5


def test_a_scope_is_there_or_not():
    """The promise "Authorize modules": the authorizer asks whether the claims have a scope."""
    claims = Claims({"scope": "mcp:admin"})
    assert claims.has_scope("mcp:admin")
    assert not claims.has_scope("mcp")
    assert not claims.has_scope("mcp:admin offline_access")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (["*"], ("*",)),
        ("admin shop", ("admin", "shop")),
        ("", ()),
        (None, ()),
        (True, ()),
        (7, ()),
        ({"admin": True}, ()),
        (["admin", 7, None, ""], ("admin",)),
    ],
)
def test_a_malformed_list_of_modules_opens_nothing(value, words):
    """The promise "Authorize modules": a token without that claim can access no module."""
    assert Claims({"mcps": value}).mcps == words


def test_empty_claims_are_nobodys():
    claims = Claims({})
    assert (claims.subject, claims.client_id, claims.scopes, claims.mcps) == ("", "", frozenset(), ())


def test_claims_cannot_be_changed_from_outside():
    given = dict(VALUES)
    claims = Claims(given)
    given["sub"] = "eve"
    claims.as_dict()["sub"] = "eve"
    assert claims.get("sub") == "ada"
    with pytest.raises(AttributeError):
        claims.other = 1  # type: ignore[attr-defined]


def test_the_representation_shows_only_what_is_known_to_be_harmless():
    assert "7" not in repr(Claims(VALUES))
    assert "admin" in repr(Claims(VALUES))
