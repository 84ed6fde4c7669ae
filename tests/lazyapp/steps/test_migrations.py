"""A start and its database: brought up to date, refused, or left alone."""

import logging
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import create_async_engine

import lazyapp
import lazymcp
from lazyapp.config import Config
from lazyapp.database import AsyncEngine, AsyncSession
from lazyapp.errors import ConfigurationError
from lazyapp.migrations import FRAMEWORK
from lazyapp.settings import Settings
from tests.lazyapp.test_migrations import write

ONE = "op.create_table('notes', sa.Column('id', sa.Integer, primary_key=True))"


def make(folder: Path, url: str, migrate: str | None, env: str = "test") -> lazyapp.App:
    write(folder / "migrations", "a", does=ONE)
    settings = Settings.model_validate({"env": env, "root": folder, "database_url": SecretStr(url), "migrate": migrate})
    return lazyapp.App(Config(name="shop", migrations=folder / "migrations"), settings=settings)


async def execute(url: str, statement: str) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(sa.text(statement))
    await engine.dispose()


async def test_a_start_migrates_and_readiness_knows(tmp_path: Path, sqlite_url: str) -> None:
    """Design, section 7: LAZYAPP_MIGRATE is auto outside production. docs/database.md: `/readyz` names migrations."""
    app = make(tmp_path, sqlite_url, None)
    async with app.router.lifespan_context(app):
        assert await app.services.check() == {"migrations": None}
        await execute(sqlite_url, "DELETE FROM alembic_version")
        assert await app.services.check() == {"migrations": "1 pending"}
        assert await app.readiness() == {"status": "failing", "failing": ["migrations"]}
    assert await app.services.check() == {}


async def test_a_start_that_may_not_migrate_is_refused(tmp_path: Path, sqlite_url: str) -> None:
    """One sentence that says what to type; nothing is written."""
    app = make(tmp_path, sqlite_url, "off")
    with pytest.raises(ConfigurationError) as refused:
        async with app.router.lifespan_context(app):
            pass
    count = len(FRAMEWORK.read()) + 1
    assert str(refused.value).startswith(f"The database lacks {count} migrations (framework 0001, ")
    assert str(refused.value).endswith("; run `lazyapp db upgrade`, or set LAZYAPP_MIGRATE=auto.")


def test_production_does_not_migrate_unless_it_is_told_to() -> None:
    """Design, section 7, the table of settings."""
    wanted = {("production", None): False, ("development", None): True, ("test", None): True, ("production", "auto"): True}
    wanted |= {("production", "up"): True, ("development", "off"): False}
    assert {key: Settings.model_validate({"env": key[0], "migrate": key[1]}).migrates for key in wanted} == wanted


async def test_an_older_release_starts_on_a_database_of_a_newer_one(
    tmp_path: Path, sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """During a rolling update an old process may start again."""
    first = make(tmp_path, sqlite_url, None)
    async with first.router.lifespan_context(first):
        pass
    await execute(sqlite_url, "UPDATE alembic_version SET version_num = 'z'")
    older = make(tmp_path, sqlite_url, "off")
    with caplog.at_level(logging.WARNING, "lazyapp"):
        async with older.router.lifespan_context(older):
            assert await older.services.check() == {"migrations": None}
    assert "this one does not know z" in caplog.text


async def test_production_keeps_nothing_in_a_file_that_nobody_named(tmp_path: Path) -> None:
    """Design, section 7: DATABASE_URL has a default in development only. An application with migrations has tables."""
    write(tmp_path / "migrations", "a", does=ONE)
    settings = Settings(env="production", root=tmp_path, secret_key=SecretStr("k" * 40), migrate="auto")
    app = lazyapp.App(Config(name="shop", migrations=tmp_path / "migrations"), settings=settings)
    with pytest.raises(ConfigurationError, match="DATABASE_URL is not set"):
        async with app.router.lifespan_context(app):
            pass
    assert not (tmp_path / ".lazyapp").exists()


class Listing(lazyapp.Controller):
    async def index(self, db: AsyncSession) -> str:
        return "notes"


class NotesMCP(lazymcp.Base):
    """Notes."""

    @lazymcp.tool
    async def count(self, db: AsyncSession) -> int:
        """Count notes."""
        return 0


class KeepingMCP(lazymcp.Base):
    """Notes, kept over an engine."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine

    @lazymcp.tool
    async def count(self) -> int:
        """Count notes."""
        return 0


@pytest.mark.parametrize(
    "hooks",
    [
        {"drawer": lambda routes: routes.root(Listing.index)},
        {"mcp": lambda ctx, scope: scope.register(NotesMCP())},
        {"mcp": lambda ctx, scope: scope.register(ctx.services.build(KeepingMCP))},
    ],
    ids=["action", "tool", "module"],
)
async def test_an_action_or_a_tool_that_asks_for_a_session_needs_a_database_with_a_name(
    tmp_path: Path, hooks: dict[str, Any]
) -> None:
    """docs/production.md: DATABASE_URL. Without migrations and services, only what asks tells that something is kept."""
    values: dict[str, Any] = {"env": "production", "root": tmp_path, "secret_key": SecretStr("k" * 40)}
    app = lazyapp.App(Config(name="shop", **hooks), settings=Settings(**values))
    with pytest.raises(ConfigurationError, match="DATABASE_URL is not set"):
        async with app.router.lifespan_context(app):
            pass
    assert any(sentence.startswith("DATABASE_URL is not set") for sentence in (await app.examine()).refusals)
    assert list(tmp_path.rglob("*.db")) == []
    at_home = lazyapp.App(Config(name="shop", **hooks), settings=Settings(**values | {"env": "development"}))
    async with at_home.router.lifespan_context(at_home):
        pass


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"given_public_url": "http://shop.example"}, "PUBLIC_URL is http://shop.example"),
        ({"default_pass": SecretStr("short")}, "LAZYAUTH_DEFAULT_PASS is refused"),
    ],
)
async def test_a_start_that_is_refused_has_not_migrated(
    tmp_path: Path, sqlite_url: str, values: dict[str, Any], sentence: str
) -> None:
    """docs/production.md: a setting is refused before the database is touched."""
    write(tmp_path / "migrations", "a", does=ONE)
    safe = {"env": "production", "root": tmp_path, "secret_key": SecretStr("k" * 40), "migrate": "auto"}
    settings = Settings(**safe | {"database_url": SecretStr(sqlite_url)} | values)
    app = lazyapp.App(Config(name="shop", migrations=tmp_path / "migrations"), settings=settings)
    with pytest.raises(ConfigurationError, match=sentence):
        async with app.router.lifespan_context(app):
            pass
    engine = create_async_engine(sqlite_url)
    async with engine.connect() as connection:
        assert await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names()) == []
    await engine.dispose()


async def test_an_application_that_keeps_nothing_opens_no_database(tmp_path: Path) -> None:
    """Making the engine opens nothing, and neither does a start that needs none."""
    app = lazyapp.App(Config(name="shop"), settings=Settings(env="development", root=tmp_path))
    async with app.router.lifespan_context(app):
        assert app.services.get(AsyncEngine) is not None
        assert await app.services.check() == {}
    assert not (tmp_path / ".lazyapp" / "app.db").exists()
