"""Passwords within limits."""

import asyncio

import pytest

from lazyauth import Credential, InvalidCredentials, Overloaded, User
from lazyoauth import Limits
from lazyoauth.errors import TemporarilyUnavailable, TooManyRequests
from lazyoauth.sign_in import sign_in
from tests.lazyoauth.conftest import Start
from tests.lazyoauth.journey import PASSWORD, PlainUsers

RIGHT, WRONG = Credential("ada", PASSWORD), Credential("ada", "wrong")
HOME, ABROAD = "192.0.2.7", "198.51.100.7"


async def test_guessing_is_throttled_without_locking_the_owner_out(start: Start):
    """NIST SP 800-63B, section 5.2.2: by user and network together; the owner still signs in from elsewhere."""
    issuer = start(limits=Limits(login_failures="3/minute")).server._issuers[0]
    for _ in range(3):
        with pytest.raises(InvalidCredentials):
            await sign_in(issuer, WRONG, HOME)
    with pytest.raises(TooManyRequests):
        await sign_in(issuer, RIGHT, HOME)
    with pytest.raises(TooManyRequests):
        await sign_in(issuer, Credential(" ADA ", "wrong"), "192.0.2.99")
    assert (await sign_in(issuer, RIGHT, ABROAD)).id == "ada"
    with pytest.raises(InvalidCredentials):
        await sign_in(issuer, Credential("bob", "wrong"), HOME)


async def test_parallel_guesses_count_before_they_are_answered(start: Start):
    """Otherwise a hundred of them pass while the first is being checked."""
    issuer = start(limits=Limits(login_failures="3/minute")).server._issuers[0]
    results = await asyncio.gather(*(sign_in(issuer, WRONG, HOME) for _ in range(10)), return_exceptions=True)
    assert [type(result) for result in results].count(InvalidCredentials) == 3
    assert [type(result) for result in results].count(TooManyRequests) == 7


async def test_who_signs_in_rightly_is_not_counted(start: Start):
    """A person with many clients signs in often."""
    issuer = start(limits=Limits(login_failures="3/minute")).server._issuers[0]
    for _ in range(5):
        await sign_in(issuer, RIGHT, HOME)


async def test_one_network_may_send_so_many_forms(start: Start):
    """The coarse limit, whatever names are tried."""
    issuer = start(limits=Limits(logins="2/minute")).server._issuers[0]
    for name in ("a", "b"):
        with pytest.raises(InvalidCredentials):
            await sign_in(issuer, Credential(name, "x"), HOME)
    with pytest.raises(TooManyRequests):
        await sign_in(issuer, Credential("c", "x"), HOME)


@pytest.mark.parametrize("error", [Overloaded(), OSError("connection refused")])
async def test_when_nothing_was_checked_nobody_is_called_wrong(start: Start, error):
    """503 and a sentence, not "wrong password"."""

    class Away(PlainUsers):
        async def authenticate(self, credential: Credential) -> User:
            raise error

    issuer = start(authenticator=Away()).server._issuers[0]
    with pytest.raises(TemporarilyUnavailable) as refused:
        await sign_in(issuer, RIGHT, HOME)
    assert "refused" not in refused.value.message
