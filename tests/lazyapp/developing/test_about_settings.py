"""lazyapp/developing/about_settings.py: what an application is and how it is set."""

from pathlib import Path

import pytest

from lazyapp.developing.about_settings import settings
from lazyapp.secret_words import MASK
from lazyapp.served_at import telling_where
from lazyapp.settings import Settings
from tests.lazyapp.developing.library import SECRET_KEY, asked_about


async def test_an_application_is_described(tmp_path: Path) -> None:
    """docs/about.md, "Settings"."""
    async with asked_about(tmp_path) as agent:
        found = await agent.call("describe_app")
    assert (found["name"], found["folder"], found["env"]) == ("library", str(tmp_path), "development")
    assert (found["mcp_url"], found["login"], found["database"]) == ("http://localhost:3000/mcp", True, "sqlite")
    assert found["modules"] == ["shelf (3 tools)"]
    assert found["ready"]["status"] == "ready"


async def test_the_address_is_that_of_the_run_in_the_folder(tmp_path: Path) -> None:
    """docs/about.md: over stdio the server is a process of its own, beside `lazyapp serve --port 3307`."""
    async with asked_about(tmp_path) as agent:
        with telling_where(tmp_path, "http://localhost:3307"):
            found = await agent.call("describe_app")
    assert (found["url"], found["mcp_url"]) == ("http://localhost:3307", "http://localhost:3307/mcp")


def test_no_setting_shows_a_secret(tmp_path: Path) -> None:
    """docs/about.md, "Secrets"."""
    given = Settings(
        root=tmp_path,
        secret_key=SECRET_KEY,
        secret_key_fallbacks=(SECRET_KEY[::-1],),
        default_pass="correct horse",
        database_url="postgresql://shop:hidden@localhost/shop",
    )
    found = {row.variable: row for row in settings(given)}
    assert found["SECRET_KEY"].value == found["SECRET_KEY_FALLBACKS"].value == found["LAZYAUTH_DEFAULT_PASS"].value == MASK
    assert found["DATABASE_URL"].value == f"postgresql+asyncpg://shop:{MASK}@localhost/shop"
    assert (found["PORT"].value, found["PORT"].is_set, found["SECRET_KEY"].is_set) == ("3000", False, True)
    text = str(found)
    assert not any(secret in text for secret in (SECRET_KEY, SECRET_KEY[::-1], "correct horse", "hidden"))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://shop:one@S3CRET@db/shop",
        "postgresql://shop:S3C/RET@db/shop",
        "postgresql://shop:S3C RET@db/shop",
        "postgresql://db/shop?user=shop&password=S3CRET",
        "postgresql://db/shop?sslpassword=S3CRET&sslmode=require",
        "postgresql://db/shop?pass%77ord=S3CRET",
    ],
)
def test_the_address_of_the_database_shows_no_secret(tmp_path: Path, url: str) -> None:
    """docs/about.md, "Secrets"; PostgreSQL 18, 32.1.1.2 "Connection URIs": the query takes every parameter."""
    given = Settings(root=tmp_path, secret_key=SECRET_KEY, database_url=url)
    [shown] = [row.value for row in settings(given) if row.variable == "DATABASE_URL"]
    assert not any(secret in shown for secret in ("S3C", "RET"))
    assert all(part in shown for part in (MASK, "db/shop"))


def test_every_setting_is_there() -> None:
    """docs/about.md, "Settings"."""
    assert len(settings(Settings())) == len(Settings.model_fields)
