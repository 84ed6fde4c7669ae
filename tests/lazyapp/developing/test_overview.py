"""lazyapp/developing/overview.py: what the application is, on one page."""

import pytest

from lazyapp.developing.memory import Memory
from lazyapp.developing.overview import overview
from lazyapp.settings import Settings
from tests.lazyapp.developing.panel_site import HTML, opened


async def test_the_first_page_tells_what_is_there_and_what_went_wrong(tmp_path):
    async with opened(tmp_path) as site:
        await site.http.get("/books", headers=HTML)
        page = await site.page("/_lazy")
    assert "shop &lt;script&gt;" in page
    assert '<span class="count">3</span> pages' in page
    assert '<span class="count">1</span> tool<' in page
    assert "RuntimeError" in page
    assert f"sqlite, {tmp_path}/shop.sqlite3" in page


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql+asyncpg://ada:hunter2@db.example:5432/shop?sslkey=hunter2", "postgresql, db.example/shop"),
        ("sqlite:///notes.sqlite3", "sqlite, notes.sqlite3"),
        (None, "SQLite under .lazyapp/"),
    ],
)
async def test_the_database_is_named_without_who_signs_in_there(tmp_path, url, shown):
    async with opened(tmp_path) as site:
        site.app._given_settings = None
        site.app._running = None
        site.app._given_settings = Settings(env="development", root=tmp_path, database_url=url)
        assert shown in overview(site.app, Memory())["database"]
