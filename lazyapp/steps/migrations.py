"""The step "migrations": the database has what the code expects, or the start says what to do."""

import logging
from collections.abc import Sequence

from lazyapp.config import Config
from lazyapp.database import AsyncEngine, AsyncSession, require_url
from lazyapp.errors import ConfigurationError
from lazyapp.migrations import FOLDER, FRAMEWORK, Line, State, application, in_words, states
from lazyapp.services import Services
from lazyapp.settings import Settings
from lazyapp.steps.beginning import Beginning

logger = logging.getLogger("lazyapp")


def lines_of(config: Config, settings: Settings) -> tuple[Line, Line]:
    """The framework's migrations and the application's, in the order in which they run."""
    return FRAMEWORK, application(config.migrations or settings.root / FOLDER)


def require_database(start: Beginning) -> None:
    """Let no application in production keep what it has in a file that nobody named.

    Asked before anything is opened, and again when the MCP modules are known: only they may ask for a session.

    Raises:
        ConfigurationError: it keeps something, and DATABASE_URL is not set.
    """
    if start.settings.env == "production" and has_database(start):
        require_url(start.settings)


async def bring_up_to_date(start: Beginning, engine: AsyncEngine) -> None:
    """Run what the database has not had, where LAZYAPP_MIGRATE lets a start do so; then `/readyz` knows of migrations.

    Raises:
        ConfigurationError: it lacks migrations, and a start is not to run them.
    """
    settings, services = start.settings, start.plan.services
    if not has_database(start):
        return
    lines = lines_of(start.plan.config, settings)
    found = await states(engine, lines)
    _tell_of_newer(found)
    if in_words(found) is not None:
        if not settings.migrates:
            raise ConfigurationError(lacking(found))
        await run(engine, lines)

    async def ask() -> str | None:
        return in_words(await states(engine, lines))

    services.watch("migrations", ask)


async def run(engine: AsyncEngine, lines: Sequence[Line]) -> None:
    """Run what is pending; each migration has a line in the log."""
    # Imported here: most starts have nothing to run.
    from lazyapp.migrations_alembic import upgrade

    await upgrade(engine, lines, lambda line, revision, summary: logger.info("migrated: %s %s, %s", line.name, revision, summary))


def lacking(found: Sequence[State]) -> str:
    """The sentence for a database that is behind."""
    names = [f"{state.line.name} {migration.revision}" for state in found for migration in state.pending]
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    what = "a migration" if len(names) == 1 else f"{len(names)} migrations"
    return f"The database lacks {what} ({shown}); run `lazyapp db upgrade`, or set LAZYAPP_MIGRATE=auto."


def has_database(start: Beginning) -> bool:
    """Whether this application keeps anything: one that does not is not made to open a database."""
    return start.settings.database_url is not None or asks_for_database(start.plan.config, start.settings, start.plan.services)


def asks_for_database(config: Config, settings: Settings, services: Services) -> bool:
    """Whether an application has migrations, or something that asks for a database."""
    return bool(lines_of(config, settings)[-1].read()) or any(services.needs(kind) for kind in (AsyncEngine, AsyncSession))


def _tell_of_newer(found: Sequence[State]) -> None:
    for state in found:
        if state.unknown:
            logger.warning("the database was migrated by a newer release: this one does not know %s", ", ".join(state.unknown))
