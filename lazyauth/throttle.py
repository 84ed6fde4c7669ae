"""`LoginThrottle`: wrong passwords make the next try wait, ever longer, and lock nobody out.

Two counts a try: one for the user name in one network, one for the user name wherever it is tried. After `free` wrong passwords the
first doubles its wait from a second up to `longest_s`; the second begins five times later and never waits long, for a stranger with
many networks must not keep the owner out. It never holds up a network in which the owner signed in before.
Unknown names count like known ones, or the count would tell them apart.

State: the tallies of this process and, if it has one, of a `LoginFailures`; the tries that are being checked; the networks that
proved good.
`authenticate` alone changes them. A wrong password is one write, a right one none unless wrong ones came before.
"""

import ipaddress
import logging
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Protocol, Self

from lazyauth.authenticator import Authenticator
from lazyauth.credential import Credential
from lazyauth.errors import InvalidCredentials, TooManyTries
from lazyauth.user import User

logger = logging.getLogger("lazyauth")

# A person's count spans all networks, so it bears more before it waits, and never waits longer than a person would.
PERSON_FREE_TIMES, PERSON_LONGEST_S = 5, 30.0
FORGOTTEN_AFTER_S = 3_600.0
REMEMBERED = 65_536


class Tally(NamedTuple):
    """Wrong passwords so far, and when the last of them came (Unix seconds)."""

    failures: int
    last_at: float


class LoginFailures(Protocol):
    """Where the processes of an application keep their tallies together; `SQLLoginFailures` is one."""

    async def read(self, keys: Sequence[str]) -> Mapping[str, Tally]:
        """The tallies of those keys that have one."""
        ...

    async def add(self, keys: Sequence[str], now: float, since: float) -> None:
        """Count one for each key, in one step; a tally whose last came at `since` or before begins anew."""
        ...

    async def clear(self, key: str) -> None:
        """Forget a tally."""
        ...


class _Tallies:
    """The tallies of this process, of which the newest are kept. Nothing here is awaited."""

    def __init__(self) -> None:
        self._tallies: OrderedDict[str, Tally] = OrderedDict()

    def read(self, keys: Sequence[str]) -> dict[str, Tally]:
        return {key: self._tallies[key] for key in keys if key in self._tallies}

    def add(self, keys: Sequence[str], now: float, since: float) -> None:
        for key in keys:
            before = self._tallies.pop(key, Tally(0, 0.0))
            self._tallies[key] = Tally(before.failures + 1 if before.last_at > since else 1, now)
            if len(self._tallies) > REMEMBERED:
                self._tallies.popitem(last=False)

    def clear(self, key: str) -> None:
        self._tallies.pop(key, None)


@dataclass(frozen=True, slots=True)
class _Count:
    """One of the two counts of a try, and its rule."""

    key: str
    free: int
    longest_s: float


class LoginThrottle:
    """Lets credentials be checked, or says how long to wait.

    Args:
        failures: where other processes' tallies are kept too; None: this process is alone.
        free: how many wrong passwords a user name and network have before they wait.
        longest_s: the longest wait.
        now: the clock, Unix seconds.
    """

    def __init__(
        self,
        failures: LoginFailures | None = None,
        *,
        free: int = 10,
        longest_s: float = 300.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        # What this process saw itself counts here at once, whether or not others can be told of it.
        self._own = _Tallies()
        self._shared = failures
        self._free, self._longest_s, self._now = free, longest_s, now
        self._checking: Counter[str] = Counter()
        self._proved: OrderedDict[str, None] = OrderedDict()

    def with_rule(self, free: int, longest_s: float) -> Self:
        """The same throttle, all that it counted included, by another rule."""
        other = copy(self)
        other._free, other._longest_s = free, longest_s
        return other

    async def authenticate(self, authenticator: Authenticator, credential: Credential, address: str) -> User:
        """The user whose credential this is, if it may be tried now.

        A try that could not be checked (any error but InvalidCredentials) counts for nothing.

        Args:
            authenticator: checks the credential.
            credential: as it was typed.
            address: where it came from; counted by its network.

        Raises:
            TooManyTries: nothing was checked.
            InvalidCredentials: unknown, wrong or disabled.
        """
        name, network = credential.identifier.strip().casefold(), network_of(address)
        pair = _Count(_key(name, network), self._free, self._longest_s)
        person = _Count(_key(name), self._free * PERSON_FREE_TIMES, min(self._longest_s, PERSON_LONGEST_S))
        keys = sorted((pair.key, person.key))
        shared = await self._read(keys)
        # From here to the count of what is being checked nothing is awaited: parallel tries see each other.
        counts = (pair,) if pair.key in self._proved else (pair, person)
        if wait_s := max(self._wait_s(count, shared) for count in counts):
            raise TooManyTries(math.ceil(wait_s))
        with self._being_checked(keys):
            try:
                user = await authenticator.authenticate(credential)
            except InvalidCredentials:
                await self._count(keys)
                raise
        await self._prove(pair.key, failed_before=pair.key in {*shared, *self._own.read(keys)})
        return user

    def _wait_s(self, count: _Count, shared: Mapping[str, Tally]) -> float:
        """Seconds until the next try; a tally that is counted in two places counts where it is higher."""
        now = self._now()
        known = [tallies[count.key] for tallies in (shared, self._own.read([count.key])) if count.key in tallies]
        known = [tally for tally in known if now - tally.last_at < FORGOTTEN_AFTER_S]
        failures = max((tally.failures for tally in known), default=0)
        checking = self._checking[count.key]
        if failures + checking < count.free:
            return 0.0
        if checking:
            return 1.0
        last_at = max(tally.last_at for tally in known)
        delay_s = min(count.longest_s, 2.0 ** min(failures - count.free, 32))
        # A clock that went back must not make anybody wait for more than the delay.
        return max(0.0, min(delay_s, last_at + delay_s - now))

    @contextmanager
    def _being_checked(self, keys: Sequence[str]) -> Iterator[None]:
        self._checking.update(keys)
        try:
            yield
        finally:
            self._checking.subtract(keys)
            for key in keys:
                if self._checking[key] <= 0:
                    del self._checking[key]

    async def _read(self, keys: Sequence[str]) -> Mapping[str, Tally]:
        if self._shared is None:
            return {}
        try:
            return await self._shared.read(keys)
        except Exception as error:
            _warn(error)
            return {}

    async def _count(self, keys: Sequence[str]) -> None:
        now = self._now()
        self._own.add(keys, now, now - FORGOTTEN_AFTER_S)
        if self._shared is not None:
            try:
                await self._shared.add(keys, now, now - FORGOTTEN_AFTER_S)
            except Exception as error:
                _warn(error)

    async def _prove(self, key: str, *, failed_before: bool) -> None:
        """The owner signed in from this network: its wrong passwords were slips, and other networks' shall not hold it up.

        The count of the person stays, or an attacker elsewhere would have new tries after each of the owner's logins.
        """
        self._own.clear(key)
        self._proved[key] = None
        self._proved.move_to_end(key)
        if len(self._proved) > REMEMBERED:
            self._proved.popitem(last=False)
        if failed_before and self._shared is not None:
            try:
                await self._shared.clear(key)
            except Exception as error:
                _warn(error)


def network_of(address: str) -> str:
    """The network that an address stands for: its /24, or its /64, which is what one subscriber can move about in."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return str(ipaddress.ip_network((ip, 24 if ip.version == 4 else 64), strict=False))


def _key(*parts: str) -> str:
    # What a stranger typed becomes a key of fixed size, and no user name lies about in memory or table.
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _warn(error: Exception) -> None:
    """Without the shared tallies this process goes on with its own: a login must not fail because it cannot be counted."""
    logger.warning("wrong passwords are counted in this process only: %s", error)
