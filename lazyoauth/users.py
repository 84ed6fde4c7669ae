"""`Users`: who may go on, as the rest of the package sees the application's authenticator.

State: whom this process has asked for in the last five seconds, and which of their logins were over then; a bounded number.
`may_go_on` writes it; `mark_changed` takes out whom the authenticator announces, so the next request asks anew.
"""

import asyncio
import logging
from collections import OrderedDict

from lazyauth import AnnouncesUsers, Authenticator, User
from lazyoauth.errors import TemporarilyUnavailable
from lazyoauth.lifetimes import Clock

logger = logging.getLogger("lazyoauth")

KNOWN_FOR_S = 5.0
# As long as the store of logins may take: a client still waits for the 503.
TIMEOUT_S = 10.0
REMEMBERED = 16_384


class Users:
    """The users of one authenticator, in one process."""

    def __init__(self, authenticator: Authenticator, now: Clock) -> None:
        self._authenticator = authenticator
        self._now = now
        self._known: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._changes = 0
        if isinstance(authenticator, AnnouncesUsers):
            authenticator.on_changed(self.mark_changed)

    async def find(self, user_id: str) -> User | None:
        """The user as of now; None when gone or disabled.

        Raises:
            TemporarilyUnavailable: the authenticator failed, so nothing is known and no login may end for it.
        """
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._authenticator.find_user(user_id)
        except Exception as error:
            raise unavailable("the user store", error) from error

    def is_known_good(self, user_id: str, auth_time: float) -> bool:
        """Whether a login that began then was seen to go on in the last five seconds, and nothing was announced since."""
        until, signed_out_at = self._known.get(user_id, (0.0, 0.0))
        return until > self._now() and auth_time >= signed_out_at

    async def may_go_on(self, user_id: str, auth_time: float) -> bool:
        """Whether a login that began then goes on: from memory if that is at most five seconds old, else from the authenticator.

        Raises:
            TemporarilyUnavailable: memory is too old and the authenticator failed.
        """
        if self.is_known_good(user_id, auth_time):
            return True
        changes = self._changes
        user = await self.find(user_id)
        if user is None:
            self._known.pop(user_id, None)
            return False
        # An announcement may have come while the answer was on its way: then it is good for this once.
        if changes == self._changes:
            self._known[user_id] = (self._now() + KNOWN_FOR_S, user.signed_out_at)
            self._known.move_to_end(user_id)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return auth_time >= user.signed_out_at

    def mark_changed(self, user_id: str) -> None:
        """Ask for this user anew at the next request."""
        self._changes += 1
        self._known.pop(user_id, None)


def unavailable(what: str, error: Exception) -> TemporarilyUnavailable:
    """The error for a part of the application that failed: in full in the log, without detail for the peer."""
    logger.error("%s failed", what, exc_info=error)
    return TemporarilyUnavailable(f"{what} is not available, try again", detail=type(error).__name__)
