"""`Families`: the life of a login, as the rest of the package sees the store.

State: besides the store, this process remembers which families it knows to be alive (for at most five seconds) and which have
ended (for good, since nothing revives a family). `begin`, `rotate` and `end` change that, and only after the store has answered;
`mark_ended` does when the store brings news of another process; `is_active` reads it.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from lazyoauth import jti
from lazyoauth.errors import InvalidGrant, TemporarilyUnavailable
from lazyoauth.store import RefreshTokenStateStore, RotateOutcome, Rotation

logger = logging.getLogger("lazyoauth")

ALIVE_FOR_S = 5.0
# Long enough for a busy database, short enough that a client still waits for the 503.
STORE_TIMEOUT_S = 10.0
REMEMBERED = 16_384
# A day in which an operator can still see that a login has ended; a token of a family that is gone is refused just the same.
PURGED_AFTER_S = 86_400.0
_GOES_ON = frozenset({Rotation.ROTATED, Rotation.REPEATED, Rotation.HEALED})
# From these there is no way back: `revoked` is never cleared, and only a family that is alive gets a new end.
_OVER = frozenset({Rotation.REPLAYED, Rotation.REVOKED, Rotation.EXPIRED})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What is forgiven a client whose refresh token is not the current one: by default nothing. `RefreshTokenStateStore.rotate`."""

    window_s: float = 0.0
    merge_s: float = 0.0
    heal: bool = False


STRICT = Tolerance()


class Families:
    """Families of one store, in one process."""

    def __init__(self, store: RefreshTokenStateStore, now: Callable[[], float], tolerance: Tolerance = STRICT) -> None:
        self._store = store
        self._tolerance = tolerance
        self._now = now
        self._checked: OrderedDict[str, float] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()

    async def begin(self, family_id: str, jti: str, expires_at: float) -> None:
        """A new login, at generation 0.

        Raises:
            TemporarilyUnavailable: the store is away.
        """
        await _reach(lambda: self._store.create(family_id, jti, expires_at))

    async def rotate(self, family_id: str, presented_jti: str, new_jti: str, expires_at: float | None = None) -> RotateOutcome:
        """Move a login on by one generation.

        Returns:
            The outcome of the store: `ROTATED`, `HEALED`, or `REPEATED` with what a client was answered a moment ago.

        Raises:
            InvalidGrant: the family has ended, or ends now because the jti was used before.
            TemporarilyUnavailable: the store is away.
        """
        # A code is used once, however tolerant this server is. RFC 6749, section 4.1.2.
        grace = self._tolerance if jti.generation(presented_jti) else STRICT
        forgiven = (grace.window_s, grace.merge_s, grace.heal)
        outcome = await _reach(lambda: self._store.rotate(family_id, presented_jti, new_jti, expires_at, *forgiven))
        if outcome.rotation is Rotation.HEALED:
            logger.critical("family %s: the store was set back in time, and the login went on from the client's token", family_id)
        if outcome.rotation in _GOES_ON:
            return outcome
        if outcome.rotation in _OVER:
            # Whoever ended it, this process knows now, and its access token dies here at once.
            self.mark_ended(family_id)
        elif outcome.rotation is Rotation.UNKNOWN:
            # No such row; but a restored backup may bring it back, so the store is asked again rather than never.
            self._checked.pop(family_id, None)
        if outcome.rotation is Rotation.REPLAYED:
            # RFC 9700 4.14.2: the store has revoked and committed.
            logger.warning("family %s ended: a used code or refresh token came again", family_id)
        elif outcome.rotation is Rotation.BEHIND:
            logger.critical("family %s: the token is newer than the store, which seems to have been set back in time", family_id)
        raise InvalidGrant("the grant was used before, has expired or was revoked", detail=outcome.rotation.value)

    async def end(self, family_id: str) -> bool:
        """End a login. False when it had ended before.

        Raises:
            TemporarilyUnavailable: the store is away, and the login goes on.
        """
        ended = await _reach(lambda: self._store.revoke(family_id))
        self.mark_ended(family_id)
        return ended

    async def purge(self) -> int:
        """Remove logins whose last second was more than a day ago, and say how many.

        Raises:
            TemporarilyUnavailable: the store is away; what was not removed is removed the next time.
        """
        return await _reach(lambda: self._store.purge(self._now() - PURGED_AFTER_S))

    def is_known_active(self, family_id: str) -> bool:
        """Whether the login was seen alive in the last five seconds and has not ended here since."""
        return self._checked.get(family_id, 0.0) > self._now()

    async def is_active(self, family_id: str) -> bool:
        """Whether the login goes on: from memory if that is at most five seconds old, else from the store.

        Raises:
            TemporarilyUnavailable: memory is too old and the store is away.
        """
        if self.is_known_active(family_id):
            return True
        active = family_id not in self._ended and await _reach(lambda: self._store.is_active(family_id))
        # Asked again: it may have ended here while the store was answering.
        if active and family_id not in self._ended:
            _remember(self._checked, family_id, self._now() + ALIVE_FOR_S)
            return True
        return False

    def mark_ended(self, family_id: str) -> None:
        """Know that a login has ended, here or in another process."""
        self._checked.pop(family_id, None)
        _remember(self._ended, family_id, None)


def _remember(memory: OrderedDict[str, T], family_id: str, value: T) -> None:
    memory[family_id] = value
    memory.move_to_end(family_id)
    if len(memory) > REMEMBERED:
        memory.popitem(last=False)


async def _reach(call: Callable[[], Awaitable[T]]) -> T:
    """Ask the store; whatever it raises, and its silence, mean that nothing is known."""
    try:
        async with asyncio.timeout(STORE_TIMEOUT_S):
            return await call()
    except Exception as error:
        # The driver's own words, without SQLAlchemy's statement and parameters.
        reason = getattr(error, "orig", None) or error
        logger.error("the refresh token store failed: %s: %s", type(error).__name__, reason)
        raise TemporarilyUnavailable("the token store is not available, try again", detail=type(error).__name__) from error
