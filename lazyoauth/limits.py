"""How often things may be asked for, and the throttle that counts.

All people of one hosted AI platform arrive from a few addresses (https://github.com/jagduvi1/Cellarion/pull/785), so limits by
address are wide, and narrow ones go by the user. Counting is done by the `limits` library, in this process.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from importlib import import_module
from typing import Any, Self

from lazyauth import LoginThrottle
from lazyauth.throttle import network_of as network_of
from lazyoauth.errors import ConfigError, TooManyRequests

OFF = "off"
# As it is written, and as it is read: what nobody changed is not parsed at each start.
LOGIN_FAILURES, LOGIN_FAILURES_RULE = "10 per 5 minutes", (10, 300.0)


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
    login_failures: str = LOGIN_FAILURES
    documents: str = "60/minute"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value not in (OFF, field.default):
                try:
                    _rate(value)
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
    """Counts in this process, in fixed windows. `hit` alone adds.

    The library is loaded by what is counted first, in a thread: a start need not wait for it, and no other request.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = {field.name: value for field in fields(limits) if (value := getattr(limits, field.name)) != OFF}
        self._counter: _Counter | None = None

    async def hit(self, name: str, *key: str) -> None:
        """Count one, and refuse it when the limit is used up. What is refused is not counted.

        Raises:
            TooManyRequests: with the seconds until the window ends.
        """
        if name not in self._limits:
            return
        if self._counter is None:
            await asyncio.to_thread(import_module, "limits")
            # Whoever came meanwhile has begun; there is one count.
            self._counter = self._counter or _Counter(self._limits)
        await self._counter.hit(name, [sha256(each.encode()).hexdigest()[:32] for each in key])


class _Counter:
    def __init__(self, limits: Mapping[str, str]) -> None:
        from limits.aio.storage import MemoryStorage
        from limits.aio.strategies import FixedWindowRateLimiter

        self._rates = {name: _rate(value) for name, value in limits.items()}
        self._counts = MemoryStorage()
        self._windows = FixedWindowRateLimiter(self._counts)

    async def hit(self, name: str, key: Sequence[str]) -> None:
        # What a stranger typed came as a key of fixed size: no name or client id lies about in memory.
        rate = self._rates[name]
        if await self._windows.hit(rate, name, *key):
            return
        await self._counts.decr(rate.key_for(name, *key))
        stats = await self._windows.get_window_stats(rate, name, *key)
        wait_s = max(1, int(stats.reset_time - time.time()) + 1)
        raise TooManyRequests("too many requests, try again later", retry_after_s=wait_s, detail=f"limit {name} = {rate}")


def login_throttle(limits: Limits, given: LoginThrottle | None, now: Callable[[], float]) -> LoginThrottle | None:
    """The throttle of the login pages by this rule: the one given, or a new one; None when it is off."""
    if limits.login_failures == OFF:
        return None
    return (given or LoginThrottle(now=now)).with_rule(*_rule(limits.login_failures))


def _rule(failures: str) -> tuple[int, float]:
    if failures == LOGIN_FAILURES:
        return LOGIN_FAILURES_RULE
    rate = _rate(failures)
    return max(1, rate.amount), float(rate.get_expiry())


def _rate(text: str) -> Any:
    # Loaded by the first rate that is not a default: an application's configuration alone, or a local process, counts nothing.
    from limits import parse

    return parse(text)
