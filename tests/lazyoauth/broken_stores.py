"""Stores with one mistake each, as people make them: what a suite or a race must catch."""

import asyncio
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from lazyoauth import MemoryRefreshTokenStates, RotateOutcome, Rotation, SQLRefreshTokenStates, jti
from lazyoauth.sql import families
from lazyoauth.store import FamilyState, classify

FOREVER = 10.0**11


class ReadsThenWrites(MemoryRefreshTokenStates):
    """It decides on what it has read, and writes a moment later."""

    async def rotate(self, family_id: str, *request: Any, **more: Any) -> RotateOutcome:
        copy = MemoryRefreshTokenStates(self._now)
        copy._families = {family_id: replace(self._families[family_id])} if family_id in self._families else {}
        outcome = await copy.rotate(family_id, *request, **more)
        await asyncio.sleep(0)
        self._families.update(copy._families)
        return outcome


class Revives(MemoryRefreshTokenStates):
    """Its rotation writes the whole row, `revoked` included."""

    async def rotate(self, family_id: str, presented_jti: str, *request: Any, **more: Any) -> RotateOutcome:
        family = self._families.get(family_id)
        if family is not None and family.current_jti == presented_jti:
            family.revoked = False
        return await super().rotate(family_id, presented_jti, *request, **more)


class Forks(MemoryRefreshTokenStates):
    """Its window gives everyone a token of their own."""

    async def rotate(self, family_id: str, presented_jti: str, new_jti: str, *request: Any, **more: Any) -> RotateOutcome:
        outcome = await super().rotate(family_id, presented_jti, new_jti, *request, **more)
        return replace(outcome, current_jti=f"{new_jti}.1800000000000") if outcome.rotation is Rotation.REPEATED else outcome


class ForgivesCodes(MemoryRefreshTokenStates):
    """Its window is open to codes too."""

    async def rotate(self, family_id: str, presented_jti: str, *request: Any, window_s: float = 0.0, **more: Any) -> RotateOutcome:
        family = self._families.get(family_id)
        if window_s and family and jti.generation(presented_jti) == 0 and jti.generation(family.current_jti) == 1:
            return RotateOutcome(Rotation.REPEATED, family.current_jti, family.expires_at)
        return await super().rotate(family_id, presented_jti, *request, window_s=window_s, **more)


class ForgetsTheEnd(MemoryRefreshTokenStates):
    """The new end of a family is lost."""

    async def rotate(self, family_id: str, presented_jti: str, new_jti: str, _: object = None, **more: Any) -> RotateOutcome:
        more.pop("expires_at", None)
        return await super().rotate(family_id, presented_jti, new_jti, **more)


class NeverEnds(MemoryRefreshTokenStates):
    """Nobody looks at `expires_at`."""

    async def create(self, family_id: str, current_jti: str, expires_at: float) -> None:
        await super().create(family_id, current_jti, FOREVER)


class ForgetsTooMuch(MemoryRefreshTokenStates):
    """What is purged is what the caller's time says, expired or not."""

    async def purge(self, before: float) -> int:
        over = [family_id for family_id, family in self._families.items() if family.expires_at < before]
        for family_id in over:
            del self._families[family_id]
        return len(over)


class ForgetsRevoked(MemoryRefreshTokenStates):
    """What is revoked is purged at once."""

    async def purge(self, before: float) -> int:
        for family_id in [family_id for family_id, family in self._families.items() if family.revoked]:
            del self._families[family_id]
        return await super().purge(before)


class RollsBack(MemoryRefreshTokenStates):
    """The error about a replay leaves the transaction in which the family was revoked."""

    async def rotate(self, family_id: str, *request: Any, **more: Any) -> RotateOutcome:
        was = self._families[family_id].revoked if family_id in self._families else False
        outcome = await super().rotate(family_id, *request, **more)
        if outcome.rotation is Rotation.REPLAYED:
            self._families[family_id].revoked = was
        return outcome


class RevokesForItself(MemoryRefreshTokenStates):
    """A revocation that is not committed: only who asked for it sees it."""

    def __init__(self, storage: MemoryRefreshTokenStates) -> None:
        super().__init__()
        self._families, self._mine = storage._families, set[str]()

    async def revoke(self, family_id: str) -> bool:
        news = family_id in self._families and family_id not in self._mine
        self._mine.add(family_id)
        return news

    async def is_active(self, family_id: str) -> bool:
        return family_id not in self._mine and await super().is_active(family_id)

    async def rotate(self, family_id: str, *request: Any, **more: Any) -> RotateOutcome:
        if family_id in self._mine:
            return RotateOutcome(Rotation.REVOKED)
        return await super().rotate(family_id, *request, **more)


class TakesRestoredForTheft(MemoryRefreshTokenStates):
    """It does not know that a store can go back in time."""

    async def rotate(self, family_id: str, *request: Any, **more: Any) -> RotateOutcome:
        outcome = await super().rotate(family_id, *request, **more)
        if outcome.rotation is Rotation.BEHIND:
            await self.revoke(family_id)
            return RotateOutcome(Rotation.REPLAYED)
        return outcome


class SQLReadsThenWrites(SQLRefreshTokenStates):
    """A SELECT, a decision, an UPDATE: what most libraries do."""

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
        mine = families.c.family_id == family_id
        async with self.engine.connect() as connection:
            row = (await connection.execute(sa.select(families, self._now_ms.label("now_ms")).where(mine))).one()
        now = int(row.now_ms) / 1000
        fault = classify(FamilyState(row.current_jti, row.revoked, row.expires_at <= now, now), presented_jti, window_s, merge_s)
        if fault is not None:
            if fault is Rotation.REPLAYED:
                await self.revoke(family_id)
            return RotateOutcome(fault, row.current_jti, row.expires_at)
        kept = f"{new_jti}.{row.now_ms}"
        async with self.engine.begin() as connection:
            await connection.execute(sa.update(families).where(mine).values(current_jti=kept))
        return RotateOutcome(Rotation.ROTATED, kept, row.expires_at)
