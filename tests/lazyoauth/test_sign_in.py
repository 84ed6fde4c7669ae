"""Passwords within limits."""

import asyncio
from collections import Counter

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


class Flaky(PlainUsers):
    """Users whose store is away as long as a test wants it to be."""

    def __init__(self) -> None:
        super().__init__()
        self.add("ada", PASSWORD, [])
        self.error: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def authenticate(self, credential: Credential) -> User:
        await self.gate.wait()
        if self.error:
            raise self.error
        return await super().authenticate(credential)


def kinds(results: list[object]) -> dict[str, int]:
    return dict(Counter(type(result).__name__ for result in results))


@pytest.mark.parametrize("error", [Overloaded(), TemporarilyUnavailable("later"), OSError("connection refused")])
async def test_what_was_not_checked_does_not_count_as_wrong(start: Start, error):
    """The owner tries again and again while the user store is away, and gets in when it is back; one after another, or at once."""
    users = Flaky()
    issuer = start(authenticator=users, limits=Limits(login_failures="3/minute")).server._issuers[0]
    users.error = error
    for _ in range(5):
        with pytest.raises(TemporarilyUnavailable) as refused:
            await sign_in(issuer, RIGHT, HOME)
        assert not isinstance(refused.value, TooManyRequests)
    users.gate.clear()
    tries = [asyncio.create_task(sign_in(issuer, RIGHT, HOME)) for _ in range(10)]
    await asyncio.sleep(0)
    users.gate.set()
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert kinds(results) == {"TemporarilyUnavailable": 3, "TooManyRequests": 7}
    users.error = None
    assert (await sign_in(issuer, RIGHT, HOME)).id == "ada"


async def test_a_store_that_fails_gives_no_further_guesses(start: Start):
    """Wrong passwords stay counted, whatever fails between them."""
    users = Flaky()
    issuer = start(authenticator=users, limits=Limits(login_failures="3/minute")).server._issuers[0]
    for _ in range(3):
        users.error = Overloaded()
        with pytest.raises(TemporarilyUnavailable):
            await sign_in(issuer, RIGHT, HOME)
        users.error = None
        with pytest.raises(InvalidCredentials):
            await sign_in(issuer, WRONG, HOME)
    with pytest.raises(TooManyRequests):
        await sign_in(issuer, RIGHT, HOME)


async def test_parallel_guesses_stay_counted_while_the_store_fails_for_some(start: Start):
    """While three are in the air no fourth is let in, and each of them is taken back at most once."""
    users = Flaky()
    issuer = start(authenticator=users, limits=Limits(login_failures="3/minute")).server._issuers[0]
    users.gate.clear()
    tries = [asyncio.create_task(sign_in(issuer, WRONG, HOME)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyRequests):
        await sign_in(issuer, WRONG, HOME)
    users.error = Overloaded()
    users.gate.set()
    assert kinds(await asyncio.gather(*tries, return_exceptions=True)) == {"TemporarilyUnavailable": 3}
    users.error = None
    results = await asyncio.gather(*(sign_in(issuer, WRONG, HOME) for _ in range(10)), return_exceptions=True)
    assert kinds(results) == {"InvalidCredentials": 3, "TooManyRequests": 7}
