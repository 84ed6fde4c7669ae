"""A start for a look: what `lazyapp check` starts leaves nothing behind, for a command that reads changes nothing.

In development on SQLite everything runs on a copy of the database, its pending migrations too, so that they are tried. Elsewhere
nothing is migrated: where something is pending, what comes after cannot be looked at.
"""

import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from lazyapp.database import opened_engine, sqlite_file
from lazyapp.database_copy import copy_database
from lazyapp.migrations import State, states
from lazyapp.secret import Secret
from lazyapp.settings import Settings
from lazyapp.steps.beginning import Beginning, Plan, step
from lazyapp.steps.migrations import has_database, lines_of


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a start for a look has found out before it begins.

    Args:
        settings: with which to start.
        found: how far the database is; empty where there is none.
        is_on_copy: whether the database is a copy, in which anything may be done.
    """

    settings: Settings
    found: Sequence[State]
    is_on_copy: bool

    @property
    def pending(self) -> Sequence[str]:
        """The migrations that the application's database has not had, by line and id."""
        return [f"{state.line.name} {migration.revision}" for state in self.found for migration in state.pending]

    @property
    def can_start(self) -> bool:
        """Whether the start can get further than its migrations."""
        return self.is_on_copy or not self.pending


@asynccontextmanager
async def rehearsal(plan: Plan, settings: Settings) -> AsyncIterator[Rehearsal]:
    """Settings for a start that leaves nothing behind, and the state of the database.

    Raises:
        StartupError: the database is away, or there is no room for its copy.
    """
    with tempfile.TemporaryDirectory(prefix="lazyapp-check-") as folder:
        is_own = settings.env == "test" and settings.database_url is None
        trial = settings if is_own else settings.model_copy(update={"migrate": "off"})
        source = sqlite_file(settings) if settings.env == "development" else None
        if source is not None:
            trial = trial.model_copy(update=_on_copy(source, Path(folder) / "app.db"))
        if settings.env == "development" and settings.secret_key is None:
            # Without one a start makes a file of it.
            trial = trial.model_copy(update={"secret_key": SecretStr(secrets.token_hex(32))})
        with step("migrations"):
            found = [] if is_own else await _states(plan, trial)
        yield Rehearsal(trial, found, is_on_copy=source is not None)


def _on_copy(source: Path, copy: Path) -> dict[str, object]:
    copy_database(source, copy)
    return {"database_url": SecretStr(f"sqlite+aiosqlite:///{copy}"), "migrate": "auto"}


async def _states(plan: Plan, settings: Settings) -> Sequence[State]:
    if not has_database(Beginning(plan, settings, Secret(""))):
        return []
    async with opened_engine(settings) as engine:
        return await states(engine, lines_of(plan.config, settings))
