"""The tables that the database really has, and how far its migrations are: asked of the database, not of the models."""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncEngine

from lazyapp.migrations import Line, states


class Column(BaseModel):
    """One column."""

    name: str
    type: str
    nullable: bool
    default: str | None = None
    primary_key: bool = False


class Table(BaseModel):
    """One table; indexes and foreign keys as a line of text each."""

    name: str
    columns: list[Column] = []
    indexes: list[str] = []
    foreign_keys: list[str] = []


class Migrations(BaseModel):
    """One line of migrations: the application's own, or the framework's."""

    line: str
    done: int
    pending: list[str] = Field(default=[], description="What the database has not had, as `revision: summary`.")
    unknown: list[str] = Field(default=[], description="What it was given by a newer release.")


class Schema(BaseModel):
    """What a database holds."""

    database: str = Field(description="postgresql or sqlite.")
    tables: list[Table]
    migrations: list[Migrations]


async def schema(engine: AsyncEngine, lines: Sequence[Line], only: str | None = None) -> Schema:
    """The tables by name, all of them or the one that is asked for.

    Raises:
        LookupError: there is no such table; the message names those that there are.
    """
    async with engine.connect() as connection:
        tables = await connection.run_sync(lambda sync: list(_tables(sync, only)))
    return Schema(database=engine.dialect.name, tables=tables, migrations=await migrations(engine, lines))


async def migrations(engine: AsyncEngine, lines: Iterable[Line]) -> list[Migrations]:
    """How far the database is along each line of migrations."""
    return [
        Migrations(
            line=state.line.name,
            done=len(state.migrations) - len(state.pending),
            pending=[f"{each.revision}: {each.summary}" for each in state.pending],
            unknown=list(state.unknown),
        )
        for state in await states(engine, lines)
    ]


def _tables(connection: sa.Connection, only: str | None) -> Iterable[Table]:
    inspector = sa.inspect(connection)
    names = sorted(inspector.get_table_names())
    if only is not None and only not in names:
        raise LookupError(f"There is no table {only!r}; there are {', '.join(names) or 'none'}.")
    for name in names if only is None else [only]:
        keys = set(inspector.get_pk_constraint(name)["constrained_columns"])
        yield Table(
            name=name,
            columns=[_column(each, connection, keys) for each in inspector.get_columns(name)],
            indexes=[_index(each) for each in inspector.get_indexes(name)],
            foreign_keys=[_foreign_key(each) for each in inspector.get_foreign_keys(name)],
        )


def _column(told: Any, connection: sa.Connection, keys: set[str]) -> Column:
    return Column(
        name=told["name"],
        type=told["type"].compile(connection.dialect) if not isinstance(told["type"], sa.types.NullType) else "",
        nullable=bool(told["nullable"]),
        default=told.get("default"),
        primary_key=told["name"] in keys,
    )


def _index(told: Any) -> str:
    columns = ", ".join(str(each) for each in told["column_names"] if each is not None) or "an expression"
    return f"{told['name']} ({columns}){' unique' if told['unique'] else ''}"


def _foreign_key(told: Any) -> str:
    action = told.get("options", {}).get("ondelete")
    end = f" on delete {action.lower()}" if action else ""
    return f"({', '.join(told['constrained_columns'])}) -> {told['referred_table']} ({', '.join(told['referred_columns'])}){end}"
