"""lazyauth/sql_engine.py: tables are made once, whoever comes first."""

import asyncio

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import create_async_engine

from lazyauth.sql_engine import TablesOnDemand, create_tables, transaction


def table():
    tables = sa.MetaData()
    return tables, sa.Table("things", tables, sa.Column("id", sa.Integer, primary_key=True))


async def test_many_make_the_tables_at_once_and_nothing_in_them_is_lost(database_url):
    """Several processes start together, each with an engine of its own."""
    tables, things = table()
    engines = [create_async_engine(database_url) for _ in range(4)]
    try:
        await asyncio.gather(*(create_tables(engine, tables) for engine in engines))
        async with transaction(engines[0], immediate=engines[0].dialect.name == "sqlite") as connection:
            await connection.execute(sa.insert(things).values(id=7))
        await create_tables(engines[1], tables)
        async with engines[1].connect() as connection:
            assert await connection.scalar(sa.select(things.c.id)) == 7
    finally:
        for engine in engines:
            await engine.dispose()


async def test_a_transaction_that_fails_leaves_nothing(database_url):
    tables, things = table()
    engine = create_async_engine(database_url)

    async def write_and_fail():
        async with transaction(engine, immediate=engine.dialect.name == "sqlite") as connection:
            await connection.execute(sa.insert(things).values(id=7))
            raise ValueError("never mind")

    try:
        await create_tables(engine, tables)
        with pytest.raises(ValueError, match="never mind"):
            await write_and_fail()
        async with engine.connect() as connection:
            assert await connection.scalar(sa.select(sa.func.count()).select_from(things)) == 0
    finally:
        await engine.dispose()


async def test_tables_are_made_at_the_first_need_and_a_failure_is_tried_again(tmp_path):
    """A database that is away when a process starts may be there later."""
    tables, things = table()
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/later/things.db")
    on_demand = TablesOnDemand(engine, tables)
    try:
        with pytest.raises(OperationalError):
            await on_demand.ready()
        (tmp_path / "later").mkdir()
        await asyncio.gather(on_demand.ready(), on_demand.ready())
        async with engine.connect() as connection:
            assert await connection.scalar(sa.select(sa.func.count()).select_from(things)) == 0
    finally:
        await engine.dispose()
