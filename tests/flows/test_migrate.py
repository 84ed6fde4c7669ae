"""Four real processes start at once on one empty PostgreSQL."""

import asyncio
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import httpx2
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from lazyapp.migrations import FRAMEWORK
from tests.flows.serving import Server
from tests.lazyapp.tiny_app import run, serving

APP = """
import lazyapp
from lazyapp.database import AsyncSession
from sqlalchemy import text


class RunsController(lazyapp.Controller):
    async def index(self, db: AsyncSession):
        return [dict(row) for row in (await db.execute(text("SELECT * FROM runs"))).mappings()]


def draw(routes: lazyapp.Routes) -> None:
    routes.root(RunsController.index)


app = lazyapp.App(lazyapp.Config(name="runs", drawer=draw))
"""
#: It would fail the second time, and takes long enough for the others to come.
STEP = '''"""Make runs"""
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.execute("CREATE TABLE runs (pid integer)")
    op.execute("INSERT INTO runs SELECT pg_backend_pid() FROM pg_sleep(1)")
'''


async def test_four_processes_start_on_an_empty_database_and_each_migration_runs_once(tmp_path: Path, postgres_url: str) -> None:
    """docs/database.md, "Who migrates, and when": all start, and each migration ran once."""
    for folder, file, text in (("init", "__init__.py", ""), ("init", "app.py", APP), ("app/migrations", "0001.py", STEP)):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / file).write_text(text)
    environment = {"DATABASE_URL": postgres_url, "LAZYAPP_MIGRATE": "auto"}
    servers = [Server(tmp_path / f"{number}.log", environment, folder=tmp_path) for number in range(4)]
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(asyncio.to_thread(server.start) for server in servers))
        for server in servers:
            stack.callback(server.stop)
        async with httpx2.AsyncClient(headers={"accept": "application/json"}) as client:
            answers = [(await client.get(server.url)).json() for server in servers]
            ready = [(await client.get(f"{server.url}/readyz")).json()["status"] for server in servers]
    assert len(answers[0]) == 1
    assert answers == [answers[0]] * 4
    assert ready == ["ready"] * 4
    engine = create_async_engine(postgres_url)
    async with engine.connect() as connection:
        versions = [
            (await connection.execute(sa.text(f"SELECT version_num FROM {table}"))).scalars().all()
            for table in ("lazyapp_versions", "alembic_version")
        ]
    await engine.dispose()
    assert versions == [[FRAMEWORK.read()[-1].revision], ["0001"]]


FIRST = STEP.partition("    op.execute")[0] + '    op.execute("CREATE TABLE runs (pid integer)")\n'
#: Half of it is done when it is killed.
SECOND = '''"""Make notes"""
import time
from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("CREATE TABLE notes (id integer)")
    op.execute("INSERT INTO runs VALUES (2)")
    if not Path("go").exists():
        print("half way", flush=True)
        time.sleep(600)
'''


async def test_a_migrator_that_is_killed_leaves_whole_migrations_and_no_lock(tmp_path: Path, postgres_url: str) -> None:
    """PostgreSQL, "Advisory Locks": a session's lock goes with the session; and DDL is part of a transaction. CWE-459."""
    for folder, file, text in (
        ("init", "__init__.py", ""),
        ("init", "app.py", APP),
        ("app/migrations", "0001.py", FIRST),
        ("app/migrations", "0002.py", SECOND),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / file).write_text(text)
    command = [sys.executable, "-m", "lazyapp", "db", "upgrade"]
    with serving(tmp_path, command=command, DATABASE_URL=postgres_url) as migrator:
        migrator.wait_for("half way")
        migrator.process.kill()
        assert migrator.wait() == -signal.SIGKILL
    engine = create_async_engine(postgres_url)
    async with engine.connect() as connection:
        assert (await connection.execute(sa.text("SELECT version_num FROM alembic_version"))).scalars().all() == ["0001"]
        assert await connection.scalar(sa.text("SELECT to_regclass('notes')")) is None
        assert await connection.scalar(sa.text("SELECT count(*) FROM runs")) == 0
        await connection.rollback()
        (tmp_path / "go").touch()
        done = await asyncio.to_thread(run, tmp_path, "db", "upgrade", DATABASE_URL=postgres_url)
        assert (done.returncode, done.stdout) == (0, "Migrated application 0002: Make notes\n")
        assert await connection.scalar(sa.text("SELECT count(*) FROM runs")) == 1
    await engine.dispose()
