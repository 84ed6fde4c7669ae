"""The migrations, as a start runs them: what they make is what `Config(tables=…)` says, and each can be taken back."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, inspect

from lazyapp.database import AsyncEngine
from lazyapp.testing import Client


def columns(connection: Connection, tables: Sequence[str]) -> dict[str, dict[str, bool]]:
    """Which columns the database has, and whether each may be empty."""
    found = inspect(connection)
    return {table: {column["name"]: column["nullable"] for column in found.get_columns(table)} for table in tables}


async def test_the_migrations_make_the_tables_that_the_code_expects(client: Client) -> None:
    given: Any = client.app.config.tables
    tables = [table for each in (given if isinstance(given, list | tuple) else [given]) for table in each.sorted_tables]
    engine = client.app.services.get(AsyncEngine)
    async with engine.connect() as connection:
        found = await connection.run_sync(columns, [table.name for table in tables])
    assert found == {table.name: {column.name: bool(column.nullable) for column in table.columns} for table in tables}
