"""lazyapp/developing/about_settings.py: what an application is and how it is set."""

from pathlib import Path

from lazyapp.developing.about_settings import settings
from lazyapp.secret_words import MASK
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


def test_every_setting_is_there() -> None:
    """docs/about.md, "Settings"."""
    assert len(settings(Settings())) == len(Settings.model_fields)
