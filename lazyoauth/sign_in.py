"""Checking a password on the login page, within limits."""

from lazyauth import Credential, InvalidCredentials, Overloaded, User
from lazyoauth.errors import TemporarilyUnavailable
from lazyoauth.issuer import Issuer, unavailable
from lazyoauth.limits import network_of


async def sign_in(issuer: Issuer, credential: Credential, address: str) -> User:
    """The user whose credential this is.

    Wrong passwords count by user name and network together: nobody can lock another person out from elsewhere, and a whole
    office behind one address is not locked out by one person. A password that could not be checked does not count as wrong.

    Raises:
        InvalidCredentials: unknown, wrong or disabled, without saying which.
        TooManyRequests: too many of them.
        TemporarilyUnavailable: nothing was checked.
    """
    network, name = network_of(address), credential.identifier.strip().casefold()
    await issuer.throttle.hit("logins", network)
    # Counted before the answer is known, so that parallel guesses do not all pass while the first one is being checked.
    window = await issuer.throttle.hit("login_failures", name, network)
    try:
        user = await _check(issuer, credential)
    except TemporarilyUnavailable:
        # This one try only: clearing the count would give new guesses to whoever can overload us.
        await issuer.throttle.take_back(window, "login_failures", name, network)
        raise
    await issuer.throttle.forget("login_failures", name, network)
    return user


async def _check(issuer: Issuer, credential: Credential) -> User:
    try:
        return await issuer.authenticator.authenticate(credential)
    except InvalidCredentials:
        raise
    except Overloaded as error:
        raise TemporarilyUnavailable(str(error)) from error
    except Exception as error:
        raise unavailable("the user store", error) from error
