"""The example's migrations: its tables come from them, and from nowhere else."""

from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.services.accounts import metadata, table
from init.app import app
from lazyapp.migrations_alembic import downgrade
from tests.app.migrated import LINE, migrate


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(database_url)
    yield engine
    await engine.dispose()


def lacking(connection: sa.Connection) -> list[object]:
    options = {"include_name": lambda name, kind, _: name != LINE.table}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def test_they_make_what_the_service_works_with(engine: AsyncEngine) -> None:
    """docs/database.md: `--autogenerate` compares with Config(tables=…), and finds nothing to do here."""
    assert app.config.tables is metadata
    assert await migrate(engine) == ["0001"]
    async with engine.connect() as connection:
        assert await connection.run_sync(lacking) == []
    await downgrade(engine, LINE, lambda *_: None, "base")
    async with engine.connect() as connection:
        assert await connection.run_sync(lacking) != []


async def test_the_table_of_before_is_taken_over_with_its_rows(engine: AsyncEngine) -> None:
    """docs/database.md: the example made its table itself once; such a database is migrated without an error."""
    kept = {"email": "kay@example.com", "active": False}
    async with engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
        await connection.execute(sa.insert(table).values(kept))
    assert await migrate(engine) == ["0001"]
    async with engine.connect() as connection:
        assert (await connection.execute(sa.select(table))).mappings().all() == [kept]
        assert await connection.run_sync(lacking) == []
    assert await migrate(engine) == []
