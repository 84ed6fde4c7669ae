"""A database as the example's migrations make it."""

from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

import app
from lazyapp.migrations import FOLDER, Line, application
from lazyapp.migrations_alembic import upgrade

LINE: Line = application(Path(app.__file__).parents[1] / FOLDER)


async def migrate(engine: AsyncEngine) -> list[str]:
    """Run what the database has not had; its ids."""
    done: list[str] = []
    await upgrade(engine, [LINE], lambda _, revision, __: done.append(revision))
    return done
