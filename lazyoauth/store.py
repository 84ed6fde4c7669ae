"""`RefreshTokenStateStore`: the whole durable state of a login is one row, and this is what must be true of it.

The row: `family_id`, `current_jti`, `expires_at`, `revoked`. A family is one login of one client; its generation 0 is the
authorization code, each refresh is one more.

The contract, for whoever writes a store:

1. `rotate` is one atomic step. Of any number of calls that present the same jti, at any time and from any process, at most one
   is answered `rotated`. A read followed by a write is not enough. What `repeated` answers is the jti that is current already.
2. What `rotate` answers `replayed` is already revoked, and that is committed, before it returns.
3. Once a `revoke` has returned, no `rotate` of that family is answered `rotated`. Nothing ever clears `revoked`.
4. Whatever was answered survives the process: committed, and on disk if the store claims to be durable.
5. `purge` removes no family before its `expires_at`.
6. An exception means that nothing is known. The caller answers 503 and treats neither as success nor as theft.

Times are Unix seconds. A store judges expiry by its own clock, the one that all processes share.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from lazyoauth import jti

# Two readings of one clock may be this far in the wrong order, because it was set or the database changed its host.
CLOCK_STEP_S = 5.0


class Rotation(Enum):
    """What became of a call to `rotate`."""

    ROTATED = "rotated"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    EXPIRED = "expired"
    REPLAYED = "replayed"
    # It was used a moment ago, within the window that the caller grants: whoever sent it may have missed the answer. Nothing has
    # changed, and the answer is the jti that is current already.
    REPEATED = "repeated"
    # The store knows an older generation than the caller presents: it went back in time (a backup was restored). No theft.
    BEHIND = "behind"
    # As before, and the caller allowed to go on from there: the family has moved on to the new jti.
    HEALED = "healed"


@dataclass(frozen=True, slots=True)
class RotateOutcome:
    """The answer of `rotate`.

    Attributes:
        rotation: what happened.
        current_jti: the jti that is current now, as stored; only after `ROTATED`, `REPEATED` and `HEALED`.
        expires_at: the end of the family; likewise.
    """

    rotation: Rotation
    current_jti: str = ""
    expires_at: float = 0.0


class RefreshTokenStateStore(Protocol):
    """Keeps families. `SQLRefreshTokenStates` and `MemoryRefreshTokenStates` are two; the module's text is the contract."""

    async def create(self, family_id: str, current_jti: str, expires_at: float) -> None:
        """Begin a family. `family_id` is a UUID in its usual text form."""
        ...

    async def rotate(
        self,
        family_id: str,
        presented_jti: str,
        new_jti: str,
        expires_at: float | None = None,
        window_s: float = 0.0,
        merge_s: float = 0.0,
        heal: bool = False,
    ) -> RotateOutcome:
        """Make `new_jti` current if `presented_jti` is, in one atomic step.

        The store adds `.` and its clock in milliseconds to `new_jti` (see `jti.py`) and returns what it kept.

        Args:
            expires_at: a new end of the family; None leaves the old one.
            window_s: answer `REPEATED` to a predecessor that was replaced no longer ago than this. `classify` decides.
            merge_s: answer `REPEATED` to the current jti when it was issued less than this ago, so that a burst gets one answer.
            heal: answer `HEALED` where `BEHIND` is due, and make `new_jti` current.
        """
        ...

    async def revoke(self, family_id: str) -> bool:
        """End a family. False when there is none of that id, or it was revoked before."""
        ...

    async def is_active(self, family_id: str) -> bool:
        """Whether the family is there, not revoked and not expired."""
        ...

    async def purge(self, before: float) -> int:
        """Forget families that expired before this time, and say how many."""
        ...


@runtime_checkable
class AnnouncesRevocations(Protocol):
    """What a store may do besides: say at once what other processes revoke. Without it they are noticed within five seconds."""

    def on_revoked(self, callback: Callable[[str], None]) -> None:
        """Call this, on the event loop, with the id of each family that is revoked in any process."""
        ...


@dataclass(frozen=True, slots=True)
class FamilyState:
    """A family's row while it is locked.

    Attributes:
        expired: whether its end has come, by the store's clock.
        now: that clock, Unix seconds.
    """

    current_jti: str
    revoked: bool
    expired: bool
    now: float


def classify(family: FamilyState, presented_jti: str, window_s: float = 0.0, merge_s: float = 0.0) -> Rotation | None:
    """Why a compare-and-swap changed nothing, judged from the row while it is locked.

    Returns:
        The outcome; `REPLAYED` obliges the store to revoke the family in the same transaction. None: there is no reason against
        it, and the store makes the new jti current while it still holds the lock.

    RFC 9700, section 4.14.2.
    """
    if family.revoked:
        return Rotation.REVOKED
    if family.expired:
        return Rotation.EXPIRED
    if presented_jti == family.current_jti:
        issued = jti.issued(presented_jti)
        return Rotation.REPEATED if is_within(family.now, issued, merge_s) else None
    if is_within(family.now, jti.replaced(family.current_jti, presented_jti), window_s):
        return Rotation.REPEATED
    presented, stored = jti.generation(presented_jti), jti.generation(family.current_jti)
    if presented is not None and stored is not None and presented > stored:
        return Rotation.BEHIND
    return Rotation.REPLAYED


def is_within(now: float, since: float | None, at_most_s: float) -> bool:
    """Whether something was at most so long ago, by one clock; never when nothing is allowed.

    A moment that lies further ahead than a clock is ever corrected is of another clock, and grants nothing.
    """
    return since is not None and at_most_s > 0 and -CLOCK_STEP_S <= now - since < at_most_s
