"""How often things may be asked for, and the throttle that counts.

All people of one hosted AI platform arrive from a few addresses (https://github.com/jagduvi1/Cellarion/pull/785), so limits by
address are wide, and narrow ones go by the user. Counting is done by the `limits` library, in this process.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any, Self

from lazyauth import LoginThrottle
from lazyauth.throttle import network_of as network_of
from lazyoauth.errors import ConfigError, TooManyRequests

OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Rates in the words of the limits library ("500/minute"), or "off".

    Attributes:
        registrations: dynamic registrations, by network. They are stateless, so this guards the processor only.
        tokens: token requests, by network and client.
        logins: login forms sent, by network.
        login_failures: so many wrong passwords a user name and network have before each further one makes the next try wait, at
            most for the time named; see `lazyauth.LoginThrottle`.
        documents: fetches of client documents, by host.

    Raises:
        ConfigError: a value is neither a rate nor "off".
    """

    registrations: str = "1000/minute"
    tokens: str = "3000/minute"
    logins: str = "300/minute"
    login_failures: str = "10 per 5 minutes"
    documents: str = "60/minute"

    def __post_init__(self) -> None:
        parse_rate = _rate_parser()
        for field in fields(self):
            value = getattr(self, field.name)
            if value != OFF:
                try:
                    parse_rate(value)
                except ValueError as error:
                    raise ConfigError(f'the limit {field.name}={value} must be a rate such as "500/minute", or "{OFF}"') from error

    @classmethod
    def parse(cls, text: str) -> Self:
        """Limits from `LAZYOAUTH_LIMITS`: `registrations=off,tokens=500/minute`; what is not named keeps its default.

        Raises:
            ConfigError: an unknown name, or a value that is no rate.
        """
        return replace(cls(), **_pairs(text))

    def override(self, text: str) -> Self:
        """These limits, with those named in `LAZYOAUTH_LIMITS` in place of their own."""
        return replace(self, **_pairs(text))


def _pairs(text: str) -> dict[str, str]:
    names = [field.name for field in fields(Limits)]
    found: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or name not in names:
            raise ConfigError(f"{item!r} is no limit; write name=rate with a name of {', '.join(names)}")
        found[name] = value
    return found


class Throttle:
    """Counts in this process, in fixed windows. `hit` alone adds."""

    def __init__(self, limits: Limits) -> None:
        from limits.aio.storage import MemoryStorage
        from limits.aio.strategies import FixedWindowRateLimiter

        parse_rate = _rate_parser()
        self._rates: dict[str, Any] = {
            field.name: parse_rate(value) for field in fields(limits) if (value := getattr(limits, field.name)) != OFF
        }
        self._counts = MemoryStorage()
        self._counter = FixedWindowRateLimiter(self._counts)

    async def hit(self, name: str, *key: str) -> None:
        """Count one, and refuse it when the limit is used up. What is refused is not counted.

        Raises:
            TooManyRequests: with the seconds until the window ends.
        """
        rate = self._rates.get(name)
        if rate is None:
            return
        counted = rate.key_for(name, *map(_short, key))
        if not await self._counter.hit(rate, name, *map(_short, key)):
            await self._counts.decr(counted)
            raise await self._refusal(rate, name, *key)

    async def _refusal(self, rate: Any, name: str, *key: str) -> TooManyRequests:
        stats = await self._counter.get_window_stats(rate, name, *map(_short, key))
        wait_s = max(1, int(stats.reset_time - time.time()) + 1)
        return TooManyRequests("too many requests, try again later", retry_after_s=wait_s, detail=f"limit {name} = {rate}")


def login_throttle(limits: Limits, given: LoginThrottle | None, now: Callable[[], float]) -> LoginThrottle | None:
    """The throttle of the login pages by this rule: the one given, or a new one; None when it is off."""
    if limits.login_failures == OFF:
        return None
    rate = _rate_parser()(limits.login_failures)
    return (given or LoginThrottle(now=now)).with_rule(max(1, rate.amount), float(rate.get_expiry()))


def _short(key: str) -> str:
    # What a stranger typed becomes a key of fixed size, and no name or client id lies about in memory.
    return sha256(key.encode()).hexdigest()[:32]


def _rate_parser() -> Callable[[str], Any]:
    # Loaded by the first server: an application's configuration alone, or a local process, counts nothing.
    from limits import parse

    return parse
