"""Checking a password on the login page, within limits."""

from lazyauth import Credential, InvalidCredentials, Overloaded, TooManyTries, User, network_of
from lazyoauth.errors import TemporarilyUnavailable, TooManyRequests
from lazyoauth.issuer import Issuer, unavailable


async def sign_in(issuer: Issuer, credential: Credential, address: str) -> User:
    """The user whose credential this is.

    Wrong passwords count by user name, within a network and everywhere (see `lazyauth.LoginThrottle`): nobody can lock another
    person out, and a whole office behind one address is not held up by one person. A password that could not be checked does not
    count as wrong.

    Raises:
        InvalidCredentials: unknown, wrong or disabled, without saying which; always, where passwords are no way in.
        TooManyRequests: too many of them.
        TemporarilyUnavailable: nothing was checked.
    """
    if not issuer.config.passwords:
        raise InvalidCredentials
    await issuer.throttle.hit("logins", network_of(address))
    try:
        return await _check(issuer, credential, address)
    except InvalidCredentials:
        raise
    except TooManyTries as error:
        raise TooManyRequests(str(error), retry_after_s=error.retry_after_s, detail="limit login_failures") from error
    except Overloaded as error:
        raise TemporarilyUnavailable(str(error)) from error
    except Exception as error:
        raise unavailable("the user store", error) from error


async def _check(issuer: Issuer, credential: Credential, address: str) -> User:
    if issuer.login_throttle is None:
        return await issuer.authenticator.authenticate(credential)
    return await issuer.login_throttle.authenticate(issuer.authenticator, credential, address)
