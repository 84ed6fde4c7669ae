"""One statement that only reads the application's database, for a coding agent: bounded, undone, and blind to secrets.

What a statement would do is never guessed from its text: the database's own parser is asked. SQLite tells each table, column and
function as it compiles the statement, and is answered yes or no. PostgreSQL is asked to make a temporary view of it, which is taken
back before anything runs: a view is one statement that only reads, and its rule names every column and function in it.
"""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from lazyapp.developing.about_rule import FUNCTIONS, NAMES, RULES, Rule, read_rule, refusal
from lazyapp.developing.about_threads import Threads
from lazyapp.developing.about_values import shown
from lazyapp.secret_words import MASK, is_secret

TIMEOUT_S = 5.0
MAX_ROWS = 500
MAX_ROW_BYTES = 100_000

_LOOK_EVERY = 10_000  # instructions of SQLite's machine: a few hundred microseconds
# SQLite is asked to stop between two instructions only, and one can compare long texts for minutes: the texts and patterns are
# kept short, and the time is counted outside too.
_THREADS = Threads(4)
_LIMITS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LENGTH: 2 * MAX_ROW_BYTES,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
}
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_VIEW = "CREATE TEMPORARY VIEW lazyapp_about AS SELECT 1 AS one FROM (\n{text}\n) AS q"
_BOUNDED = f"SELECT q.* FROM (\n{{text}}\n) AS q WHERE octet_length(q::text) <= {MAX_ROW_BYTES}"  # noqa: S608
_ACTION = "SELECT ev_action::text FROM pg_rewrite WHERE ev_class = 'pg_temp.lazyapp_about'::regclass"
_REFUSED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "writefile", "readfile", "edit"})


class Refused(Exception):
    """The statement is not run, or did not come to an end; the message tells whoever wrote it why."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a statement found.

    Args:
        columns: their names; a name may come twice.
        rows: values as JSON has them.
        is_cut: whether there are more rows.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    is_cut: bool


async def read(engine: AsyncEngine, statement: str, limit: int = 50) -> Rows:
    """The first rows of a SELECT.

    Args:
        engine: the application's.
        statement: one SELECT, VALUES or WITH … SELECT; a semicolon may end it.
        limit: how many rows, MAX_ROWS at most.

    Raises:
        Refused: it does more than read, reads a secret where that cannot be hidden, takes too long, or is wrong.
    """
    text = statement.strip().rstrip(";").strip()
    if not text:
        raise Refused("Write one SELECT.")
    if any(letter == "\x00" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise Refused("A statement is text; it has no NUL and no half of a character in it.")
    limit = max(1, min(limit, MAX_ROWS))
    if engine.dialect.name == "sqlite":
        try:
            return await _THREADS.run(partial(_read_sqlite, engine.url.database or "", text, limit), TIMEOUT_S)
        except TimeoutError:
            raise Refused(_too_long()) from None
    async with engine.connect() as connection:
        try:
            return await _read_postgresql(connection, text, limit)
        finally:
            await connection.rollback()


def _read_sqlite(database: str, text: str, limit: int) -> Rows:
    if not database or database == ":memory:" or database.startswith("file:"):
        raise Refused("This database lives in the memory of its process; only one in a file can be asked.")
    if not Path(database).is_file():
        raise Refused("There is no database yet.")
    end = time.monotonic() + TIMEOUT_S
    with closing(sqlite3.connect(f"{Path(database).resolve().as_uri()}?mode=ro", uri=True, timeout=TIMEOUT_S)) as connection:
        connection.execute("PRAGMA query_only = ON")
        for category, bound in _LIMITS.items():
            connection.setlimit(category, bound)
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: time.monotonic() > end, _LOOK_EVERY)
        try:
            cursor = connection.execute(text)
            columns = [each[0] for each in cursor.description or ()]
            found = cursor.fetchmany(limit + 1)
        except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
            raise Refused(_sqlite_sentence(error)) from None
    if not columns:
        raise Refused("Write one SELECT; nothing else is run here.")
    return _rows(columns, found, limit)


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
    """SQLite asks this of everything in a statement while it compiles it. https://www.sqlite.org/c3ref/set_authorizer.html"""
    if action not in _READING:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _REFUSED_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and is_secret(second or ""):
        return sqlite3.SQLITE_IGNORE  # the column reads as NULL, under whatever name it is asked for
    return sqlite3.SQLITE_OK


def _sqlite_sentence(error: Exception) -> str:
    said = str(error)
    if said == "interrupted":
        return _too_long()
    if "not authorized" in said or "prohibited" in said:
        return f"Only reading is allowed here: {said}."
    if "one statement" in said:
        return "Write one statement at a time."
    return f"{said}."


async def _read_postgresql(connection: AsyncConnection, text: str, limit: int) -> Rows:
    driver: Any = (await connection.get_raw_connection()).driver_connection
    try:
        await _check_postgresql(driver, text)
        async with driver.transaction(readonly=True):
            await _set_timeouts(driver)
            # A row is measured where it is, so that one of a gigabyte never comes here.
            prepared = await driver.prepare(_BOUNDED.format(text=text))
            columns = [attribute.name for attribute in prepared.get_attributes()]
            if not columns:
                raise Refused("It selects no column.")
            records = await _fetch(await prepared.cursor(), limit + 1)
    except (sa.exc.DBAPIError, OSError, TimeoutError) as error:
        raise Refused(f"The database did not answer: {type(error).__name__}.") from None
    except Exception as error:
        if (sentence := _postgresql_sentence(error)) is None:
            raise
        raise Refused(sentence) from None
    return _rows(columns, [tuple(record) for record in records], limit)


async def _fetch(cursor: Any, number: int) -> list[Any]:
    try:
        return list(await cursor.fetch(number))
    except (ValueError, OverflowError) as error:  # PostgreSQL knows years that Python does not
        if type(error).__module__.startswith("asyncpg."):
            raise
        raise Refused(f"A value has no form in Python ({error}); cast it to text.") from None


async def _check_postgresql(driver: Any, text: str) -> None:
    """Ask PostgreSQL's parser what a statement reads and calls, in a transaction that is taken back."""
    transaction = driver.transaction()
    await transaction.start()
    try:
        await _set_timeouts(driver)
        # Prepared, which takes one statement and no second; nothing in it runs, for a view only keeps it. The inner query may name
        # a column twice, the view may not.
        view = await driver.prepare(_VIEW.format(text=text))
        await view.fetch()
        rule = await _with_views(driver, read_rule(await driver.fetchval(_ACTION)))
        names = await driver.fetch(NAMES, sorted({relation for relation, _ in rule.reads}))
        found = refusal(rule, names, await driver.fetch(FUNCTIONS, sorted(rule.function_ids)))
    finally:
        await transaction.rollback()
    if found:
        raise Refused(found)


async def _with_views(driver: Any, rule: Rule) -> Rule:
    """A rule with those of all views in it, at any depth; one that is only counted gives no column, yet its functions run."""
    seen: set[tuple[int, bool]] = set()
    while True:
        read_ones = {relation for relation, _ in rule.reads}
        unseen = {(relation, relation in read_ones) for relation in rule.relation_ids} - seen
        if not unseen:
            return rule
        seen |= unseen
        for row in await driver.fetch(RULES, sorted({relation for relation, _ in unseen})):
            view = read_rule(row["action"])
            rule = rule.joined(view if row["relation_id"] in read_ones else view._replace(reads=frozenset()))


async def _set_timeouts(driver: Any) -> None:
    for name in ("statement_timeout", "lock_timeout"):
        await driver.execute(f"SET LOCAL {name} = {int(TIMEOUT_S * 1000)}")


def _postgresql_sentence(error: Exception) -> str | None:
    """What the database said; None for what it did not say."""
    if not type(error).__module__.startswith("asyncpg."):
        return None
    state = getattr(error, "sqlstate", "")
    if state == "57014":  # query_canceled
        return _too_long()
    said = str(error).partition("\n")[0].removesuffix(".")
    if state == "42601" and "multiple commands" in said:
        return "Write one statement at a time."
    return f"{said}."


def _too_long() -> str:
    return f"It took longer than {TIMEOUT_S:g} seconds; ask for less."


def _rows(columns: Sequence[str], found: Sequence[Sequence[Any]], limit: int) -> Rows:
    hidden = [is_secret(name) for name in columns]
    rows = [[MASK if hide else shown(value) for value, hide in zip(row, hidden, strict=True)] for row in found[:limit]]
    return Rows(list(columns), rows, len(found) > limit)
