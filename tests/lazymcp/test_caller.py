"""Whose a request is."""

import pytest

from lazyauth import Claims, User, signed_in
from lazymcp.caller import caller


@pytest.mark.parametrize(
    ("user", "claims", "expected"),
    [
        ("ann", {"sub": "ann", "client_id": "app"}, "sub:ann"),
        ("robot", {"client_id": "robot"}, "client:robot"),
        ("x", {"sub": "client:robot"}, "sub:client:robot"),
        # The user of a local process, who brings no token.
        ("ann", None, "user:ann"),
    ],
)
def test_a_request_is_who_the_token_speaks_for(user, claims, expected):
    """A token without a subject is its client's, and no name makes one caller look like another."""
    assert caller() == ""
    with signed_in(User(user), None if claims is None else Claims(claims)):
        assert caller() == expected
