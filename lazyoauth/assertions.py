"""`AssertionStore`: which client assertions were used, so that none is used twice. RFC 7523, section 3, item 7.

Every process that answers for one issuer must ask the same store, or an assertion that was seen on its way to one of them would
work at another.
"""

import time
from collections.abc import Callable
from hashlib import sha256
from typing import Protocol

MAX_REMEMBERED = 100_000


class AssertionStore(Protocol):
    """Remembers keys until they expire. `SQLAssertions` and `MemoryAssertions` are two."""

    async def spend(self, key: str, expires_at: float) -> bool:
        """Whether this is the first time; of any number of calls with one key, in any process, exactly one is told so.

        Args:
            key: 64 hexadecimal digits.
            expires_at: Unix seconds; the key may be forgotten afterwards.

        Raises:
            Exception: nothing is known. The caller answers 503.
        """
        ...


class MemoryAssertions:
    """An `AssertionStore` over a dictionary: for one process, and for as long as it runs."""

    is_shared = False

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._spent: dict[str, float] = {}

    async def spend(self, key: str, expires_at: float) -> bool:
        """Look and remember, with nothing awaited in between."""
        if key in self._spent:
            return False
        if len(self._spent) >= MAX_REMEMBERED:
            self._forget()
        self._spent[key] = expires_at
        return True

    def _forget(self) -> None:
        """Make room. Assertions are few and short-lived; so many at once are an attack, and none may be forgotten for it."""
        self._spent = {key: expires_at for key, expires_at in self._spent.items() if expires_at > self._now()}
        if len(self._spent) >= MAX_REMEMBERED:
            raise RuntimeError("too many client assertions within five minutes")


def key_of(client_id: str, jti: str) -> str:
    """What is spent. RFC 7519, section 4.1.7: a `jti` is unique for its issuer, and here that is the client."""
    return sha256(f"{len(client_id)}:{client_id}{jti}".encode()).hexdigest()
