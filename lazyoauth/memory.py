"""`MemoryRefreshTokenStates`: families that live as long as the process. For tests and a first run.

One lock makes every step atomic.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from lazyoauth.store import FamilyState, RotateOutcome, Rotation, classify


@dataclass(slots=True)
class _Family:
    current_jti: str
    expires_at: float
    revoked: bool = False


class MemoryRefreshTokenStates:
    """A `RefreshTokenStateStore` over a dictionary. Another process knows nothing of it, a restart ends every login."""

    is_shared = False
    is_durable = False

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._families: dict[str, _Family] = {}
        self._lock = asyncio.Lock()

    async def create(self, family_id: str, current_jti: str, expires_at: float) -> None:
        """Begin a family."""
        async with self._lock:
            if family_id in self._families:
                raise ValueError("the family exists")
            self._families[family_id] = _Family(current_jti, expires_at)

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
        """Compare and swap, under the lock."""
        async with self._lock:
            now = self._now()
            family = self._families.get(family_id)
            if family is None:
                return RotateOutcome(Rotation.UNKNOWN)
            state = FamilyState(family.current_jti, family.revoked, family.expires_at <= now, now)
            rotation = classify(state, presented_jti, window_s, merge_s) or Rotation.ROTATED
            if rotation is Rotation.BEHIND and heal:
                rotation = Rotation.HEALED
            if rotation in (Rotation.ROTATED, Rotation.HEALED):
                family.current_jti = f"{new_jti}.{int(now * 1000)}"
                family.expires_at = family.expires_at if expires_at is None else expires_at
            elif rotation is not Rotation.REPEATED:
                family.revoked = family.revoked or rotation is Rotation.REPLAYED
                return RotateOutcome(rotation)
            return RotateOutcome(rotation, family.current_jti, family.expires_at)

    async def revoke(self, family_id: str) -> bool:
        """End a family."""
        async with self._lock:
            family = self._families.get(family_id)
            if family is None or family.revoked:
                return False
            family.revoked = True
            return True

    async def is_active(self, family_id: str) -> bool:
        """Whether the family is there, not revoked and not expired."""
        family = self._families.get(family_id)
        return family is not None and not family.revoked and family.expires_at > self._now()

    async def purge(self, before: float) -> int:
        """Forget families that expired before this time."""
        async with self._lock:
            over = [family_id for family_id, family in self._families.items() if family.expires_at < min(before, self._now())]
            for family_id in over:
                del self._families[family_id]
            return len(over)

    def __len__(self) -> int:
        return len(self._families)

    def __bool__(self) -> bool:
        return True
