"""What an issuer offers its acts."""

import logging

import pytest

from lazyauth import User
from lazyoauth.errors import TemporarilyUnavailable
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import PlainUsers


async def test_a_user_is_found_as_of_now(start: Start, users):
    """None means gone or disabled."""
    issuer = start().server._issuers[0]
    assert (await issuer.find_user("ada")).id == "ada"
    users.remove("ada")
    assert await issuer.find_user("ada") is None


async def test_an_authenticator_that_fails_is_logged_in_full_and_told_in_short(start: Start, caplog):
    """Nothing is known, so nobody's login may end for it."""

    class Away(PlainUsers):
        async def find_user(self, user_id: str) -> User | None:
            raise OSError("db.internal:5432 refused")

    issuer = start(authenticator=Away()).server._issuers[0]
    with caplog.at_level(logging.ERROR, "lazyoauth"), pytest.raises(TemporarilyUnavailable) as error:
        await issuer.find_user("ada")
    assert "db.internal" not in error.value.message
    assert "db.internal:5432 refused" in caplog.text


async def test_only_https_is_secure(start: Start):
    """Cookies go by it."""
    assert start().server._issuers[0].is_secure
    assert not start(issuer="http://localhost:3000").server._issuers[0].is_secure
