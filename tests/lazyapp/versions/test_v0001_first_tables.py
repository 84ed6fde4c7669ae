"""The first migration of the framework makes what its parts declare, and takes over what they made."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

import lazyauth.sql
import lazyauth.throttle_sql
import lazymcp.sql
import lazymcp.task_sql
import lazyoauth.assertion_sql
import lazyoauth.connection_sql
import lazyoauth.sql
from lazyapp.migrations import FRAMEWORK, in_words, states
from lazyapp.migrations_alembic import downgrade, upgrade
from lazyauth.sql_engine import create_tables, prepare_sqlite
from tests.lazyapp.test_migrations import ignore

EVERYWHERE = [
    lazyauth.sql.metadata,
    lazyauth.throttle_sql.metadata,
    lazyoauth.sql.metadata,
    lazyoauth.connection_sql.metadata,
    lazyoauth.assertion_sql.metadata,
    lazymcp.task_sql.metadata,
]


def declared(engine: AsyncEngine) -> list[sa.MetaData]:
    return EVERYWHERE + ([lazymcp.sql.metadata] if engine.dialect.name == "postgresql" else [])


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(database_url)
    prepare_sqlite(engine)
    yield engine
    await engine.dispose()


#: What a database holds besides columns: what autogeneration does not compare.
SHAPE = {
    "postgresql": "SELECT relname, relkind::text, relpersistence::text, reloptions::text, pg_get_indexdef(oid) FROM pg_class "
    "WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') AND relname LIKE 'lazy%' "
    "AND relname NOT LIKE 'lazyapp%' ORDER BY relname",
    "sqlite": "SELECT name, type, replace(replace(sql, '\"', ''), char(9), ''), '', '' FROM sqlite_master "
    "WHERE type = 'index' AND name LIKE 'lazy%' ORDER BY name",
}


async def shape(engine: AsyncEngine) -> list[Any]:
    columns = (
        "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND table_name NOT LIKE 'lazyapp%' ORDER BY 1, 2"
    )
    async with engine.connect() as connection:
        found = [tuple(row) for row in await connection.exec_driver_sql(SHAPE[engine.dialect.name])]
        if engine.dialect.name == "postgresql":
            found += [tuple(row) for row in await connection.exec_driver_sql(columns)]
    return found


async def test_it_makes_what_the_parts_would_make_for_themselves(engine: AsyncEngine) -> None:
    """docs/database.md: the framework's tables have migrations. A table that a part changes needs one too, or this fails."""
    await upgrade(engine, [FRAMEWORK], ignore)
    migrated = await shape(engine)

    def differences(connection: sa.Connection) -> list[Any]:
        # That index is made beside its table, and is in no metadata.
        options = {"include_name": lambda name, kind, _: name not in (FRAMEWORK.table, "lazymcp_tasks_active")}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), declared(engine)))

    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await downgrade(engine, FRAMEWORK, ignore, "base")
    assert await shape(engine) == []
    for tables in declared(engine):
        await create_tables(engine, tables)
    assert migrated == await shape(engine)


async def test_a_database_of_the_first_release_is_taken_over(engine: AsyncEngine) -> None:
    """docs/database.md: its tables were made by each part and counted nowhere; rows stay, and what is missing is made."""
    await create_tables(engine, lazyauth.sql.metadata)
    await create_tables(engine, lazymcp.task_sql.metadata)
    async with engine.begin() as connection:
        row = {"id": "ada", "password_hash": "x", "data": {"mcps": ["*"]}, "disabled": False, "signed_out_at": 7.5}
        await connection.execute(sa.insert(lazyauth.sql.users).values(row))
    await upgrade(engine, [FRAMEWORK], ignore)
    async with engine.connect() as connection:
        assert (await connection.execute(sa.select(lazyauth.sql.users))).mappings().all() == [row]
        assert (await connection.execute(sa.select(lazyoauth.sql.families))).all() == []
    assert in_words(await states(engine, [FRAMEWORK])) is None
