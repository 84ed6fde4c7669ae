"""lazyapp/developing/about_query_sql.py: one statement that only reads."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lazyapp.developing import about_query_sql
from lazyapp.developing.about_query_sql import Refused, read
from lazyapp.developing.about_threads import Threads
from lazyapp.secret_words import MASK
from tests.lazyapp.developing.library import HASH, filled

#: Ways to write, and ways around what would stop it. PostgreSQL 18, 13.2 and 9.28; https://www.sqlite.org/security.html
WRITES = (
    "delete from books",
    "drop table books",
    "update books set title = 'x'",
    "insert into books (title) values ('x')",
    "select 1; delete from books",
    "select 1; ; delete from books",
    "select 1 /* ; */; delete from books",
    "/* select */ delete from books",
    "-- select\ndelete from books",
    "with gone as (delete from books returning *) select * from gone",
    "select * into copied from books",
    "select id from books for update",
    "explain analyze delete from books",
    "create table x as select 1",
    "begin",
    "commit",
    "select 1) as q; delete from books --",
    "select 1 as one) as q, (select 2",
    "copy books to '/tmp/lazyapp-copied'",
    "copy (select 1) to program 'touch /tmp/lazyapp-copied'",
    "do $$ begin delete from books; end $$",
    "call x()",
    "set role postgres",
    "lock table books",
    "vacuum",
    "select nextval('books_id_seq')",
    "select setval('books_id_seq', 1)",
    "select set_config('role', 'postgres', false)",
    "select pg_advisory_lock(1)",
    "select lo_export(1, '/tmp/lazyapp-copied')",
    "select lo_from_bytea(0, 'x')",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('/')",
    "select pg_terminate_backend(1)",
    "select * from query_to_xml('delete from books', true, true, '')",
    "attach database '/tmp/lazyapp-copied' as copied",
    "pragma user_version = 3",
    "pragma query_only = off",
    "select * from pragma_journal_mode('delete')",
    "select load_extension('x')",
    "select fts3_tokenizer('x')",
    "select writefile('/tmp/lazyapp-copied', 'x')",
    "vacuum into '/tmp/lazyapp-copied'",
    "",
    " ; ",
    "select '\x00'",
    "select '\ud800'",
    "select",
    "select $1",
    "select ?",
    "select :name",
)
#: Every way to the hash that a reader of the table would think of.
SECRETS = (
    "select password_hash as x from readers",
    "select upper(password_hash) from readers",
    "select r.* from readers r where r.password_hash like 'argon%'",
    "select (select max(password_hash) from readers)",
    "select name from readers order by password_hash",
    "with r as (select * from readers) select * from r",
    "select * from (select name, password_hash as y from readers) as q",
    "select name from readers union all select password_hash from readers",
    "select length(password_hash) as n from readers",
)
POSTGRESQL_SECRETS = (
    "select r from readers r",
    "select r::text from readers r",
    "select row_to_json(r) from readers r",
    "select to_jsonb(r) - 'name' from readers r",
    "select * from readers as t(a, b, c)",
    "select table_to_xml('readers', true, true, '')",
    "select rolpassword as a from pg_authid",
    "select s from pg_shadow s",
    "select schema_to_xml('public', true, true, '')",
    "select most_common_vals from pg_stats where tablename = 'readers' and length(password_hash) > 0",
    "select q from (select * from readers) q",
    "select array_agg(r) from readers r",
)
#: What an application may have made of its tables, and the ways through it.
AROUND = (
    "create view shown_readers as select name, password_hash as x from readers",
    "create view twice as select x as y from shown_readers",
    "create materialized view kept as select password_hash as x from readers",
    "create function first_hash() returns text language sql stable as 'select password_hash from readers limit 1'",
    "create view called as select first_hash() as x",
    "create table parcels (id int, data jsonb)",
    f"""insert into parcels values (1, '{{"token": "{HASH}", "to": "ada"}}')""",
    "insert into readers select n, 'reader ' || n, 'argon2-of-ada' from generate_series(2, 9) as n",
    "analyze readers",
)
SECRETS_AROUND = (
    "select x from shown_readers",
    "select y from twice",
    "select x from kept",
    "select first_hash()",
    "select x from called",
    "select count(*) from called",
    "select most_common_vals::text from pg_stats where attname = 'password_hash'",
    "select s from pg_stats as s",
    "select stavalues1::text from pg_statistic",
    "select stxdmcv::text from pg_statistic_ext_data",
    "select most_common_vals from pg_stats_ext",
    "select data ->> 'token' as x from parcels",
    "select data -> 'token' as x from parcels",
    "select data #>> '{token}' as x from parcels",
    "select data['token'] as x from parcels",
    "select jsonb_path_query(data, '$.token') as x from parcels",
    "select json_value(data, '$.token') as x from parcels",
    "select jsonb_extract_path_text(data, 'token') as x from parcels",
    "select v as x from parcels, jsonb_each_text(data) as e(k, v)",
    "select r.token as x from parcels, jsonb_to_record(data) as r(token text)",
)


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with filled(f"sqlite+aiosqlite:///{tmp_path / 'library.db'}") as engine:
        yield engine


@pytest.fixture
async def postgresql(postgres_url: str) -> AsyncIterator[AsyncEngine]:
    async with filled(postgres_url) as engine:
        yield engine


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


async def contents(engine: AsyncEngine) -> list[Any]:
    async with engine.connect() as connection:
        return list((await connection.execute(sa.text("select id, title from books order by id"))).all())


async def test_a_select_answers_rows(engine: AsyncEngine) -> None:
    """docs/about.md, "The database"."""
    found = await read(engine, "select id, title from books order by id;", 2)
    assert (found.columns, found.rows, found.is_cut) == (["id", "title"], [[1, "Volume 1"], [2, "Volume 2"]], True)
    found = await read(engine, "with b as (select id from books) select max(id) as last, max(id) as last from b")
    assert (found.columns, found.rows, found.is_cut) == (["last", "last"], [[3, 3]], False)
    assert (await read(engine, "values (1), (2)")).rows == [[1], [2]]


async def test_nothing_is_written_whatever_is_sent(engine: AsyncEngine) -> None:
    """OWASP, SQL Injection Prevention, "Least privilege"."""
    before = await contents(engine)
    for statement in WRITES:
        with pytest.raises(Refused):
            await read(engine, statement)
    assert await contents(engine) == before
    assert not Path("/tmp/lazyapp-copied").exists()


async def test_no_secret_is_read_under_any_name(engine: AsyncEngine) -> None:
    """docs/about.md, "Secrets": PostgreSQL refuses the query, SQLite reads NULL."""
    for statement in (*SECRETS, *(POSTGRESQL_SECRETS if engine.dialect.name == "postgresql" else ())):
        if engine.dialect.name == "sqlite":
            assert HASH not in str(await read(engine, statement)).lower()
            continue
        with pytest.raises(Refused, match=r"holds secrets|is not called|does not exist") as refused:
            await read(engine, statement)
        assert HASH not in str(refused.value)


async def test_no_secret_is_read_by_a_way_around_its_column(postgresql: AsyncEngine) -> None:
    """PostgreSQL 18, 53.29 "pg_stats", 39.2 "Views and the Rule System", 9.16 "JSON Functions and Operators"."""
    async with postgresql.begin() as connection:
        for statement in AROUND:
            await connection.exec_driver_sql(statement)
    for statement in SECRETS_AROUND:
        with pytest.raises(Refused, match=r"holds secrets|is not called"):
            await read(postgresql, statement)
    assert (await read(postgresql, "select data ->> 'to', upper(data::text) is null from parcels")).rows == [["ada", False]]
    assert HASH not in str(await read(postgresql, "select data, data::text from parcels"))
    assert (await read(postgresql, "select count(*) from shown_readers")).rows == [[9]]
    assert (await read(postgresql, "select usename from pg_user where usesysid = 10")).rows != []
    assert (await read(postgresql, "select table_name from information_schema.tables where table_name = 'books'")).rows == [
        ["books"]
    ]


async def test_a_secret_column_shows_that_it_is_hidden(sqlite: AsyncEngine) -> None:
    """docs/about.md, "Secrets"."""
    assert (await read(sqlite, "select * from readers")).rows == [[1, "ada", MASK]]


async def test_the_sentence_says_which_column_is_hidden(postgresql: AsyncEngine) -> None:
    """style.md, "Errors": what was expected and what came."""
    with pytest.raises(Refused, match=r"readers\.password_hash holds secrets"):
        await read(postgresql, "select * from readers")


async def test_an_endless_statement_is_ended(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """OWASP, Denial of Service: bound what one request may take."""
    monkeypatch.setattr(about_query_sql, "TIMEOUT_S", 0.2)
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    with pytest.raises(Refused, match=r"longer than 0\.2 seconds"):
        await read(engine, endless)
    assert (await read(engine, "select 1 as one")).rows == [[1]]


@pytest.mark.parametrize("compare", ["like", "glob"])
async def test_no_one_step_of_sqlite_takes_long(sqlite: AsyncEngine, compare: str) -> None:
    """https://www.sqlite.org/limits.html, SQLITE_LIMIT_LIKE_PATTERN_LENGTH: a pattern of n can cost n times the text."""
    with pytest.raises(Refused, match="pattern too complex"):
        await read(sqlite, f"select {compare}('*%' || printf('%.*c', 100, 'a') || 'b', 'aab')")
    with pytest.raises(Refused, match="too big"):
        await read(sqlite, "select instr(hex(zeroblob(150000)), 'b')")


async def test_a_thread_that_hangs_keeps_nobody_waiting(sqlite: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """https://www.sqlite.org/c3ref/progress_handler.html: it is asked between instructions only, so time is counted outside."""
    released = threading.Event()
    monkeypatch.setattr(about_query_sql, "TIMEOUT_S", 0.2)
    monkeypatch.setattr(about_query_sql, "_THREADS", threads := Threads(1))
    with pytest.raises(TimeoutError):
        await threads.run(released.wait, 0.01)
    with pytest.raises(Refused, match=r"longer than 0\.2 seconds"):
        await read(sqlite, "select 1")
    released.set()
    monkeypatch.setattr(about_query_sql, "TIMEOUT_S", 30)
    assert (await read(sqlite, "select 1")).rows == [[1]]


async def test_an_endless_answer_is_cut(engine: AsyncEngine) -> None:
    """docs/about.md, "The database": 500 rows at most."""
    found = await read(engine, "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n", 10_000)
    assert (len(found.rows), found.is_cut) == (about_query_sql.MAX_ROWS, True)


async def test_a_huge_value_never_leaves_the_database(postgresql: AsyncEngine) -> None:
    """docs/about.md, "The database": rows above 100 kB are left out."""
    assert (await read(postgresql, "select repeat('x', 200000) as long union all select 'short'")).rows == [["short"]]


@pytest.mark.parametrize("value", ["'99999-01-01'::date", "'4713-01-01 BC'::date", "'99999-01-01'::timestamptz"])
async def test_a_value_that_python_has_not_is_asked_for_as_text(postgresql: AsyncEngine, value: str) -> None:
    """PostgreSQL 18, 8.5: a date may lie between 4713 BC and 5874897 AD."""
    with pytest.raises(Refused, match="cast it to text"):
        await read(postgresql, f"select {value}")
    assert (await read(postgresql, f"select ({value})::text like '%01-01%'")).rows == [[True]]


async def test_a_huge_value_is_not_made_by_sqlite(sqlite: AsyncEngine) -> None:
    """https://www.sqlite.org/limits.html, SQLITE_LIMIT_LENGTH."""
    with pytest.raises(Refused, match="too big"):
        await read(sqlite, "select zeroblob(2000000)")


async def test_a_database_that_is_not_there_is_told(tmp_path: Path) -> None:
    """style.md, "Errors"."""
    for url, words in (("sqlite+aiosqlite://", "memory"), (f"sqlite+aiosqlite:///{tmp_path / 'none.db'}", "no database yet")):
        engine = create_async_engine(url)
        with pytest.raises(Refused, match=words):
            await read(engine, "select 1")
        await engine.dispose()
    assert not (tmp_path / "none.db").exists()


async def test_what_is_open_when_it_is_asked_is_not_disturbed(postgresql: AsyncEngine) -> None:
    """PostgreSQL 18, 13.3: reading takes no lock that a writer waits for."""
    async with postgresql.begin() as connection:
        await connection.execute(sa.text("delete from books where id = 3"))
        assert (await read(postgresql, "select count(*) as n from books")).rows == [[3]]
    assert (await read(postgresql, "select count(*) as n from books")).rows == [[2]]
    assert (await read(postgresql, "select count(*) as n from pg_class where relname = 'lazyapp_about'")).rows == [[0]]
