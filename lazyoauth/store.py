"""`RefreshTokenStateStore`: the whole durable state of a login is one row, and this is what must be true of it.

The row: `family_id`, `current_jti`, `expires_at`, `revoked`. A family is one login of one client; its generation 0 is the
authorization code, each refresh is one more.

The contract, for whoever writes a store:

1. `rotate` is one atomic step. Of any number of calls that present the same jti, at any time and from any process, at most one
   is answered `rotated`. A read followed by a write is not enough.
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


class Rotation(Enum):
    """What became of a call to `rotate`."""

    ROTATED = "rotated"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    EXPIRED = "expired"
    REPLAYED = "replayed"
    # The store knows an older generation than the caller presents: it went back in time (a backup was restored). No theft.
    BEHIND = "behind"


@dataclass(frozen=True, slots=True)
class RotateOutcome:
    """The answer of `rotate`.

    Attributes:
        rotation: what happened.
        current_jti: the jti that is current now, as stored; only after `ROTATED`.
        expires_at: the end of the family; only after `ROTATED`.
    """

    rotation: Rotation
    current_jti: str = ""
    expires_at: float = 0.0


class RefreshTokenStateStore(Protocol):
    """Keeps families. `SQLRefreshTokenStates` and `MemoryRefreshTokenStates` are two; the module's text is the contract."""

    async def create(self, family_id: str, current_jti: str, expires_at: float) -> None:
        """Begin a family. `family_id` is a UUID in its usual text form."""
        ...

    async def rotate(self, family_id: str, presented_jti: str, new_jti: str, expires_at: float | None = None) -> RotateOutcome:
        """Make `new_jti` current if `presented_jti` is, in one atomic step.

        The store adds `.` and its clock in milliseconds to `new_jti` (see `jti.py`) and returns what it kept.

        Args:
            expires_at: a new end of the family; None leaves the old one.
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


def classify(current_jti: str, revoked: bool, expired: bool, presented_jti: str) -> Rotation | None:
    """Why a compare-and-swap changed nothing, judged from the row while it is locked.

    Returns:
        The outcome; `REPLAYED` obliges the store to revoke the family in the same transaction. None: there is no reason, the
        row changed in between, and the swap may be tried once more.

    RFC 9700, section 4.14.2.
    """
    if revoked:
        return Rotation.REVOKED
    if expired:
        return Rotation.EXPIRED
    if presented_jti == current_jti:
        return None
    presented, stored = jti.generation(presented_jti), jti.generation(current_jti)
    if presented is not None and stored is not None and presented > stored:
        return Rotation.BEHIND
    return Rotation.REPLAYED
