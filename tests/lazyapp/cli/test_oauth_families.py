"""`lazyapp oauth families`: the logins that go on, of everyone or of one."""

import asyncio
import json
import time
import uuid
from pathlib import Path

from sqlalchemy.ext.asyncio import create_async_engine

from lazyoauth import Connection, SQLConnections, SQLRefreshTokenStates
from tests.lazyapp.cli.test_oauth_doctor import APP
from tests.lazyapp.tiny_app import NOTES_APP, run, write_app

IN_MEMORY = APP.replace("ctx.get(lazyoauth.RefreshTokenStateStore)", "lazyoauth.MemoryRefreshTokenStates()").replace(
    "dependencies=lambda services: services.add(lazyoauth.RefreshTokenStateStore, lazyoauth.SQLRefreshTokenStates),", ""
)


async def _log_in(database: Path, users: list[str]) -> list[str]:
    engine = create_async_engine(f"sqlite+aiosqlite:///{database}")
    families = [str(uuid.uuid4()) for _ in users]
    async with SQLRefreshTokenStates(engine) as states:
        connections = SQLConnections(engine)
        for number, (family, user) in enumerate(zip(families, users, strict=True)):
            await states.create(family, f"generation-zero-{number}", time.time() + 3600)
            await connections.add(
                Connection(
                    family_id=family,
                    user_id=user,
                    client_id="dyn1_client",
                    client_name="Claude\n\x1b[31mCode",
                    redirect_host="localhost",
                    scope="mcp",
                    resource="http://localhost:3000/mcp",
                    created_at=1_800_000_000.0 + number,
                    last_used_at=1_800_000_000.0 + number,
                )
            )
    await engine.dispose()
    return families


def logged_in(folder: Path, *users: str) -> tuple[Path, dict[str, str], list[str]]:
    """An application with a login of each user; the settings that lead to its database, and the families."""
    app, database = write_app(folder, APP), folder / "logins.sqlite3"
    return app, {"DATABASE_URL": f"sqlite:///{database}"}, asyncio.run(_log_in(database, list(users)))


def test_the_logins_that_go_on_are_listed_the_last_used_first(tmp_path: Path) -> None:
    app, settings, (first, second) = logged_in(tmp_path, "ada", "bob")
    told = run(app, "oauth", "families", **settings)
    assert told.returncode == 0, told.stderr
    rows = told.stdout.splitlines()
    assert rows[0].split()[:3] == ["FAMILY", "USER", "CLIENT"]
    assert [row.split()[:2] for row in rows[1:]] == [[second, "bob"], [first, "ada"]]
    assert "\x1b" not in told.stdout
    found = json.loads(run(app, "oauth", "families", "--user", "ada", "--json", **settings).stdout)
    assert [(row["family_id"], row["user_id"], row["redirect_host"]) for row in found] == [(first, "ada", "localhost")]


def test_nobody_is_said_in_words(tmp_path: Path) -> None:
    app, settings, _ = logged_in(tmp_path)
    assert run(app, "oauth", "families", "--user", "ada", **settings).stdout == "No AI client is logged in for ada.\n"


def test_an_application_without_oauth_or_a_shared_store_says_what_to_do(tmp_path: Path) -> None:
    without = run(write_app(tmp_path / "without", NOTES_APP), "oauth", "families")
    assert (without.returncode, "has no OAuth" in without.stderr) == (2, True)
    in_memory = run(write_app(tmp_path / "memory", IN_MEMORY), "oauth", "families")
    assert (in_memory.returncode, "SQLRefreshTokenStates" in in_memory.stderr) == (2, True)
