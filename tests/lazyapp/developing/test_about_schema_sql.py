"""lazyapp/developing/about_schema_sql.py: the tables that the database really has."""

from pathlib import Path

import pytest

from lazyapp.developing.about_schema_sql import schema
from lazyapp.migrations import FRAMEWORK, application
from tests.lazyapp.developing.library import filled


async def test_tables_are_told_as_they_are_in_the_database(database_url: str, tmp_path: Path) -> None:
    """docs/about.md, "The database"."""
    async with filled(database_url) as engine:
        found = await schema(engine, [FRAMEWORK, application(tmp_path)])
        only = await schema(engine, [], "books")
    assert [table.name for table in found.tables] == ["books", "readers"]
    books = only.tables[0]
    assert only.tables == found.tables[:1]
    assert [(each.name, each.nullable, each.primary_key) for each in books.columns] == [
        ("id", False, True),
        ("title", False, False),
        ("reader_id", True, False),
    ]
    assert books.columns[1].type == "TEXT"
    assert books.indexes == ["ix_books_title (title)"]
    assert books.foreign_keys == ["(reader_id) -> readers (id) on delete cascade"]
    assert found.database in ("postgresql", "sqlite")


async def test_pending_migrations_are_named(sqlite_url: str, tmp_path: Path) -> None:
    """docs/database.md, "Who migrates, and when"."""
    (tmp_path / "0001_books.py").write_text('"""Add books."""\n\nrevision = "0001"\ndown_revision = None\n')
    async with filled(sqlite_url) as engine:
        framework, own = (await schema(engine, [FRAMEWORK, application(tmp_path)])).migrations
    assert (own.line, own.done, own.pending) == ("application", 0, ["0001: Add books."])
    assert framework.pending


async def test_a_table_that_is_not_there_is_told_with_those_that_are(sqlite_url: str) -> None:
    """style.md, "Errors": what was expected and what came."""
    async with filled(sqlite_url) as engine:
        with pytest.raises(LookupError, match=r"no table 'shelves'; there are books, readers\."):
            await schema(engine, [], "shelves")
